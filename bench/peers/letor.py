"""scikit-learn's reader of SVMlight files, timed.

    python3 bench/peers/letor.py FILE

makes an environment of its own below the target directory at the first call, installs scikit-learn there, reads the file once and
prints one line of JSON: wall and processor seconds of `load_svmlight_file(FILE, query_id=True)` alone, and what was read.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "peers" / "letor"


def main() -> None:
    python = HOME / "bin" / "python"
    if pathlib.Path(sys.prefix).resolve() != HOME.resolve():
        if not (HOME / "ready").exists():
            subprocess.run([sys.executable, "-m", "venv", str(HOME)], check=True)
            install = [str(python), "-m", "pip", "install", "--quiet", "scikit-learn"]
            subprocess.run(install, check=True, stdout=sys.stderr)
            (HOME / "ready").touch()
        os.execv(python, [str(python), __file__, *sys.argv[1:]])

    import sklearn
    from sklearn.datasets import load_svmlight_file

    wall, cpu = time.perf_counter(), time.process_time()
    values, labels, queries = load_svmlight_file(sys.argv[1], query_id=True)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        json.dumps(
            {
                "version": sklearn.__version__,
                "wall": wall,
                "cpu": cpu,
                "documents": values.shape[0],
                "features": values.shape[1],
                "queries": len(set(queries)),
            }
        )
    )


main()

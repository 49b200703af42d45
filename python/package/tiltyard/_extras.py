"""What is installed on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(module: str, extra: str, who: str) -> Iterator[None]:
    """Says how to install a module that an import within finds missing, and who needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        # What that module itself misses is another matter.
        if error.name != module:
            raise
        raise ModuleNotFoundError(
            f'{who} needs {module}, which is not installed: `pip install "tiltyard[{extra}]"`', name=module
        ) from None

"""All exceptions of this package.

`TiltyardError` is the base of all. Below it there is a class for each kind (`ParamError`, `MatrixError`, ...), and below that one for each
condition (`ParamOutOfRange`, `MatrixAsymmetric`, ...). Most are also a `ValueError`, an `OSError` or a `RuntimeError`, so that code which
knows nothing of Tiltyard can catch them.
"""

from tiltyard.errors import border, engine
from tiltyard.errors.base import TiltyardError
from tiltyard.errors.border import *  # noqa: F403
from tiltyard.errors.engine import *  # noqa: F403

__all__ = ["TiltyardError"]
__all__ += border.__all__
__all__ += engine.__all__

"""All exceptions of this package.

`TiltyardError` is the base of all. It has one subclass per kind (`ParamError`, `MatrixError`, ...), and each of these
has one subclass per condition (`ParamOutOfRange`, `MatrixAsymmetric`, ...). Most are also a `ValueError`, an `OSError`
or a `RuntimeError`, so that code that does not know Tiltyard can catch them.
"""

from tiltyard.errors import border, engine
from tiltyard.errors.base import TiltyardError
from tiltyard.errors.border import *  # noqa: F403
from tiltyard.errors.engine import *  # noqa: F403

__all__ = ["TiltyardError"]
__all__ += border.__all__
__all__ += engine.__all__

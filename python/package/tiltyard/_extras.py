"""Optional dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(module: str, extra: str, who: str) -> Iterator[None]:
    """If an import inside the block does not find `module`, the error says what needs it and how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        # Another module is missing, such as a dependency of `module`.
        if error.name != module:
            raise
        raise ModuleNotFoundError(
            f'{who} needs {module}, which is not installed: `pip install "tiltyard[{extra}]"`', name=module
        ) from None

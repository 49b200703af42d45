"""The base of all exceptions of this package."""

from __future__ import annotations


class TiltyardError(Exception):
    """The base of all errors of Tiltyard. It says what is wrong, where, and what to do about it.

    Each subclass is one condition, named after the error of the Rust library. Details are attributes.
    """

    hint: str | None
    """What to do about it, if known."""

    def __init__(self, message: str, /, *, hint: str | None = None, **facts: object) -> None:
        super().__init__(message)
        self.hint = hint
        for name, fact in facts.items():
            setattr(self, name, fact)

    def __str__(self) -> str:
        message = str(self.args[0]) if self.args else ""
        if self.hint is None:
            return message
        return "\n".join([message, *(f"hint: {line}" for line in self.hint.splitlines())])

"""Types that signatures use."""

from collections.abc import Callable
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["left", "right", "tie"] | float | bool
"""Who won: a word, a score in [-1, 1] from the left arm's viewpoint, or whether the left arm won: `False` is a loss, 0 a tie."""

Draw: TypeAlias = tuple[float, float, float] | float | None
"""How a pair was drawn: as two slots (their probabilities, and the chance that a pair was acceptable), as a whole, or unknown."""

Ties: TypeAlias = Literal["refuse", "coin"]
"""What a policy that counts wins makes of a tie: an error, or a coin of its own."""

Value: TypeAlias = str | float | bool | None
"""A parameter as Python says it: a number, a word, an expression such as `"1/T"`; `None` is the default."""

Tell: TypeAlias = Callable[[int, int], object]
"""Someone who is told of rounds done and rounds in all."""

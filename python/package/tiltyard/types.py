"""Types in signatures."""

from collections.abc import Callable
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["left", "right", "tie"] | float | bool
"""The outcome of a duel: a word, a score in [-1, 1] (positive: left is better), or whether the left arm won. `False` is
a loss, 0 is a tie."""

Draw: TypeAlias = tuple[float, float, float] | float | None
"""How a pair was drawn: as two slots (their probabilities, and the probability that a pair was acceptable), as a whole
(its probability), or unknown."""

Ties: TypeAlias = Literal["refuse", "coin"]
"""How a policy that accepts only wins and losses handles a tie: with an error, or with a coin flip."""

Value: TypeAlias = str | float | bool | None
"""The value of a parameter: a number, a word, or an expression such as `"1/T"`; `None` is the default."""

Tell: TypeAlias = Callable[[int, int], object]
"""A function that is called with the rounds done and the rounds in total."""

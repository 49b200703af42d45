"""Clients of an arena, the live service of Tiltyard.

`Client` blocks, `AsyncClient` is awaited, and both can do the same.

>>> from tiltyard.arena import Client
>>> with Client() as arena:
...     experiment = arena.create_experiment("headline", ["plain", "funny", "short"])
...     duel = arena.duel(experiment)
...     arena.vote(duel, "left", voter="u17")
...     print(arena.standing(experiment).verdict.words)

`docs/python-client.md` is a guide.
"""

from __future__ import annotations

from tiltyard._extras import needed as _needed

with _needed("httpx", "arena", "the client of the arena"):
    import httpx as _httpx  # noqa: F401

# Which names these have is in their `__all__`.
from . import _errors, _inputs, _types, _verdicts
from ._async_client import AsyncClient
from ._client import Client
from ._errors import *
from ._inputs import *
from ._retry import Retry
from ._types import *
from ._verdicts import *

__all__ = ["AsyncClient", "Client", "Retry"]
__all__ += _errors.__all__ + _inputs.__all__ + _types.__all__ + _verdicts.__all__

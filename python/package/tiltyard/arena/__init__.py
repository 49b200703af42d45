"""Clients of an arena, the live service of Tiltyard.

`Client` blocks, `AsyncClient` is for asyncio, and both have the same methods.

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

# Each of these modules lists its names in `__all__`.
from . import _codes, _errors, _inputs, _types
from ._async_client import AsyncClient
from ._client import Client
from ._codes import *
from ._errors import *
from ._inputs import *
from ._lines import ExportedVote
from ._operations.votes import ImportReport
from ._retry import Retry
from ._types import *

__all__ = ["AsyncClient", "Client", "ExportedVote", "ImportReport", "Retry"]
__all__ += _codes.__all__ + _errors.__all__ + _inputs.__all__ + _types.__all__

"""Everything that can be asked of an arena, one file for each group of routes."""

from __future__ import annotations

from .duels import Duels
from .experiments import Experiments
from .interleaving import Interleavings
from .keys import Keys
from .server import Server
from .slates import Slates
from .standing import Standings
from .votes import Votes


class Operations(Server, Experiments, Duels, Interleavings, Slates, Standings, Votes, Keys):
    """All of it, as methods of a client."""

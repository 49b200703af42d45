"""Dueling bandits: find which of K things people prefer by asking only "this one or that one?".

>>> import tiltyard
>>> policy = tiltyard.Rex3(arms=10, seed=1)
>>> ticket = policy.decide()
>>> policy.update(ticket, "left")
>>> results = tiltyard.play("arxiv6", ["rex3", "rucb"], rounds=10_000, runs=10)
"""

from tiltyard import clicks, errors, interleave, lab, policies, theory
from tiltyard._native import Policy, Session, Sessions, Ticket, __version__
from tiltyard.info import (
    Param,
    PolicyInfo,
    WorldInfo,
    policy_info,
    policy_names,
    regret_names,
    world_info,
    world_names,
)
from tiltyard.matrix import Assumptions, Finding, Matrix
from tiltyard.play import Contender, PythonPolicy, play
from tiltyard.policies import *  # noqa: F403
from tiltyard.policy import policy
from tiltyard.results import PolicyResult, Results
from tiltyard.types import Draw, Outcome
from tiltyard.world import World, world

__all__ = [
    "Assumptions",
    "Contender",
    "Draw",
    "Finding",
    "Matrix",
    "Outcome",
    "Param",
    "Policy",
    "PolicyInfo",
    "PolicyResult",
    "PythonPolicy",
    "Results",
    "Session",
    "Sessions",
    "Ticket",
    "World",
    "WorldInfo",
    "__version__",
    "clicks",
    "errors",
    "interleave",
    "lab",
    "play",
    "policy",
    "policy_info",
    "policy_names",
    "regret_names",
    "theory",
    "world",
    "world_info",
    "world_names",
]

__all__ += policies.__all__

"""Puts real ids where made-up ones stand, so that not everything ends with 404."""

import itertools
import json
import os
import re
import urllib.request

import schemathesis

URL = os.environ["TILTYARD_URL"]
KEY = os.environ.get("TILTYARD_KEY", "")

EXPERIMENT = re.compile(r"^[0-7][0-9a-hjkmnp-tv-z]{12}$")
DUEL = re.compile(r"^[0-7][0-9a-hjkmnp-tv-z]{12}-[0-9a-z]{1,12}-[0-9a-f][0-9a-z]{12}$")

# Every so many requests there is another experiment, since some of them close or pause it.
EVERY = 5


def post(path, body):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


class Pool:
    def __init__(self):
        self.turns = itertools.count()
        self.experiment = None
        self.duels = []

    def renew(self):
        if next(self.turns) % EVERY == 0 or not self.duels:
            arms = ["a", {"name": "b", "label": "Bee", "payload": {"x": 1}}, "c", "d"]
            self.experiment = post("/v1/experiments", {"name": "schemathesis", "arms": arms})["id"]
            duels = post(f"/v1/experiments/{self.experiment}/duels", {"count": 2 * EVERY})["duels"]
            self.duels = [duel["id"] for duel in duels]

    def an_experiment(self):
        self.renew()
        return self.experiment

    def a_duel(self):
        self.renew()
        # The same one twice in a row, so that some are answered twice.
        return self.duels[0] if next(self.turns) % 2 else self.duels.pop(0)


POOL = Pool()
TURNS = itertools.count()


def real():
    """Three times out of four."""
    return next(TURNS) % 4 != 3


def matches(pattern, value):
    # What does not look like an id is wrong on purpose.
    return isinstance(value, str) and pattern.match(value)


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not path_parameters:
        return path_parameters
    if matches(EXPERIMENT, path_parameters.get("experiment")) and real():
        path_parameters["experiment"] = POOL.an_experiment()
        if isinstance(path_parameters.get("arm"), str) and real():
            path_parameters["arm"] = "abcd"[next(TURNS) % 4]
    if matches(DUEL, path_parameters.get("duel")) and real():
        path_parameters["duel"] = POOL.a_duel()
    return path_parameters


@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict):
        if matches(EXPERIMENT, body.get("experiment")) and real():
            body["experiment"] = POOL.an_experiment()
        outcomes = body.get("outcomes")
        for outcome in outcomes if isinstance(outcomes, list) else []:
            if isinstance(outcome, dict) and isinstance(outcome.get("duel"), str) and real():
                outcome["duel"] = POOL.a_duel()
    return body

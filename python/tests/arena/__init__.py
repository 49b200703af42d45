"""Tests of the arena's client against real servers."""

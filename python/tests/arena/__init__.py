"""The client of the arena, against real servers."""

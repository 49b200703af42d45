"""Click models: simulated users who look at a list of graded documents and click.

| text | user |
|---|---|
| `perfect`, `navigational`, `informational` | reads downwards, clicks by grade, may stop after a click |
| `dependent:click=0.1/0.9,stop=0.2/0.5` | the same with your own probabilities, one per grade from 0 |
| `position-based:eta=1,noise=0.1` | looks at rank r with probability r^-eta, and clicks by grade |
| `random:p=0.5` | clicks every document with the same probability |
"""

from tiltyard._native import ClickModel

__all__ = ["ClickModel"]

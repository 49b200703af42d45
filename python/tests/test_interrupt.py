"""Long calls: the interpreter stays responsive, Ctrl-C works, memory stays flat."""

import os
import subprocess
import sys
import threading
import time

import pytest

CTRL_C = """
import os, signal, sys, threading, time
import tiltyard
world, policy, rounds = sys.argv[1:]
def interrupt():
    time.sleep(0.7)
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    tiltyard.play(world, policy, rounds=int(rounds), runs=100, progress=False)
except KeyboardInterrupt:
    print(time.monotonic() - sent)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends signals in another way")
@pytest.mark.parametrize(
    ("world", "policy", "rounds"),
    [("arxiv6", "rex3", 100_000_000), ("savage30", "scb", 10_000_000), ("beta10:arms=2000", "rucb", 10_000_000)],
)
def test_ctrl_c(world: str, policy: str, rounds: int) -> None:
    """The promise is a tenth of a second. The limit leaves room for a machine that is busy with other things."""
    command = [sys.executable, "-c", CTRL_C, world, policy, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert float(done.stdout) < 1.0


def test_other_threads_go_on() -> None:
    import tiltyard

    ticks = 0
    over = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    counter = threading.Thread(target=count)
    counter.start()
    start = time.monotonic()
    tiltyard.play("arxiv6", "rex3", rounds=2_000_000, runs=2, progress=False)
    took = time.monotonic() - start
    over.set()
    counter.join()
    # If the call held the lock, the thread would have counted nothing.
    assert ticks > took * 50


def test_an_exception_of_the_callback_stops_the_work() -> None:
    import tiltyard

    class Enough(Exception):
        pass

    def tell(done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        tiltyard.play("arxiv6", "rex3", rounds=100_000_000, runs=100, progress=tell)


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="this system has no /proc, from which memory is read")


def pages() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])


@needs_proc
def test_twenty_million_rounds_in_a_thread() -> None:
    import tiltyard

    tiltyard.play("savage30", "rex3", rounds=10_000, runs=1, threads=1, progress=False)
    before, most, ticks = pages(), 0, 0
    played: list[tiltyard.Results] = []

    def play() -> None:
        played.append(tiltyard.play("savage30", "rex3", rounds=20_000_000, runs=1, threads=1, progress=False))

    thread = threading.Thread(target=play)
    start = time.monotonic()
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
        most = max(most, pages())
    took = time.monotonic() - start
    assert played[0].rounds[-1] == 20_000_000
    # A tick is a millisecond plus the overhead of the system. If the other thread held the lock,
    # there would be no ticks.
    assert ticks > took * 50
    # Less than 8 MB. One number per round would take 160 MB.
    assert most - before < 2000


@needs_proc
def test_memory_is_flat() -> None:
    import tiltyard

    policy = tiltyard.Rex3(arms=10)
    for _ in range(10_000):
        policy.update(policy.decide(), "left")
    before = pages()
    for _ in range(200_000):
        policy.update(policy.decide(), "left")
    # A leak of one ticket per round would be 200,000 * 64 bytes, some 3,000 pages.
    assert pages() - before < 1000

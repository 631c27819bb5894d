"""What the programs in Python have in common: what was seen, how long it took, what to do next."""

import os
import random
import sys
import time

INSTANCE = int(os.environ["INSTANCE"])
END = time.monotonic() + float(os.environ["SECONDS"])
TENANTS = 12
ITEMS = 1000
dice = random.Random(INSTANCE)

_seen = set()
_times = []
_repeated = {}
_slowest = (0, "")
_added = 0


def tell(name, outcome):
    """What a client has seen; each thing is printed once."""
    line = " ".join(f"{name}: {outcome}".split())
    if line not in _seen:
        _seen.add(line)
        print(line, flush=True)


def add(number=1):
    """So much was added to item.n, and committed."""
    global _added
    _added += number


def key():
    return dice.randint(1, TENANTS), dice.randint(1, ITEMS)


def number():
    """A number that no other call gives, in any instance."""
    number.last += 1
    return INSTANCE * 10_000_000 + number.last


number.last = 0


def run(steps, repeat, failure, connection):
    """Runs steps, drawn at random, until the time is over, each at least twice.

    repeat: for what error a transaction is to be repeated: its SQLSTATE, else None.
    failure: how an error is told. connection: called after each error.
    """
    global _slowest
    rounds = 0
    while rounds < 2 or time.monotonic() < END:
        dice.shuffle(steps)
        rounds += 1
        for step in steps:
            began = time.monotonic()
            try:
                outcome = step()
            except Exception as error:  # what it is decides the program
                state = repeat(error)
                if state is None:
                    tell(step.__name__, f"ERROR {failure(error)}")
                else:
                    _repeated[state] = _repeated.get(state, 0) + 1
                connection()
            else:
                if outcome is not None:
                    tell(step.__name__, outcome)
            took = time.monotonic() - began
            _times.append(took)
            _slowest = max(_slowest, (took, step.__name__))


def close():
    times = sorted(_times)
    print(f"= added {_added}", flush=True)
    print(
        f"{len(times)} steps, ms p50 {times[len(times) // 2] * 1000:.1f}"
        f" p99 {times[len(times) * 99 // 100] * 1000:.0f}"
        f" most {_slowest[0] * 1000:.0f} ({_slowest[1]}), repeated {_repeated or 'none'}",
        file=sys.stderr)

"""What the programs in Python have in common: what was seen, how long it took, what to do next."""

import itertools
import os
import random
import sys
import time

INSTANCE = int(os.environ["INSTANCE"])
END = time.monotonic() + float(os.environ["SECONDS"])
TENANTS = 12
ITEMS = 1000
dice = random.Random(INSTANCE)

seen = set()
times = []
repeated = {}
slowest = (0, "")
added_so_far = 0
_numbers = itertools.count(1)


def tell(name, outcome):
    """What a client has seen; each thing is printed once."""
    line = " ".join(f"{name}: {outcome}".split())
    if line not in seen:
        seen.add(line)
        print(line, flush=True)


def add(number=1):
    """So much was added to item.n, and committed."""
    global added_so_far
    added_so_far += number


def key():
    return dice.randint(1, TENANTS), dice.randint(1, ITEMS)


def number():
    """A number that no other call gives, in any instance."""
    return INSTANCE * 10_000_000 + next(_numbers)


def run(steps, repeat, failure, connection):
    """Runs steps, drawn at random, until the time is over, each at least twice.

    repeat: for what error a transaction is to be repeated: its SQLSTATE, else None.
    failure: how an error is told. connection: called after each error.
    """
    rounds = 0
    while rounds < 2 or time.monotonic() < END:
        dice.shuffle(steps)
        rounds += 1
        for step in steps:
            took(step, step, repeat, failure, connection)


def took(step, call, repeat, failure, connection):
    """Runs one step, and notes how that went."""
    global slowest
    began = time.monotonic()
    try:
        outcome = call()
    except Exception as error:  # what it is decides the program
        state = repeat(error)
        if state is None:
            tell(step.__name__, f"ERROR {failure(error)}")
        else:
            state += f" {step.__name__}"
            repeated[state] = repeated.get(state, 0) + 1
        connection()
    else:
        if outcome is not None:
            tell(step.__name__, outcome)
    seconds = time.monotonic() - began
    times.append(seconds)
    slowest = max(slowest, (seconds, step.__name__))


def close():
    ordered = sorted(times)
    print(f"= added {added_so_far}", flush=True)
    print(
        f"{len(ordered)} steps, ms p50 {ordered[len(ordered) // 2] * 1000:.1f}"
        f" p99 {ordered[len(ordered) * 99 // 100] * 1000:.0f}"
        f" most {slowest[0] * 1000:.0f} ({slowest[1]}), repeated {repeated or 'none'}",
        file=sys.stderr)

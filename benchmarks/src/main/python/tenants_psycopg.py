"""The load tenants-N of `./gauss bench routing` over psycopg 3, each connection with one node.

Run after `./gauss bench routing compare --loads tenants-61`, which makes and fills the tables:

    python3 -m venv venv && venv/bin/pip install 'psycopg[binary]'
    venv/bin/python tenants_psycopg.py --port 5432,5433,5434 --tenants 61 --accounts 6557

Prints transactions per second, and pages that came from other nodes for each transaction.
"""

import argparse
import itertools
import random
import threading
import time

import psycopg

COUNTS = "SELECT sum(transactions), sum(transfers) FROM gauss.routing WHERE routing = 'off'"


def connect(port, autocommit=False):
    return psycopg.connect(
        f"host=127.0.0.1 port={port} user=gauss dbname=gauss", autocommit=autocommit)


def transfer(connection, dice, options):
    tenant = dice.randrange(options.tenants)
    first, second = (dice.randrange(options.accounts) for _ in range(2))
    amount = dice.randrange(100)
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM tenant WHERE id = %s", (tenant,)).fetchall()
        cursor.execute(
            "SELECT balance FROM account WHERE tenant = %s AND id = %s", (tenant, first)).fetchall()
        for account, change in ((min(first, second), -amount), (max(first, second), amount)):
            cursor.execute(
                "UPDATE account SET balance = balance + %s WHERE tenant = %s AND id = %s",
                (change, tenant, account))
        entry = time.time_ns() // 1_000_000 << 20 | dice.randrange(1 << 20)
        cursor.execute(
            "INSERT INTO entry (tenant, id, account, amount) VALUES (%s, %s, %s, %s)",
            (tenant, entry, first, amount))
    connection.commit()


def run(port, seed, options, done, stop):
    dice = random.Random(seed)
    with connect(port) as connection:
        while not stop.is_set():
            try:
                transfer(connection, dice, options)
                done[seed] += 1
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                connection.rollback()


def counts(ports):
    total = [0, 0]
    for port in ports:
        with connect(port, autocommit=True) as connection:
            row = connection.execute(COUNTS).fetchone()
            total = [a + int(b) for a, b in zip(total, row)]
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", default="5432,5433,5434")
    parser.add_argument("--tenants", type=int, default=61)
    parser.add_argument("--accounts", type=int, required=True, help="of each tenant")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--settle", type=int, default=40, help="seconds before measuring")
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    ports = [int(port) for port in options.port.split(",")]
    done = [0] * options.clients
    stop = threading.Event()
    threads = [
        threading.Thread(target=run, args=(port, seed, options, done, stop))
        for seed, port in zip(range(options.clients), itertools.cycle(ports))
    ]
    for thread in threads:
        thread.start()
    time.sleep(options.settle)
    before, transactions = counts(ports), sum(done)
    time.sleep(options.seconds)
    after, transactions = counts(ports), sum(done) - transactions
    stop.set()
    for thread in threads:
        thread.join()
    transfers = (after[1] - before[1]) / max(1, after[0] - before[0])
    print(f"{transactions / options.seconds:.0f} transactions/s, {transfers:.3f} transfers each")


if __name__ == "__main__":
    main()

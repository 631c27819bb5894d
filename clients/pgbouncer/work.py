"""PgBouncer in transaction mode: twelve clients share three sessions of the server."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import psycopg
from psycopg import errors

import book
from book import key, number

CLIENTS = 12
ONE = "SELECT n FROM item WHERE tenant = %s AND id = %s"
ADD = "UPDATE item SET n = n + 1 WHERE tenant = %s AND id = %s"
lock = threading.Lock()


def start(directory):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    users = directory / "users"
    users.write_text(f'"{os.environ["PGUSER"]}" ""\n')
    configuration = directory / "pgbouncer.ini"
    configuration.write_text(
        "[databases]\n"
        f"shop = host={os.environ['PGHOST']} port={os.environ['PGPORT']}"
        f" dbname={os.environ['PGDATABASE']} user={os.environ['PGUSER']}\n"
        "[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = trust\nauth_file = {users}\npool_mode = transaction\n"
        "default_pool_size = 3\nmax_client_conn = 50\n"
        "ignore_startup_parameters = extra_float_digits\n"
        f"logfile = {directory}/log\npidfile = {directory}/pid\n")
    command = ["pgbouncer", str(configuration)]
    if os.geteuid() == 0:  # it refuses to run as root
        for path in (directory, users, configuration):
            shutil.chown(path, "nobody")
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    return port, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def block(session):
    where = key()
    with session.transaction():
        before = session.execute(ONE + " FOR UPDATE", where).fetchone()[0]
        session.execute(ADD, where)
        after = session.execute(ONE, where).fetchone()[0]
    add()
    return after - before


def at_once(session):
    session.autocommit = True
    row = session.execute(ADD + " RETURNING doc->'tags'->>0", key()).fetchone()
    session.autocommit = False
    add()
    return row


def local(session):
    with session.transaction():
        session.execute(ONE, key())
        before = session.execute("SHOW statement_timeout").fetchone()[0]
        session.execute("SET LOCAL statement_timeout = '41s'")
        inside = session.execute("SHOW statement_timeout").fetchone()[0]
    return before, inside


def temporary(session):
    with session.transaction():
        session.execute(ADD, key())
        session.execute("CREATE TEMP TABLE mine (id int) ON COMMIT DROP")
        session.execute("INSERT INTO mine VALUES (1), (2)")
        rows = session.execute("SELECT count(*) FROM mine").fetchone()
    add()
    return rows


def advisory(session):
    with session.transaction():
        session.execute("SELECT pg_advisory_xact_lock(%s)", (number(),))
        session.execute(ADD, key())
        held = session.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        count = held.fetchone()
    add()
    return count


def wrong(session):
    try:
        with session.transaction():
            session.execute(ADD, key())
            session.execute("SELECT 1 / 0")
    except errors.DivisionByZero as error:
        return str(error)


def cursor(session):
    with session.transaction(), session.cursor(name="c") as rows:
        rows.itersize = 100
        return sum(row[0] for row in rows.execute(
            "SELECT id FROM item WHERE tenant = %s", key()[:1]))


def name(session):
    with session.transaction():
        session.execute(ONE, key())
        return session.execute("SHOW application_name").fetchone()[0] == session.name


def add():
    with lock:
        book.add()


def state(error):
    repeats = (errors.SerializationFailure, errors.DeadlockDetected)
    return error.sqlstate if isinstance(error, repeats) else None


STEPS = [block, at_once, local, temporary, advisory, wrong, cursor, name]


def client(port, index):
    own = f"bounced {book.INSTANCE} {index}"
    session = Session.connect(
        host="127.0.0.1", port=port, dbname="shop", application_name=own, prepare_threshold=None)
    session.name = own
    rounds = 0
    while rounds < 2 or time.monotonic() < book.END:
        rounds += 1
        for step in book.dice.sample(STEPS, len(STEPS)):
            book.took(step, lambda step=step: step(session), state, repr, session.rollback)
            if session.closed:
                return
    session.close()


class Session(psycopg.Connection):
    name = ""


def main():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="bounced-"))
    directory.chmod(0o755)
    port, process = start(directory)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        threads = [
            threading.Thread(target=client, args=(port, index)) for index in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(directory)


main()
book.close()

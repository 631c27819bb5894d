"""psycopg2: simple queries only, with values in their texts."""

import io
import threading

import psycopg2
import psycopg2.extras
from psycopg2 import errors

import book
from book import key, number

ONE = "SELECT n FROM item WHERE tenant = %s AND id = %s"
ADD = "UPDATE item SET n = n + 1 WHERE tenant = %s AND id = %s"
REPEAT = (errors.SerializationFailure, errors.DeadlockDetected)


def connect():
    return psycopg2.connect("", application_name=f"psycopg2-{book.INSTANCE}")


session = connect()


def again():
    global session
    if session.closed:
        session = connect()
    else:
        session.rollback()
        session.autocommit = False


def state(error):
    return error.pgcode if isinstance(error, REPEAT) else None


def failure(error):
    if not isinstance(error, psycopg2.Error):
        return repr(error)
    diag = error.diag
    return " | ".join(
        str(part).split("Failing row")[0] for part in (
            error.pgcode, diag.message_primary or error, diag.message_detail, diag.message_hint,
            diag.constraint_name, diag.statement_position) if part)


def ask(statement, parameters=None):
    with session.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else cursor.rowcount


def block():
    where = key()
    n = ask(ONE + " FOR UPDATE", where)[0][0]
    done = ask(ADD, where)
    after = ask(ONE, where)[0][0]
    session.commit()
    book.add()
    return done, after - n


def at_once():
    session.autocommit = True
    row = ask(ADD + " RETURNING doc->'tags'->0, note", key())
    session.autocommit = False
    book.add()
    return row


def batch():
    where = [key() for _ in range(10)]
    with session, session.cursor() as cursor:
        psycopg2.extras.execute_batch(cursor, ADD, where)
    book.add(10)
    tenant, _ = key()
    first = number() * 1000
    with session, session.cursor() as cursor:
        rows = psycopg2.extras.execute_values(
            cursor, "INSERT INTO log (tenant, id, entry) VALUES %s RETURNING entry",
            [(tenant, first + i, psycopg2.extras.Json({"i": i})) for i in range(20)], fetch=True)
    return len(rows), rows[19]


def named():
    with session, session.cursor() as cursor:
        cursor.execute(ONE, key())
        with session.cursor(name="n", withhold=True) as held:
            held.itersize = 50
            held.execute("SELECT id FROM item WHERE tenant = %s ORDER BY id", key()[:1])
            first = held.fetchmany(3)
            session.commit()
            cursor.execute(ADD, key())
            session.commit()
            book.add()
            more = held.fetchmany(2)
    return first, more


def modes():
    session.set_session(isolation_level="REPEATABLE READ", readonly=True)
    try:
        ask(ONE, key())
        shown = ask("SHOW transaction_isolation"), ask("SHOW transaction_read_only")
        session.rollback()
    finally:
        session.rollback()
        session.set_session(isolation_level="DEFAULT", readonly="DEFAULT")
    return shown


def notices():
    del session.notices[:]
    with session:
        ask(ADD, key())
        ask("CREATE TEMP TABLE IF NOT EXISTS noticed (id int) ON COMMIT DROP")
        ask("CREATE TEMP TABLE IF NOT EXISTS noticed (id int) ON COMMIT DROP")
        ask("DROP TABLE IF EXISTS not_there")
    book.add()
    return list(session.notices)


def copy():
    tenant, _ = key()
    first = number() * 1000
    with session, session.cursor() as cursor:
        cursor.execute(ADD, key())
        cursor.copy_from(
            io.StringIO("".join(f'{tenant}\t{first + i}\t{{"i": {i}}}\n' for i in range(9))),
            "log", columns=("tenant", "id", "entry"))
        out = io.StringIO()
        cursor.copy_expert(
            f"COPY (SELECT entry FROM log WHERE tenant = {tenant} AND id BETWEEN {first}"
            f" AND {first + 3} ORDER BY id) TO STDOUT WITH CSV HEADER", out)
    book.add()
    return out.getvalue().splitlines()


def wrong():
    told = []
    for statement in ("SELECT 1 / 0", "SELECT doc->'a' + 1 FROM item",
                      "UPDATE item SET price = -1 WHERE tenant = 2 AND id = 2",
                      "INSERT INTO child VALUES (-1, -99, -1)"):
        ask(ONE, key())
        try:
            ask(statement)
        except psycopg2.Error as error:
            if state(error):
                raise
            told.append(failure(error))
        session.rollback()
    return told


def cancel():
    ask(ADD, key())
    timer = threading.Timer(0.1, session.cancel)
    timer.start()
    try:
        ask("SELECT pg_sleep(30)")
    except psycopg2.Error as error:
        told = failure(error)
    timer.join()
    session.rollback()
    return told


book.run([block, at_once, batch, named, modes, notices, copy, wrong, cancel], state, failure, again)
session.close()
book.close()

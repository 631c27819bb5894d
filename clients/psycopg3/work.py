"""psycopg 3: what a session keeps from transaction to transaction, wherever these run."""

import os
import socket
import threading
import time

import psycopg
from psycopg import errors, sql
from psycopg.types.json import Jsonb

import book
from book import key, number

ONE = "SELECT n FROM item WHERE tenant = %s AND id = %s"
ADD = "UPDATE item SET n = n + 1 WHERE tenant = %s AND id = %s"


def connect(**arguments):
    return psycopg.connect(
        application_name=f"psycopg3-{book.INSTANCE}", prepare_threshold=3, **arguments)


session = connect()


def again():
    """The connection for what comes next, after an error."""
    global session
    if session.closed or session.broken:
        session = connect()
    else:
        session.rollback()
        session.autocommit = False
        session.isolation_level = None
        session.read_only = None


def travelled():
    """A connection of its own whose transactions have gone to other nodes, if they do so."""
    connection = connect()
    for _ in range(4):
        with connection.transaction():
            connection.execute(ONE, key())
        time.sleep(0.02)
    return connection


def state(error):
    repeats = (errors.SerializationFailure, errors.DeadlockDetected)
    return error.sqlstate if isinstance(error, repeats) else None


def failure(error):
    if not isinstance(error, psycopg.Error):
        return repr(error)
    diag = error.diag
    return " | ".join(
        str(part).split("Failing row")[0] for part in (
            error.sqlstate, diag.message_primary or error, diag.message_detail, diag.message_hint,
            diag.constraint_name, diag.statement_position) if part)


def failing(statement, parameters=None, connection=None):
    """What an error tells, with the block failed and ended afterwards."""
    connection = connection or session
    try:
        connection.execute(statement, parameters)
    except psycopg.Error as error:
        told = failure(error)
        if state(error):
            raise
    else:
        return "no error"
    try:
        connection.execute("SELECT 1")
    except errors.InFailedSqlTransaction:
        told += " / 25P02"
    connection.rollback()
    return told


def autocommit():
    session.autocommit = True
    row = session.execute(ADD + " RETURNING id > 0, doc->'tags'->>0", key()).fetchone()
    book.add()
    found = session.execute("SELECT count(*) FROM item WHERE tenant = %s", key()[:1]).fetchone()
    session.autocommit = False
    return row, found


def block():
    where = key()
    with session.transaction():
        n = session.execute(ONE + " FOR UPDATE", where).fetchone()[0]
        done = session.execute(
            "UPDATE item SET n = n + 1, doc = jsonb_set(doc, '{psycopg3}', to_jsonb(n + 1)),"
            " changed = now() WHERE tenant = %s AND id = %s RETURNING n, doc->'psycopg3'", where)
        after, in_doc = done.fetchone()
    book.add()
    return done.rowcount, after - n, in_doc - n


def settings():
    names = ("application_name", "statement_timeout", "TimeZone", "search_path", "work_mem")

    def shown():
        session.execute(ONE, key())
        return [session.execute(f"SHOW {name}").fetchone()[0] for name in names]

    with session.transaction():
        shown()
        session.execute("SET statement_timeout = '61s'")
        session.execute("SET LOCAL TimeZone = 'Asia/Tokyo'")
        session.execute("SELECT set_config('work_mem', '5MB', false)")
        inside = shown()
    after = shown()
    session.commit()
    session.execute(ONE, key())
    session.execute("SET statement_timeout = '62s'")
    session.execute("SET search_path = tool, public")
    session.rollback()
    undone = shown()
    session.commit()
    session.autocommit = True
    session.execute("SET TimeZone = 'Europe/Paris'")
    outside = shown()
    session.execute("RESET ALL")
    reset = shown()
    session.autocommit = False
    return [[value.replace(f"-{book.INSTANCE}", "-N") for value in values]
            for values in (inside, after, undone, outside, reset)]


def prepared_by_statement():
    connection = travelled()
    connection.autocommit = True
    connection.execute(
        "PREPARE one (int, int) AS SELECT name, doc->'tags' FROM item WHERE tenant = $1 AND id = $2")
    tenant, _ = key()
    rows = []
    for _ in range(3):
        tenant, _ = key()
        rows.append(connection.execute(f"EXECUTE one ({tenant}, 7)").fetchone())
    with connection.transaction():
        connection.execute(ONE, key())
        connection.execute(
            "PREPARE two (int, int) AS SELECT price FROM item WHERE tenant = $1 AND id = $2")
        rows.append(connection.execute(f"EXECUTE two ({tenant}, 9)").fetchone())
    rows.append(connection.execute(f"EXECUTE two ({tenant}, 8)").fetchone())
    names = connection.execute(
        "SELECT name, from_sql, parameter_types::text FROM pg_prepared_statements"
        " WHERE from_sql ORDER BY name").fetchall()
    with connection.transaction():
        connection.execute(ONE, key())
        connection.execute("DEALLOCATE one")
    told = failing(f"EXECUTE one ({tenant}, 1)", connection=connection)
    connection.close()
    return rows, names, told


def sequences():
    with session.transaction():
        session.execute(ONE, key())
        value = session.execute("SELECT nextval('item_seq')").fetchone()[0]
    tenant, item = key()
    row = session.execute(
        "SELECT currval('item_seq'), lastval(), n >= 0 FROM item WHERE tenant = %s AND id = %s",
        (tenant, item)).fetchone()
    session.commit()
    return row == (value, value, True)


def temporary_for_a_transaction():
    connection = travelled()
    with connection.transaction():
        connection.execute(ONE, key())
        connection.execute("CREATE TEMP TABLE mine (id int, doc jsonb) ON COMMIT DROP")
        connection.execute("INSERT INTO mine SELECT id, doc FROM item WHERE tenant = 3 AND id < 4")
        there = connection.execute("SELECT count(*), max(doc->>'pad') = repeat('x', 400) FROM mine")
        rows = there.fetchone()
    with connection.transaction():
        connection.execute(ONE, key())
        gone = connection.execute("SELECT to_regclass('mine')").fetchone()
    connection.close()
    return rows, gone


def temporary():
    connection = travelled()
    with connection.transaction():
        connection.execute(ONE, key())
        connection.execute("CREATE TEMP TABLE own (id int PRIMARY KEY, note text)")
    for i in range(4):
        with connection.transaction():
            connection.execute(ADD, key())
            connection.execute("INSERT INTO own VALUES (%s, 'row')", (i,))
        book.add()
    rows = connection.execute("SELECT count(*), sum(id) FROM own").fetchone()
    connection.execute("DROP TABLE own")
    connection.commit()
    with connection.transaction():
        connection.execute(ONE, key())
        gone = connection.execute("SELECT to_regclass('own')").fetchone()
    connection.close()
    return rows, gone


def cursors():
    with session.transaction():
        session.execute(ONE, key())
        with session.cursor(name="items") as cursor:
            cursor.itersize = 100
            cursor.execute("SELECT id, doc->'tags'->1 FROM item WHERE tenant = %s ORDER BY id",
                           key()[:1])
            rows = sum(1 for row in cursor if row[0] == row[1])
        session.execute("DECLARE c CURSOR FOR SELECT id FROM item WHERE tenant = 4 ORDER BY id")
        some = [session.execute("FETCH 3 FROM c").fetchall() for _ in range(2)]
        session.execute("SAVEPOINT s")
        session.execute("FETCH 1 FROM c")
        session.execute("ROLLBACK TO s")
        some.append(session.execute("FETCH c").fetchall())
        named = session.execute("SELECT name, is_holdable FROM pg_cursors ORDER BY 1").fetchall()
        session.execute("CLOSE c")
    return rows, some, named


def held_cursor():
    connection = travelled()
    with connection.transaction():
        connection.execute(ONE, key())
        connection.execute(
            "DECLARE h CURSOR WITH HOLD FOR SELECT id FROM item WHERE tenant = 5 ORDER BY id DESC")
        rows = [connection.execute("FETCH 2 FROM h").fetchall()]
    for _ in range(3):
        with connection.transaction():
            connection.execute(ADD, key())
            rows.append(connection.execute("FETCH 1 FROM h").fetchall())
        book.add()
    connection.execute("CLOSE h")
    connection.commit()
    told = failing("FETCH h", connection=connection)
    connection.close()
    return rows, told


def savepoints():
    where = key()
    with session.transaction():
        session.execute(ADD, where)
        try:
            with session.transaction():
                session.execute(ADD, where)
                session.execute("INSERT INTO item (tenant, id, name, doc) VALUES (1, 1, '', '{}')")
        except errors.UniqueViolation as error:
            told = failure(error)
        n = session.execute(ONE, where).fetchone()
        with session.transaction():
            session.execute(ADD, where)
        after = session.execute(ONE, where).fetchone()
    book.add(2)
    return after[0] - n[0], told


def advisory_of_a_transaction():
    lock = number()
    with connect(autocommit=True) as other:
        with session.transaction():
            session.execute(ADD, key())
            session.execute("SELECT pg_advisory_xact_lock(%s)", (lock,))
            meanwhile = other.execute("SELECT pg_try_advisory_lock(%s)", (lock,)).fetchone()
        book.add()
        after = other.execute("SELECT pg_try_advisory_lock(%s)", (lock,)).fetchone()
    return meanwhile, after


def advisory_of_a_session():
    lock = number()
    connection = travelled()
    told = []
    connection.add_notice_handler(lambda notice: told.append(notice.message_primary))
    with connect(autocommit=True) as other:
        with connection.transaction():
            connection.execute(ONE, key())
            connection.execute("SELECT pg_advisory_lock(%s, 1)", (lock,))
        for _ in range(3):
            with connection.transaction():
                connection.execute(ADD, key())
            book.add()
        seen = connection.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND granted"
            " AND pid = pg_backend_pid()", (lock,)).fetchone()
        meanwhile = other.execute("SELECT pg_try_advisory_lock(%s, 1)", (lock,)).fetchone()
        unlocked = [
            connection.execute("SELECT pg_advisory_unlock(%s, 1)", (lock,)).fetchone()[0]
            for _ in range(2)]
        connection.commit()
        after = other.execute("SELECT pg_try_advisory_lock(%s, 1)", (lock,)).fetchone()
    connection.close()
    return seen, meanwhile, unlocked, after, told


def who():
    """The session as itself and another one see it."""
    own_port = session.pgconn.socket
    with session.transaction():
        session.execute(ADD, key())
        pid, port, address = session.execute(
            "SELECT pg_backend_pid(), client_port, split_part(client_addr::text, '/', 1)"
            " FROM pg_stat_activity"
            " WHERE pid = pg_backend_pid()").fetchone()
        with connect(autocommit=True) as other:
            other_row = other.execute(
                "SELECT application_name, split_part(client_addr::text, '/', 1), state, wait_event_type, usename,"
                " backend_type, xact_start <= clock_timestamp(), left(query, 30)"
                " FROM pg_stat_activity WHERE pid = %s", (session.info.backend_pid,)).fetchall()
    book.add()
    with socket.socket(fileno=os.dup(own_port)) as mine:
        same_port = mine.getsockname()[1] == port
    return (pid == session.info.backend_pid, same_port, address,
            str(other_row).replace(f"psycopg3-{book.INSTANCE}", "psycopg3-N"))


def wrong():
    """Errors of transactions that have begun with a key."""
    told = []
    for statement in (
            "INSERT INTO item (tenant, id, name, doc) VALUES (2, 2, '', '{}')",
            "UPDATE item SET price = -1 WHERE tenant = 2 AND id = 2",
            "UPDATE item SET name = NULL WHERE tenant = 2 AND id = 2",
            "SELECT doc->'n' + 1 FROM item WHERE tenant = 2 AND id = 2",
            "SELECT '{\"a\": }'::jsonb",
            "SELECT 1 / (n - n) FROM item WHERE tenant = 2 AND id = 2",
            "SELECT nothing FROM item",
            "SELECT * FROM nowhere",
            "INSERT INTO child VALUES (1, 99)",
            "SELECT (doc->>'pad')::int FROM item WHERE tenant = 2 AND id = 2"):
        session.execute(ONE, key())
        told.append(failing(statement))
    return told


def wrong_at_once():
    """The same as first statements."""
    tenant, item = key()
    return [
        failing(f"UPDATE item SET price = -1 WHERE tenant = {tenant} AND id = 5"),
        failing("SELECT 1 / (n - n) FROM item WHERE tenant = %s AND id = %s", (tenant, item)),
        failing("INSERT INTO item (tenant, id, name, doc) VALUES (%s, 5, '', '{}')", (tenant,))
        .replace(f"({tenant},", "(T,")]


def copy():
    tenant, _ = key()
    first = number()
    with session.transaction():
        session.execute(ADD, key())
        with session.cursor().copy("COPY log (tenant, id, entry) FROM STDIN") as copy_in:
            for i in range(20):
                copy_in.write_row((tenant, first * 100 + i, Jsonb({"i": i, "text": "a\tb\\\n"})))
        with session.cursor().copy(
                sql.SQL("COPY (SELECT entry FROM log WHERE tenant = {} AND id >= {} AND id < {}"
                        " ORDER BY id) TO STDOUT").format(tenant, first * 100, first * 100 + 3)
        ) as copy_out:
            rows = [bytes(data) for data in copy_out]
    book.add()
    return rows


def timeouts():
    told = []
    session.execute(ONE, key())
    session.execute("SET LOCAL statement_timeout = '50ms'")
    told.append(failing("SELECT pg_sleep(10)"))
    with connect() as other:
        where = (book.INSTANCE, number() % 1000 + 1)
        other.execute("SELECT pg_advisory_xact_lock(%s)", (where[0] + 77_000_000,))
        session.execute(ONE, key())
        session.execute("SET LOCAL lock_timeout = '50ms'")
        told.append(failing("SELECT pg_advisory_xact_lock(%s)", (where[0] + 77_000_000,)))
        other.rollback()
    told.append(session.execute("SHOW statement_timeout").fetchone())
    session.commit()
    return told


def cancel():
    session.execute(ADD, key())
    timer = threading.Timer(0.1, session.cancel_safe)
    timer.start()
    told = failing("SELECT pg_sleep(30)")
    timer.join()
    return told


def deferred():
    first = number()
    with session.transaction():
        session.execute(ADD, key())
        session.execute("SET CONSTRAINTS ALL DEFERRED")
        session.execute("INSERT INTO child VALUES (%s, %s, %s)", (first, first, first))
        session.execute("INSERT INTO parent VALUES (%s)", (first,))
    book.add()
    told = []
    session.execute(ADD, key())
    session.execute("SET CONSTRAINTS child_parent_fkey DEFERRED")
    session.execute("INSERT INTO child VALUES (%s, -1, %s)", (number(), number()))
    try:
        session.commit()
    except errors.ForeignKeyViolation as error:
        told.append(failure(error))
    session.execute(ADD, key())
    session.execute("SET CONSTRAINTS child_place_key DEFERRED")
    session.execute("INSERT INTO child VALUES (%s, %s, %s)", (number(), first, first))
    try:
        session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except errors.UniqueViolation as error:
        told.append(failure(error).replace(str(first), "N"))
    session.rollback()
    with session.transaction():
        session.execute(ONE, key())
        session.execute("SET CONSTRAINTS child_place_key DEFERRED")
        session.execute("UPDATE child SET place = -place WHERE id = %s", (first,))
        session.execute("UPDATE child SET place = -place WHERE id = %s", (first,))
    return told


def pipeline():
    where = key()
    with session.pipeline(), session.transaction():
        before = session.execute(ONE, where)
        for _ in range(3):
            session.execute(ADD, where)
        after = session.execute(ONE, where)
    book.add(3)
    more = after.fetchone()[0] - before.fetchone()[0]
    try:
        with session.pipeline(), session.transaction():
            session.execute(ADD, where)
            session.execute("SELECT 1 / 0")
            session.execute(ADD, where)
    except psycopg.Error as error:
        if state(error):
            raise
        return more, failure(error), session.info.transaction_status.name


def binary():
    with session.transaction(), session.cursor(binary=True) as cursor:
        tenant, _ = key()
        return cursor.execute(
            "SELECT id, name, doc->'tags', note, price, id::float8, ARRAY[id, 2], '\\x01ff'::bytea,"
            " date '2024-02-29', interval '1 mon 2 days' FROM item WHERE tenant = %s AND id = 12",
            (tenant,)).fetchone()


def modes():
    session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    session.read_only = True
    where = key()
    with session.transaction():
        before = session.execute(ONE, where).fetchone()
        shown = [session.execute(f"SHOW {name}").fetchone()[0]
                 for name in ("transaction_isolation", "transaction_read_only")]
        with connect(autocommit=True) as other:
            other.execute(ADD, where)
        book.add()
        after = session.execute(ONE, where).fetchone()
    told = failing(ADD, where)
    session.isolation_level = None
    session.read_only = None
    return shown, after == before, told


def definitions():
    name = f"made_{number()}"
    session.execute(ADD, key())
    session.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, doc jsonb)")
    session.execute(f"INSERT INTO {name} SELECT id, doc FROM item WHERE tenant = 6 AND id <= 5")
    rows = session.execute(f"SELECT count(*) FROM {name}").fetchone()
    session.rollback()
    with session.transaction():
        session.execute(ONE, key())
        gone = session.execute("SELECT to_regclass(%s)", (name,)).fetchone()
    return rows, gone


def roles():
    connection = travelled()
    connection.autocommit = True
    connection.execute("SET ROLE client_reader")
    with connection.transaction():
        read = connection.execute("SELECT count(*) FROM item WHERE tenant = %s", key()[:1])
        as_whom = connection.execute("SELECT current_user, current_setting('role')").fetchone()
    told = failing(ADD, key(), connection)
    connection.execute("RESET ROLE")
    with connection.transaction():
        connection.execute(ADD, key())
        connection.execute("SET LOCAL ROLE client_reader")
        connection.execute(ONE, key())
        local = connection.execute("SELECT current_user").fetchone()
    book.add()
    after = connection.execute("SELECT current_user = session_user").fetchone()
    connection.close()
    return read.fetchone(), as_whom, told, local, after


def several_statements():
    tenant, item = key()
    session.autocommit = True
    cursor = session.execute(
        f"SELECT count(*) FROM item WHERE tenant = {tenant};"
        f" UPDATE item SET n = n + 1 WHERE tenant = {tenant} AND id = {item} RETURNING id > 0")
    results = [cursor.fetchall()]
    while cursor.nextset():
        results.append(cursor.fetchall())
    book.add()
    session.autocommit = False
    return results


def chained():
    connection = travelled()
    connection.autocommit = True
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    connection.execute(ADD, key())
    connection.execute("COMMIT AND CHAIN")
    book.add()
    level = connection.execute("SHOW transaction_isolation").fetchone()
    connection.execute(ADD, key())
    connection.execute("ROLLBACK AND CHAIN")
    connection.execute(ONE, key())
    status = connection.info.transaction_status.name
    connection.execute("COMMIT")
    connection.close()
    return level, status


def clock():
    """Time does not go backwards from one transaction to the next."""
    with session.transaction():
        session.execute(ADD, key())
        first = session.execute("SELECT now(), clock_timestamp()").fetchone()
        second = session.execute("SELECT now()").fetchone()
    book.add()
    with session.transaction():
        session.execute(ONE, key())
        third = session.execute("SELECT now()").fetchone()
    return first[0] == second[0], first[1] <= third[0]


def json():
    tenant, _ = key()
    with session.transaction():
        return session.execute(
            "SELECT jsonb_agg(doc->'tags' ORDER BY id), count(*) FILTER (WHERE doc ? 'pad'),"
            " bool_and(doc @> jsonb_build_object('tags', jsonb_build_array(id))),"
            " min(note->>'b'), json_agg(note)::text, jsonb_object_agg(id, price)"
            " FROM item WHERE tenant = %s AND id BETWEEN 3 AND 5", (tenant,)).fetchone()


def large():
    """An answer that does not fit into what is held back."""
    tenant, _ = key()
    with session.transaction():
        rows = session.execute(
            "SELECT id, name, doc->'pad', note FROM item WHERE tenant = %s ORDER BY id",
            (tenant,)).fetchall()
    return len(rows), sum(row[0] for row in rows), sum(len(row[2]) for row in rows)


def large_parameter():
    tenant, _ = key()
    entry = number()
    text = "ä€" * 60_000
    with session.transaction():
        session.execute(
            "INSERT INTO log (tenant, id, entry) VALUES (%s, %s, %s)",
            (tenant, entry * 100 + 99, Jsonb({"text": text})))
    row = session.execute("SELECT entry FROM log WHERE tenant = %s AND id = %s",
                          (tenant, entry * 100 + 99)).fetchone()
    session.commit()
    return row[0] == {"text": text}


def jobs(take):
    """Jobs that are done once each, whoever takes them: `done` has a primary key."""
    tenant, _ = key()
    with session.transaction(), session.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO job (tenant, payload) VALUES (%s, %s)",
            [(tenant, Jsonb({"n": i})) for i in range(3)])
    with session.transaction():
        taken = session.execute(take).fetchall()
        with session.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO done VALUES (%s, %s)", [(job, book.INSTANCE) for (job,) in taken])
            cursor.executemany("DELETE FROM job WHERE id = %s", taken)
    return "done"


def queue():
    return jobs("SELECT id FROM job ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED")


def queue_with():
    return jobs(
        "WITH taken AS (SELECT id FROM job ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED)"
        " DELETE FROM job USING taken WHERE job.id = taken.id RETURNING job.id")


def queue_in():
    return jobs(
        "DELETE FROM job WHERE id IN (SELECT id FROM job ORDER BY id LIMIT 3"
        " FOR UPDATE SKIP LOCKED) RETURNING id")


def upsert():
    where = key()
    with session.transaction():
        row = session.execute(
            "INSERT INTO item (tenant, id, name, doc) VALUES (%s, %s, 'new', '{}')"
            " ON CONFLICT (tenant, id) DO UPDATE SET n = item.n + 1 RETURNING name <> 'new'",
            where).fetchone()
    book.add()
    return row


book.run(
    [autocommit, block, settings, prepared_by_statement, sequences, temporary_for_a_transaction,
     temporary, cursors, held_cursor, savepoints, advisory_of_a_transaction,
     advisory_of_a_session, who, wrong, wrong_at_once, copy, timeouts, cancel, deferred, pipeline,
     binary, modes, definitions, roles, several_statements, chained, clock, json, large,
     large_parameter, queue, queue_with, queue_in, upsert],
    state, failure, again)
session.close()
book.close()

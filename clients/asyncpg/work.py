"""asyncpg: a pool, whose connections are reset each time, binary values, prepared statements."""

import asyncio
import datetime
import decimal
import json

import asyncpg

import book
from book import key, number

ONE = "SELECT n FROM item WHERE tenant = $1 AND id = $2"
ADD = "UPDATE item SET n = n + 1 WHERE tenant = $1 AND id = $2"
MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456, datetime.timezone.utc)
REPEAT = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)


def failure(error):
    if not isinstance(error, asyncpg.PostgresError):
        return repr(error)
    parts = (error.sqlstate, error.args[0], error.detail, error.hint, error.constraint_name,
             error.position)
    return " | ".join(str(part).split("Failing row")[0] for part in parts if part)


async def failing(connection, statement, *arguments):
    transaction = connection.transaction()
    await transaction.start()
    try:
        await connection.fetchval(ONE, *key())
        await connection.fetch(statement, *arguments)
        return "no error"
    except REPEAT:
        raise
    except asyncpg.PostgresError as error:
        return failure(error)
    finally:
        await transaction.rollback()


async def block(connection):
    where = key()
    async with connection.transaction():
        row = await connection.fetchrow(
            "SELECT n, doc, note, price FROM item WHERE tenant = $1 AND id = $2 FOR UPDATE", *where)
        status = await connection.execute(ADD, *where)
        n = await connection.fetchval(ONE, *where)
    book.add()
    return status, n - row["n"], type(row["doc"]).__name__, row["doc"]["tags"][0], row["note"]


async def at_once(connection):
    row = await connection.fetchrow(ADD + " RETURNING doc->'tags'->0, id > 0", *key())
    book.add()
    return tuple(row)


async def many(connection):
    where = [key() for _ in range(5)]
    await connection.executemany(ADD, where)
    book.add(5)
    return "done"


async def prepared(connection):
    statement = await connection.prepare(
        "SELECT name, doc->'tags'->>0 AS tag, price FROM item WHERE tenant = $1 AND id = $2")
    types = [(a.name, a.type.name) for a in statement.get_attributes()]
    rows = []
    for _ in range(3):
        async with connection.transaction():
            rows.append(tuple(await statement.fetchrow(key()[0], 17)))
    return types, sorted(set(rows))


async def cursor(connection):
    async with connection.transaction():
        await connection.fetchval(ONE, *key())
        total = 0
        async for row in connection.cursor(
                "SELECT id FROM item WHERE tenant = $1 ORDER BY id", key()[0], prefetch=150):
            total += row["id"]
        scrolled = await connection.cursor("SELECT id FROM item WHERE tenant = 2 ORDER BY id")
        first = await scrolled.fetch(2)
        await scrolled.forward(3)
        then = await scrolled.fetchrow()
    return total, [tuple(row) for row in first], tuple(then)


async def savepoints(connection):
    where = key()
    async with connection.transaction():
        await connection.execute(ADD, *where)
        try:
            async with connection.transaction():
                await connection.execute(ADD, *where)
                await connection.execute("INSERT INTO item (tenant, id) VALUES (1, 1)")
        except asyncpg.NotNullViolationError as error:
            told = error.args[0]
        async with connection.transaction():
            await connection.execute(ADD, *where)
    book.add(2)
    return told


async def settings(connection):
    async with connection.transaction():
        await connection.fetchval(ONE, *key())
        await connection.execute("SET TimeZone = 'Asia/Tokyo'; SET LOCAL statement_timeout = '33s'")
        inside = await connection.fetchval("SHOW statement_timeout")
    async with connection.transaction():
        await connection.fetchval(ONE, *key())
        zone = await connection.fetchval("SHOW TimeZone")
    # The pool resets the connection: the next one that gets it has the defaults.
    return inside, zone, await connection.fetchval("SHOW statement_timeout")


async def defaults(connection):
    return (await connection.fetchval("SHOW statement_timeout"),
            await connection.fetchval("SHOW TimeZone") != "Asia/Tokyo",
            await connection.fetchval(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                " AND pid = pg_backend_pid()"))


async def left_behind(connection):
    """Session locks that the pool's reset gives back."""
    async with connection.transaction():
        await connection.fetchval(ONE, *key())
        await connection.fetchval("SELECT pg_advisory_lock($1)", number())
    return await connection.fetchval(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")


async def copy(connection):
    tenant, _ = key()
    first = number() * 1000
    async with connection.transaction():
        await connection.execute(ADD, *key())
        status = await connection.copy_records_to_table(
            "log", records=[(tenant, first + i, {"i": i}) for i in range(30)],
            columns=["tenant", "id", "entry"])
    book.add()
    rows = await connection.fetch(
        "SELECT entry FROM log WHERE tenant = $1 AND id BETWEEN $2 AND $3 ORDER BY id", tenant,
        first, first + 2)
    return status, [row["entry"] for row in rows]


async def values(connection):
    async with connection.transaction():
        await connection.fetchval(ONE, *key())
        return tuple(await connection.fetchrow(
            "SELECT $1::jsonb, $2::json, $3::int[], $4::numeric, $5::timestamptz, $6::interval,"
            " $7::jsonb[], $8::uuid, $9::bytea, $10::text[]",
            {"a": [1, "ä", None]}, [1], [1, None], decimal.Decimal("12.340"), MOMENT,
            datetime.timedelta(days=3, seconds=7), [{"b": 1}, "s"],
            "00000000-0000-0000-0000-00000000000a", b"\x00\xff", ["x", 'y"']))


async def errors(connection):
    return [
        await failing(connection, "SELECT 1 / 0"),
        await failing(connection, "UPDATE item SET price = -1 WHERE tenant = 2 AND id = 2"),
        await failing(connection, "SELECT $1::jsonb->'a'->>'b' || 1 + 2", {}),
        await failing(connection, "SELECT nothing FROM item"),
        await failing(connection, "INSERT INTO parent VALUES ($1), ($1)", number() * 0 - 5)]


async def timeout(connection):
    try:
        async with connection.transaction():
            await connection.fetchval(ONE, *key())
            await connection.fetchval("SELECT pg_sleep(30)", timeout=0.1)
    except asyncio.TimeoutError:
        pass
    return await connection.fetchval("SELECT 1")


async def queue(connection):
    tenant, _ = key()
    await connection.execute(
        "INSERT INTO job (tenant, payload) SELECT $1, jsonb_build_object('n', i)"
        " FROM generate_series(1, 3) i", tenant)
    async with connection.transaction():
        taken = await connection.fetch(
            "SELECT id, payload FROM job ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED")
        await connection.executemany(
            "INSERT INTO done VALUES ($1, $2)", [(row["id"], book.INSTANCE) for row in taken])
        await connection.execute("DELETE FROM job WHERE id = ANY ($1)", [r["id"] for r in taken])
    return "done"


STEPS = [block, at_once, many, prepared, cursor, savepoints, settings, defaults, left_behind, copy,
         values, errors, timeout, queue]


def state(error):
    return error.sqlstate if isinstance(error, REPEAT) else None


async def main():
    async def made(connection):
        await connection.set_type_codec(
            "json", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
        await connection.set_type_codec(
            "jsonb", encoder=lambda value: b"\1" + json.dumps(value).encode(),
            decoder=lambda data: json.loads(data[1:]), schema="pg_catalog", format="binary")

    async with asyncpg.create_pool(min_size=1, max_size=3, init=made) as pool:
        loop = asyncio.get_running_loop()

        async def acquired(step):
            async with pool.acquire() as connection:
                return await step(connection)

        def as_step(step):
            def run():
                return asyncio.run_coroutine_threadsafe(acquired(step), loop).result(60)
            run.__name__ = step.__name__
            return run

        steps = [as_step(step) for step in STEPS]
        await asyncio.to_thread(book.run, steps, state, failure, lambda: None)


asyncio.run(main())
book.close()

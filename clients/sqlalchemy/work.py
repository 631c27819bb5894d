"""SQLAlchemy: the object-relational mapper over three drivers, tables made by Alembic."""

import asyncio
import decimal

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import orm
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

import book
from book import key, number
from models import Base, Customer, Item, Purchase

engines = [
    sa.create_engine(f"postgresql+{driver}://", pool_size=2, pool_pre_ping=True)
    for driver in ("psycopg", "psycopg2")]


def engine():
    return book.dice.choice(engines)


def state(error):
    cause = getattr(error, "orig", None)
    found = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    return found if found in ("40001", "40P01") else None


def failure(error):
    cause = getattr(error, "orig", None)
    if cause is None:
        return repr(error)[:300]
    found = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    return f"{type(error).__name__} {found} {cause.diag.message_primary}"


def unit_of_work():
    with orm.Session(engine()) as session:
        item = session.get(Item, key(), with_for_update=True)
        item.n += 1
        item.doc["seen"] = {"deep": [1, "two"]}
        session.commit()
        book.add()
        again = (item.doc["seen"], item.note["a"], item.doc["tags"][0])
        session.rollback()
        return again


def counted():
    with orm.Session(engine()) as session, session.begin():
        done = session.execute(
            sa.update(Item).where(Item.tenant == key()[0], Item.id == key()[1])
            .values(n=Item.n + 1, doc=sa.func.jsonb_set(Item.doc, sa.text("'{x}'"), sa.text("'1'")))
            .returning(Item.doc["x"]))
        rows = [tuple(row) for row in done]
    book.add()
    return rows


def queries():
    with orm.Session(engine()) as session:
        tenant, _ = key()
        mine = sa.select(Item).where(Item.tenant == tenant)
        found = session.scalars(
            mine.where(Item.doc["tags"][1].as_integer() < 4, Item.doc.has_key("pad"))
            .order_by(Item.id)).all()
        contained = session.scalar(
            sa.select(sa.func.count()).where(
                Item.tenant == tenant, Item.doc.contains({"tags": [7]})))
        text = session.scalar(
            sa.select(Item.doc[("tags", "0")].astext).where(Item.tenant == tenant, Item.id == 3))
        total = session.execute(
            sa.select(sa.func.count(), sa.func.max(Item.price), sa.func.jsonb_agg(Item.id))
            .where(Item.tenant == tenant, Item.id.in_([1, 2, 3]))).one()
        return [item.id for item in found], contained, text, tuple(total)


def customers():
    name = f"c{number()}"
    with orm.Session(engine()) as session, session.begin():
        session.get(Item, key())
        session.add(Customer(
            name=name, email=name, profile={"tags": ["a"], "age": 30},
            purchases=[Purchase(amount=decimal.Decimal("1.50"), lines=[{"sku": 1}]),
                       Purchase(amount=2)]))
    with orm.Session(engine()) as session, session.begin():
        found = session.scalars(
            sa.select(Customer).options(orm.selectinload(Customer.purchases))
            .where(Customer.name == name)).one()
        shape = [(str(p.amount), p.lines) for p in found.purchases]
        found.profile["age"] += 1
        del found.purchases[1]
    with orm.Session(engine()) as session, session.begin():
        joined = session.execute(
            sa.select(Customer.profile["age"].as_integer(), sa.func.count(Purchase.id))
            .join(Customer.purchases, isouter=True).where(Customer.name == name)
            .group_by(Customer.id)).one()
        session.delete(session.scalars(sa.select(Customer).where(Customer.name == name)).one())
    return shape, tuple(joined)


def duplicate():
    name = f"d{number()}"
    with orm.Session(engine()) as session:
        session.get(Item, key())
        session.add(Customer(name=name, email=name))
        session.flush()
        told = []
        try:
            with session.begin_nested():
                session.add(Customer(name=name, email=name))
                session.flush()
        except sa.exc.IntegrityError as error:
            told.append(failure(error))
        count = session.scalar(
            sa.select(sa.func.count()).select_from(Customer).where(Customer.name == name))
        session.rollback()
        session.add(Purchase(customer=-1, amount=1))
        session.flush()
        try:
            session.commit()
        except sa.exc.IntegrityError as error:
            told.append(failure(error))
    return told, count


def upsert():
    tenant, item = key()
    with engine().begin() as connection:
        row = connection.execute(
            insert(Item).values(tenant=tenant, id=item, name="new", doc={}, n=0)
            .on_conflict_do_update(index_elements=["tenant", "id"], set_={"n": Item.n + 1})
            .returning(Item.name != "new")).one()
    book.add()
    return tuple(row)


def streamed():
    with engine().connect().execution_options(stream_results=True, max_row_buffer=100) as connection:
        tenant, _ = key()
        return sum(
            row.id for row in connection.execute(
                sa.select(Item.id, Item.doc).where(Item.tenant == tenant)))


def locked():
    with orm.Session(engine()) as session, session.begin():
        tenant, _ = key()
        rows = session.scalars(
            sa.select(Item).where(Item.tenant == tenant, Item.id > 990).order_by(Item.id)
            .limit(1).with_for_update(skip_locked=True)).all()
        for item in rows:
            item.n += 1
        count = len(rows)
    book.add(count)
    return "taken" if count <= 1 else count


def isolated():
    with engine().connect().execution_options(isolation_level="REPEATABLE READ") as connection:
        connection.execute(sa.select(Item.n).where(Item.tenant == key()[0], Item.id == 1)).one()
        return connection.execute(sa.text("SHOW transaction_isolation")).scalar()


def autocommit():
    with engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(
            sa.text("UPDATE item SET n = n + 1 WHERE tenant = :t AND id = :i"),
            dict(zip("ti", key())))
        book.add()
        return "done"


def inspected():
    names = sa.inspect(engine())
    keys = names.get_foreign_keys("purchase", schema="tool")
    return (
        [(c["name"], str(c["type"]), c["nullable"]) for c in names.get_columns("customer", "tool")],
        keys[0]["options"], names.get_unique_constraints("customer", "tool")[0]["column_names"],
        [i["name"] for i in names.get_indexes("purchase", "tool") if "_of_" in i["name"]],
        names.get_check_constraints("purchase", "tool")[0]["name"],
        names.get_table_comment("purchase", "tool"))


def drift():
    """What Alembic would change, so that tables and models agree."""
    context = MigrationContext.configure(opts={
        "include_schemas": True, "compare_type": True, "compare_server_default": True,
        "version_table_schema": "tool",
        "include_name": lambda name, kind, parents: kind != "schema" or name == "tool"},
        connection=engine().connect())
    with context.connection:
        return [(change[0], change[1].name) for change in compare_metadata(context, Base.metadata)]


def asynchronous():
    async def run():
        own = create_async_engine("postgresql+asyncpg://", pool_size=1)
        async with AsyncSession(own) as session:
            for _ in range(4):
                item = await session.get(Item, key(), with_for_update=True)
                item.n += 1
                item.doc["async"] = [1, None]
                await session.commit()
                book.add()
            count = await session.scalar(
                sa.select(sa.func.count()).where(
                    Item.tenant == key()[0], Item.doc["tags"][0].astext == "a"))
        await own.dispose()
        return count
    return asyncio.run(run())


book.run(
    [unit_of_work, counted, queries, customers, duplicate, upsert, streamed, locked, isolated,
     autocommit, inspected, drift, asynchronous], state, failure, lambda: None)
book.close()

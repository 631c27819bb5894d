"""Alembic: up, down and up again."""

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

engine = sa.create_engine("postgresql+psycopg://")
config = Config()
config.set_main_option("script_location", "migrations")
for step, target in ((command.upgrade, "001"), (command.upgrade, "head"),
                     (command.downgrade, "base"), (command.upgrade, "head")):
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        step(config, target)

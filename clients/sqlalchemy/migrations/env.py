from alembic import context

import models

connection = context.config.attributes["connection"]
context.configure(
    connection=connection, target_metadata=models.Base.metadata, version_table_schema="tool",
    include_schemas=True, compare_type=True, compare_server_default=True,
    include_name=lambda name, kind, parents: kind != "schema" or name == "tool",
    transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "002"
down_revision = "001"


def upgrade():
    op.add_column("customer", sa.Column("email", sa.String(80)), schema="tool")
    op.execute("UPDATE tool.customer SET email = name || '@example.org'")
    op.create_unique_constraint("customer_email", "customer", ["email"], schema="tool")
    op.alter_column("purchase", "lines", type_=postgresql.JSON, schema="tool")
    op.alter_column("purchase", "amount", type_=sa.Numeric(12, 2), schema="tool")
    op.create_check_constraint("purchase_amount", "purchase", "amount >= 0", schema="tool")
    op.create_index("purchase_of_customer", "purchase", ["customer", "id"], schema="tool")
    op.create_table_comment("purchase", "what was bought", schema="tool")


def downgrade():
    op.drop_table_comment("purchase", schema="tool")
    op.drop_index("purchase_of_customer", "purchase", schema="tool")
    op.drop_constraint("purchase_amount", "purchase", schema="tool")
    op.alter_column("purchase", "amount", type_=sa.Numeric(10, 2), schema="tool")
    op.alter_column("purchase", "lines", type_=postgresql.JSONB, schema="tool",
                    postgresql_using="lines::jsonb")
    op.drop_constraint("customer_email", "customer", schema="tool")
    op.drop_column("customer", "email", schema="tool")

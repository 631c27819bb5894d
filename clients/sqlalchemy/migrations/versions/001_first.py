import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "001"
down_revision = None


def upgrade():
    op.create_table(
        "customer",
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("name", sa.String(40), nullable=False, index=True),
        sa.Column("profile", postgresql.JSONB, nullable=False, server_default="{}"),
        sa.Column("created", sa.DateTime(timezone=True), server_default=sa.func.now()),
        schema="tool")
    op.create_table(
        "purchase",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("customer", sa.BigInteger, nullable=False),
        sa.Column("lines", postgresql.JSONB),
        sa.Column("amount", sa.Numeric(10, 2), nullable=False),
        sa.ForeignKeyConstraint(
            ["customer"], ["tool.customer.id"], name="purchase_customer", ondelete="CASCADE",
            deferrable=True, initially="DEFERRED"),
        schema="tool")


def downgrade():
    op.drop_table("purchase", schema="tool")
    op.drop_table("customer", schema="tool")

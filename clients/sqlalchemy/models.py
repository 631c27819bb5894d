import datetime
import decimal

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSON, JSONB
from sqlalchemy.ext.mutable import MutableDict
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    __table_args__ = (sa.UniqueConstraint("email", name="customer_email"), {"schema": "tool"})
    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(40), index=True)
    profile: Mapped[dict] = mapped_column(
        MutableDict.as_mutable(JSONB), default=dict, server_default="{}")
    created: Mapped[datetime.datetime | None] = mapped_column(
        sa.DateTime(timezone=True), server_default=sa.func.now())
    email: Mapped[str | None] = mapped_column(sa.String(80))
    purchases: Mapped[list["Purchase"]] = relationship(
        back_populates="of", cascade="all, delete-orphan", passive_deletes=True)


class Purchase(Base):
    __tablename__ = "purchase"
    __table_args__ = (
        sa.CheckConstraint("amount >= 0", name="purchase_amount"),
        sa.Index("purchase_of_customer", "customer", "id"),
        {"schema": "tool", "comment": "what was bought"})
    id: Mapped[int] = mapped_column(primary_key=True)
    customer: Mapped[int] = mapped_column(
        sa.ForeignKey("tool.customer.id", name="purchase_customer", ondelete="CASCADE",
                      deferrable=True, initially="DEFERRED"))
    lines: Mapped[list | None] = mapped_column(JSON)
    amount: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(12, 2))
    of: Mapped[Customer] = relationship(back_populates="purchases")


class Items(DeclarativeBase):
    pass


class Item(Items):
    __tablename__ = "item"
    tenant: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True)
    n: Mapped[int] = mapped_column(sa.BigInteger)
    name: Mapped[str]
    doc: Mapped[dict] = mapped_column(MutableDict.as_mutable(JSONB))
    note: Mapped[dict | None] = mapped_column(JSON)
    price: Mapped[decimal.Decimal | None] = mapped_column(sa.Numeric(12, 2))
    changed: Mapped[datetime.datetime | None] = mapped_column(sa.DateTime(timezone=True))

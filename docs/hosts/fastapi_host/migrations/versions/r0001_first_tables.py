"""
The tables of the first version, which made them itself.

In a database of that version they are there already, and nothing happens.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade():
    op.create_table(
        "merchants",
        sa.Column("partner", sa.Text, primary_key=True),
        sa.Column("merchant_id", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "names",
        sa.Column("partner", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("merchant_id", sa.Text, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "replies",
        sa.Column("caller", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("reply", sa.LargeBinary, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "events",
        sa.Column("number", NUMBER, primary_key=True, autoincrement=True),
        sa.Column("partner", sa.Text, nullable=False),
        sa.Column("merchant_id", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("event", sa.LargeBinary, nullable=False),
        sa.Column("due", sa.BigInteger),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.UniqueConstraint("partner", "merchant_id", "place"),
        if_not_exists=True,
    )
    undelivered = sa.text("due IS NOT NULL")
    op.create_index(
        "events_due",
        "events",
        ["partner", "due"],
        sqlite_where=undelivered,
        postgresql_where=undelivered,
        if_not_exists=True,
    )

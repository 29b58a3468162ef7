"""
Profiles apart from states, replies with the time at which they were written, pages of reviews.

The version before writes replies without a time: their `at` is 0 until `forget` dates them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.create_table(
        "profiles",
        sa.Column("partner", sa.Text, primary_key=True),
        sa.Column("merchant_id", sa.Text, primary_key=True),
        sa.Column("profile", sa.LargeBinary, nullable=False),
    )
    op.add_column(
        "replies", sa.Column("at", sa.BigInteger, nullable=False, server_default=sa.text("0"))
    )
    op.create_table(
        "review_pages",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("partner", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("last", sa.Text, nullable=False),
        sa.Column("reached", sa.Text, nullable=False),
        sa.Column("due", sa.BigInteger),
        sa.Column("at", sa.BigInteger, nullable=False),
    )

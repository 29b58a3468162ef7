"""What waits for agents, and the sessions of underwriters."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade():
    op.create_table(
        "open_work",
        sa.Column("partner", sa.Text, primary_key=True),
        sa.Column("merchant_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("application_id", sa.Text, primary_key=True),
        sa.Column("product", sa.Text, primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
    )
    op.create_index(
        "open_work_queue",
        "open_work",
        ["kind", "since", "partner", "merchant_id", "application_id", "product"],
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )

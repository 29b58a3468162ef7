"""The deals among what waits for agents: which deal, and how much."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade():
    for name in ("deal_id", "amount"):
        op.add_column("open_work", sa.Column(name, sa.Text, nullable=False, server_default=""))

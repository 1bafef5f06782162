"""A rater's answers to hidden gold and the gold of their page, kept with the rater: gold takes no longer than work."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Nothing is known of raters who are there: theirs are counted at their next answer."""
    op.add_column("rater", sa.Column("gold", sa.Text(), server_default="[]", nullable=True))
    op.execute("UPDATE rater SET gold = NULL")
    op.add_column("rater", sa.Column("due", sa.Text(), nullable=True))

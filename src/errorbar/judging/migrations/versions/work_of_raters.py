"""For what a completion code was given, how much a rater has sent, and for which work item a gold item stands."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Codes that are out count as long as their raters keep the judgments that they have now."""
    op.add_column("rater", sa.Column("code_for", sa.Integer(), nullable=True))
    op.add_column("rater", sa.Column("volume", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("assignment", sa.Column("stands_for", sa.BigInteger(), nullable=True))
    op.execute("UPDATE rater SET code_for = judged WHERE code IS NOT NULL")

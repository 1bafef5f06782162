"""Items are found by an index instead of by words of bits, which stood in two tables beside them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """The tables held nothing that the items and assignments do not say."""
    op.drop_table("had")
    op.drop_table("free")
    free = sa.text("stopped = '' AND place IS NOT NULL")
    op.create_index("item_free", "item", ["taken", "place"], sqlite_where=free, postgresql_where=free)

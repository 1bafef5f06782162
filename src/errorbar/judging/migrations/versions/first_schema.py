"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "event",
        sa.Column("id", KEY, nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("rater", KEY, nullable=True),
        sa.Column("assignment", KEY, nullable=True),
        sa.Column("submission", sa.String(length=64), nullable=True),
        sa.Column("data", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("submission"),
    )
    op.create_table(
        "free",
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("bits", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("taken", "block"),
    )
    op.create_index(
        "free_some",
        "free",
        ["taken", "block"],
        unique=False,
        sqlite_where=sa.text("bits != 0"),
        postgresql_where=sa.text("bits != 0"),
    )
    op.create_table(
        "invite",
        sa.Column("id", KEY, nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("label", sa.String(length=128), nullable=False),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=True),
        sa.Column("revoked", sa.Float(), nullable=True),
        sa.Column("uses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("most_uses", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_table(
        "item",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("gold_class", sa.Text(), server_default="", nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=16), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("taken", sa.Integer(), server_default="0", nullable=False),
        sa.Column("stopped", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint("taken >= 0", name="taken_not_negative"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("place"),
    )
    op.create_index("item_gold", "item", ["kind", "gold_class"], unique=False)
    op.create_table(
        "study",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "rater",
        sa.Column("id", KEY, nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("participant", sa.String(length=256), nullable=False),
        sa.Column("invite", KEY, nullable=True),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("quiz", sa.String(length=16), server_default="due", nullable=False),
        sa.Column("claims", sa.Integer(), server_default="0", nullable=False),
        sa.Column("answered", sa.Integer(), server_default="0", nullable=False),
        sa.Column("judged", sa.Integer(), server_default="0", nullable=False),
        sa.Column("joined", sa.Float(), nullable=False),
        sa.Column("agreed", sa.Text(), server_default="{}", nullable=False),
        sa.Column("code", sa.String(length=32), nullable=True),
        sa.Column("code_used", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["invite"],
            ["invite.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("participant"),
    )
    op.create_table(
        "assignment",
        sa.Column("id", KEY, nullable=False),
        sa.Column("token", sa.String(length=32), nullable=False),
        sa.Column("item", KEY, nullable=False),
        sa.Column("rater", KEY, nullable=False),
        sa.Column("round", sa.String(length=8), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=True),
        sa.Column("reversed", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item"],
            ["item.id"],
        ),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["rater.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("item", "rater", "round", name="never_twice"),
        sa.UniqueConstraint("rater", "seq", name="one_order"),
        sa.UniqueConstraint("token"),
    )
    op.create_index("assignment_answered", "assignment", ["rater", "answered"], unique=False)
    op.create_index("assignment_leases", "assignment", ["state", "lease_until"], unique=False)
    op.create_index("assignment_of_rater", "assignment", ["rater", "state"], unique=False)
    op.create_table(
        "exclusion",
        sa.Column("id", KEY, nullable=False),
        sa.Column("rater", KEY, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
        sa.Column("until", sa.Float(), nullable=True),
        sa.Column("undone_by", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["rater.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "had",
        sa.Column("rater", KEY, nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("bits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["rater.id"],
        ),
        sa.PrimaryKeyConstraint("rater", "block"),
    )
    op.create_table(
        "session",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("rater", KEY, nullable=True),
        sa.Column("made", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["rater.id"],
        ),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_table(
        "answer",
        sa.Column("id", KEY, nullable=False),
        sa.Column("submission", sa.String(length=64), nullable=False),
        sa.Column("assignment", KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("skip", sa.Text(), server_default="", nullable=False),
        sa.Column("comment", sa.Text(), server_default="", nullable=False),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("trail", sa.Text(), server_default="", nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment"],
            ["assignment.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("assignment", "version", name="one_of_each_version"),
        sa.UniqueConstraint("submission"),
    )

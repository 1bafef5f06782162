"""The tables of a study's store. Whoever changes them adds a step to ``migrations``; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
_KEY = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows of INTEGER PRIMARY KEY alone

STUDY = Table(  # name and value of whatever there is one of: rules, scheme, guidelines, made_by
    "study",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
ITEM = Table(
    "item",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", String(8), nullable=False),  # work, gold
    Column("gold_class", Text, nullable=False, server_default=""),  # the first right answer
    Column("payload", Text, nullable=False),  # JudgedItem.to_json
    Column("text_hash", String(16), nullable=False),  # of the whole question: no browser gets it
    Column("place", Integer, nullable=True, unique=True),  # of work: a random one among its import's
    Column("taken", Integer, nullable=False, server_default="0"),  # open or done in the main round; see claims
    Column("stopped", Text, nullable=False, server_default=""),  # why no more judgments are wanted
    CheckConstraint("taken >= 0", name="taken_not_negative"),
)
Index("item_gold", ITEM.c.kind, ITEM.c.gold_class)
_CAN_BE_HAD = (ITEM.c.stopped == "") & ITEM.c.place.is_not(None)
Index("item_free", ITEM.c.taken, ITEM.c.place, sqlite_where=_CAN_BE_HAD, postgresql_where=_CAN_BE_HAD)
RATER = Table(
    "rater",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("name", String(128), nullable=False, unique=True),  # pseudonym, as exports name them
    Column("participant", String(256), nullable=False, unique=True),  # who they are to the invite: one rater each
    Column("invite", _KEY, ForeignKey("invite.id"), nullable=True),
    Column("seed", Integer, nullable=False),  # of their order and sides
    Column("status", String(16), nullable=False),  # active, excluded
    Column("quiz", String(16), nullable=False, server_default="due"),  # due, passed, failed
    Column("claims", Integer, nullable=False, server_default="0"),  # so far, gold and repeats included, not the quiz
    Column("answered", Integer, nullable=False, server_default="0"),  # first answers and skips, not of the quiz
    Column("judged", Integer, nullable=False, server_default="0"),  # done, extra or aside now, not of the quiz
    Column("joined", Float, nullable=False),
    Column("agreed", Text, nullable=False, server_default="{}"),  # consent and eligibility answers
    Column("code", String(32), nullable=True, unique=True),  # completion code
    Column("code_used", Float, nullable=True),
    Column("code_for", Integer, nullable=True),  # judgments that the code was given for: with fewer it does not count
    Column("volume", BigInteger, nullable=False, server_default="0"),  # bytes that they sent, see submissions
    Column("gold", Text, nullable=True, server_default="[]"),  # answers to it, see quality; None: not counted
    Column("due", Text, nullable=True),  # numbers of the gold items of their page, see claims; None: to be drawn again
)
INVITE = Table(
    "invite",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),  # SHA-256; the link itself is shown once
    Column("kind", String(16), nullable=False),  # invitations.InviteKind
    Column("label", String(128), nullable=False),
    Column("made", Float, nullable=False),
    Column("expires", Float, nullable=True),
    Column("revoked", Float, nullable=True),
    Column("uses", Integer, nullable=False, server_default="0"),
    Column("most_uses", Integer, nullable=True),
)
SESSION = Table(
    "session",
    METADATA,
    Column("token_hash", String(64), primary_key=True),
    Column("rater", _KEY, ForeignKey("rater.id"), nullable=True),  # None: the manager
    Column("made", Float, nullable=False),
    Column("expires", Float, nullable=False),
)
ASSIGNMENT = Table(
    "assignment",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("token", String(32), nullable=False, unique=True),
    Column("item", _KEY, ForeignKey("item.id"), nullable=False),
    Column("rater", _KEY, ForeignKey("rater.id"), nullable=False),
    Column("round", String(8), nullable=False),  # main, quiz, repeat
    Column("seq", Integer, nullable=False),  # the rater's order; below zero in the quiz
    Column("answered", Integer, nullable=True),  # the rater's how-manieth first answer this is; None: none, or the quiz
    Column("reversed", Integer, nullable=False),
    Column("state", String(8), nullable=False),  # exchange.State
    Column("version", Integer, nullable=False, server_default="0"),  # of the answer that counts
    Column("lease_until", Float, nullable=False),
    Column(
        "stands_for", BigInteger, nullable=True
    ),  # of gold and repeats: the work item that would have come, see claims
    UniqueConstraint("item", "rater", "round", name="never_twice"),
    UniqueConstraint("rater", "seq", name="one_order"),
)
Index("assignment_leases", ASSIGNMENT.c.state, ASSIGNMENT.c.lease_until)
Index("assignment_of_rater", ASSIGNMENT.c.rater, ASSIGNMENT.c.state)
Index("assignment_answered", ASSIGNMENT.c.rater, ASSIGNMENT.c.answered)
ANSWER = Table(  # append-only: a changed answer is a new version
    "answer",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("submission", String(64), nullable=False, unique=True),
    Column("assignment", _KEY, ForeignKey("assignment.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("answer", Text, nullable=False),  # JSON; null: skipped
    Column("skip", Text, nullable=False, server_default=""),
    Column("comment", Text, nullable=False, server_default=""),
    Column("milliseconds", Integer, nullable=False),
    Column("trail", Text, nullable=False, server_default=""),
    Column("status", String(8), nullable=False),  # of the receipt: a replay gets the same
    Column("at", Float, nullable=False),
    UniqueConstraint("assignment", "version", name="one_of_each_version"),
)
EVENT = Table(  # append-only: everything that happened, in the order in which it was written
    "event",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("rater", _KEY, nullable=True),
    Column("assignment", _KEY, nullable=True),
    Column("submission", String(64), nullable=True, unique=True),  # every one that came, also those refused
    Column("data", Text, nullable=False, server_default=""),
)
EXCLUSION = Table(
    "exclusion",
    METADATA,
    Column("id", _KEY, primary_key=True),
    Column("rater", _KEY, ForeignKey("rater.id"), nullable=False),
    Column("reason", Text, nullable=False),
    Column("by", String(64), nullable=False),  # manager, policy
    Column("since", Float, nullable=False),
    Column("until", Float, nullable=True),
    Column("undone_by", String(64), nullable=True),
)

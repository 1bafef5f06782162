"""What a store says of its study as a whole: scheme, rules, guidelines."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from errorbar.judging.rules import Rules
from errorbar.judging.schemes import Scheme
from errorbar.judging.store_tables import STUDY
from errorbar.judging.study_values import set_value


@dataclass(frozen=True, slots=True)
class About:
    """Of a study as a whole.

    Attributes:
        scheme: What is asked.
        rules: Who judges how much.
        guidelines: For raters, a small Markdown.
        made_by: The version of errorbar that made it.
        key: Of the sample or audit that is judged (``study_key``); empty: none.
    """

    scheme: Scheme
    rules: Rules
    guidelines: str
    made_by: str
    key: str = ""


def read_about(tx: Connection) -> About:
    """What the store says."""
    said = {row.name: row.value for row in tx.execute(select(STUDY.c.name, STUDY.c.value))}
    scheme, rules = Scheme.from_json(said["scheme"]), Rules.from_json(said["rules"])
    return About(scheme, rules, said.get("guidelines", ""), said.get("made_by", ""), said.get("key", ""))


def write_about(tx: Connection, about: About) -> None:
    """Say it in the store, in the place of what it said; once there are judgments, rules are for ``set_rules``."""
    said = {
        "scheme": about.scheme.to_json(),
        "rules": about.rules.to_json(),
        "guidelines": about.guidelines,
        "made_by": about.made_by,
    }
    if about.key:
        said["key"] = about.key
    for name, value in said.items():
        set_value(tx, name, value)

"""The key of the sample, or of the audit, that a study judges: kept in its store, and shown to no rater."""

from __future__ import annotations

import json
import os
import stat
from functools import lru_cache
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem, shell_words
from errorbar.core.problems import Problems
from errorbar.formats.look import Source
from errorbar.formats.saving import is_stream
from errorbar.formats.untrusted import read_json
from errorbar.sampling.draw import SAMPLE_KEY, Key, key_of
from errorbar.studies.audit_frame import AUDIT_KEY, AuditKey, audit_key_of

StudyKey = Key | AuditKey
_STORED = Place("the study's key")


def read_study_key(path: Source, problems: Problems) -> str:
    """Read a key file as a store keeps it, and note that others than its owner can read it.

    Raises:
        InputError: If it is no key.
    """
    record, place = read_json(path)
    if os.name == "posix" and not is_stream(str(path)) and Path(path).stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        what = "others than its owner can read the key, which tells raters what they must not know"
        problems.note("key-readable", what, place, fix=f"chmod 600 {shell_words(place.file)}")
    if not isinstance(record, dict) or record.get("format") not in (SAMPLE_KEY.name, AUDIT_KEY.name):
        what, fix = "this is not the key of a sample or an audit", "name the file that was written with the set"
        raise InputError(Problem("sample-key", what, place, fix=fix))
    text = json.dumps(record, ensure_ascii=False)
    parsed_key(text, place)
    return text


@lru_cache(maxsize=8)
def parsed_key(text: str, place: Place = _STORED) -> StudyKey:
    """The key of a text."""
    record = json.loads(text)
    return audit_key_of(record, place) if record.get("format") == AUDIT_KEY.name else key_of(record, place)


def names_of(key: StudyKey) -> set[str]:
    """Items that were drawn."""
    return {*key.items()} if isinstance(key, Key) else {key.frame.items[at].name for at in key.drawn()}


def systems_of(key: StudyKey) -> tuple[str, ...]:
    """Systems that the key knows."""
    return key.strata.systems if isinstance(key, Key) else tuple(each.name for each in key.frame.strata.systems)

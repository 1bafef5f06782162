"""Whether a question fits a study: its scheme, its items, its key."""

from __future__ import annotations

from collections.abc import Iterable

from errorbar.core.errors import ErrorbarError, nearest
from errorbar.core.labels import named
from errorbar.judging.corpus_questions import SEVERAL
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.scheme import Scheme
from errorbar.judging.stop_question import SCORES, StopQuestion, refused
from errorbar.judging.study_key import StudyKey, names_of, parsed_key, systems_of
from errorbar.sampling import Key
from errorbar.studies.audit_frame import AuditKey
from errorbar.studies.audit_verdicts import GRADED, LABELS, Rule

FIRST, SECOND = "first", "second"


def fitting(text: str, scheme: Scheme, items: Iterable[JudgedItem], key: str) -> str:
    """A question in its shortest text, or ``UsageError`` (``judge-stop``) where the study cannot answer it."""
    if not text.strip():
        return ""
    question = StopQuestion.parse(text)
    work = [item for item in items if item.kind == "work"]
    if question.of in (*SCORES, "precision"):
        _check_key(question, scheme, work, parsed_key(key) if key else None)
    elif question.of == "share":
        _check_label("label", question.label, scheme)
    else:
        _check_sides(question, scheme, work)
    return str(question)


def _check_key(question: StopQuestion, scheme: Scheme, work: list[JudgedItem], key: StudyKey | None) -> None:
    wanted, kind = (AuditKey, "an audit") if question.of == "precision" else (Key, "a sample")
    if not isinstance(key, wanted):
        what = f"{question.of} is estimated from {kind}, and the study has "
        raise refused(what + ("no key" if key is None else "the key of another kind"), fix="--key=FILE, drawn with it")
    drawn = names_of(key)
    if strangers := [item.name for item in work if item.name not in drawn]:
        raise refused(f"{len(strangers):,} items were not drawn with the key, e.g. {named(strangers[:1])}")
    systems = systems_of(key)
    if question.system and question.system not in systems:
        what = f"the key knows no system '{question.system}'"
        raise refused(what, fix=nearest(question.system, systems))
    if not question.system and len(systems) > 1:
        raise refused(f"the key has {len(systems)} systems", f"system={systems[0]} or another of {named(systems)}")
    if question.of in SCORES:
        _check_label("error", question.error, scheme)
    else:
        try:
            Rule.of(question.valid)
        except ErrorbarError as error:
            raise refused(error.problems[0].what, error.problems[0].expected) from None
        if question.valid == GRADED:
            raise refused("shares of raters have no interval at any time", "valid=majority, any, all or a number")
        if other := [label for label in scheme.labels() if label not in LABELS]:
            raise refused(f"an audit has no label '{other[0]}'", fix="--scheme=edit-valid")


def _check_label(name: str, label: str, scheme: Scheme) -> None:
    """Raters must be able to say it, where there are labels to choose from."""
    options = scheme.question(scheme.main).options
    labels = [said for said, option in zip(scheme.labels(), options, strict=True) if not option.abstains]
    if labels and label not in labels:
        what = f"{name} is '{label[:30]}', which the scheme {scheme.name} has not"
        raise refused(what, fix=nearest(label, labels))


def _check_sides(question: StopQuestion, scheme: Scheme, work: list[JudgedItem]) -> None:
    if not {FIRST, SECOND} <= {*scheme.labels()}:
        raise refused(f"the scheme {scheme.name} has no winner", fix="--scheme=choice")
    pairs = {tuple(tuple(name.split(SEVERAL)) for name in item.names) for item in work}
    names = sorted({name for pair in pairs for side in pair for name in side})
    if not question.first:
        if len(pairs) > 1:
            raise refused(f"the candidates are of {named(names)}", "win(first=NAME,second=NAME,...) of two of them")
        return
    for name in (question.first, question.second):
        if name not in names:
            raise refused(f"no candidate is of '{name[:30]}'", fix=nearest(name, names))
    if question.first == question.second:
        raise refused("both sides are the same")

"""GoToScorer by hand, against its definition on random edits, and what comes of systems that are weighed together."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errorbar
from errorbar import Corpus, Edit, Hypothesis, Problems, Sentence
from errorbar.core import InputError, Undefined, UsageError
from errorbar.edits import apply_edits
from errorbar.formats import write_jsonl, write_m2
from errorbar.metrics.gotoscorer import COUNTED, GoToScorer, cut_chunks, judge_chunks
from tests.helpers.build import edit
from tests.helpers.effort import draw_examples
from tests.strategies import disjoint_edits, tokens

SOURCE = "a b c d"
GOLD = Corpus([Sentence(SOURCE, {"0": (edit(0, 1, "x"), edit(2, 3, "y"))})], ("0",))
TEXTS = {"both": "x b y d", "one": "x b c d", "other": "x b z d", "none": "a b c d w"}


def score(texts: dict[str, str], spec: str = "gotoscorer", gold: Corpus = GOLD) -> dict[str, errorbar.Score]:
    systems = [Hypothesis(name, text.split("\n")) for name, text in texts.items()]
    return {one.system: one for one in errorbar.score(gold, systems, spec, ci=False)}


def test_a_sentence_by_hand() -> None:
    """Of four systems a is not corrected by one (weight 1/4), c by three (3/4), and one (1/4) adds w at the end."""
    scores = score(TEXTS)
    counts = {name: [one.counts[key] for key in COUNTED] for name, one in scores.items()}
    assert counts == {"both": [4, 0, 0, 1], "one": [1, 0, 3, 1], "other": [1, 3, 3, 1], "none": [0, 1, 4, 0]}
    assert [scores["other"][name].value for name in ("precision", "recall")] == [0.25, 0.25]
    assert scores["other"]["f"].value == pytest.approx(0.25)
    assert scores["none"]["precision"].value == 0
    assert scores["one"]["recall"].value == 0.25  # one of the two edits is made, the easy one


def chunk_marks(tokens: int, edits: list[Edit]) -> list[tuple[int, int, str | None]]:
    """Chunks by their definition: (start, end, text), None where nothing is edited."""
    spans = {(one.start, one.end): one.replacements[0] for one in edits}
    covered = {at for start, end in spans for at in range(start, end)}
    marks: list[tuple[int, int, str | None]] = [(*span, text) for span, text in spans.items()]
    marks += [(at, at + 1, None) for at in range(tokens) if at not in covered]
    starts = {start for start, end, _ in marks if start < end} | {tokens}
    return sorted([*marks, *((at, at, None) for at in starts if (at, at) not in spans)], key=lambda one: one[:2])


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[int, list[Edit], list[Edit]]:
    source = draw(tokens())
    sides = [sorted(draw(disjoint_edits(source)), key=lambda one: one.span) for _ in range(2)]
    return len(source), sides[0], sides[1]


@draw_examples(200)
@given(two_sides())
def test_chunks_are_those_of_the_definition(example: tuple[int, list[Edit], list[Edit]]) -> None:
    """Each system chunk is compared with each chunk of the annotator, as in the paper: alike, or one covers the other.

    A system that inserts where a chunk of tokens begins covers that chunk too, unless it makes the chunk itself.
    """
    n, wanted, own = example
    marks, ours = chunk_marks(n, wanted), chunk_marks(n, own)
    chunks = list(cut_chunks(n, wanted))
    assert [(one.start, one.end) for one in chunks] == [mark[:2] for mark in marks]
    edited = [one.edit is not None for one in chunks]
    for (start, end, text), is_edit, fate in zip(marks, edited, judge_chunks(chunks, own), strict=True):
        if (start, end, text) in ours:
            is_right, is_changed = True, is_edit
        else:
            over = [other for other in ours if other[:2] == (start, end)]
            if start < end:
                over += [one for one in ours if start <= one[0] < end or one[0] <= start < one[1]]
            is_changed = any(other[2] is not None for other in over)
            is_right = not is_edit and not is_changed
        expected = {
            (True, True): (1, 0, 0, 0),
            (True, False): (0, 1, 1, 0) if is_changed else (0, 0, 1, 0),
            (False, True): (0, 0, 0, 1),
            (False, False): (0, 1, 0, 0),
        }
        assert fate == expected[is_edit, is_right], (start, end, text)


def test_no_edits_at_all() -> None:
    """Nothing is in the reference; what one of two changes weighs a half for both."""
    scores = score({"copy": "a b", "eager": "a c"}, gold=Corpus([Sentence("a b", {"0": ()})], ("0",)))
    assert scores["copy"]["recall"].undefined == Undefined.NOTHING_IN_REFERENCE
    assert scores["copy"]["precision"].undefined == Undefined.NOTHING_PROPOSED
    assert [scores["eager"].counts[name] for name in COUNTED] == [0, 1, 0, 0]
    assert scores["eager"]["precision"].value == 0


def test_where_every_system_is_right_everywhere_nothing_weighs_anything() -> None:
    for one in score({"first": TEXTS["both"], "second": TEXTS["both"]}).values():
        assert [one[name].value for name in ("precision", "recall", "f")] == [None] * 3
        assert one["f"].undefined == Undefined.NO_DIFFICULTY


def test_systems_that_are_alike_score_alike_and_get_no_credit() -> None:
    """What both make weighs nothing, what both leave weighs 1."""
    first, second = score({"first": TEXTS["one"], "second": TEXTS["one"]}).values()
    assert first.counts == second.counts == dict(zip(COUNTED, (0, 0, 2, 0), strict=True))


def test_the_order_of_systems_does_not_matter_and_other_systems_are_told_apart() -> None:
    forward, backward = score(TEXTS), score(dict(reversed(TEXTS.items())))
    assert {name: one.counts for name, one in forward.items()} == {name: one.counts for name, one in backward.items()}
    assert str(forward["both"].signature) == str(backward["both"].signature)
    assert "|systems:4@" in str(forward["both"].signature)
    fewer = score({name: TEXTS[name] for name in ("both", "one", "none")})
    replaced = score(TEXTS | {"none": "a b c d"})
    systems = {str(one["both"].signature).split("systems:")[1].split("|")[0] for one in (forward, fewer, replaced)}
    assert len(systems) == 3


def test_one_system_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="needs 2 systems or more") as caught:
        score({"both": TEXTS["both"]})
    assert caught.value.code == "too-few-systems"


def test_a_command_that_knows_one_system_at_a_time_refuses() -> None:
    gold = Corpus([Sentence(SOURCE, {"0": (edit(0, 1, "x"),), "1": ()})] * 3, ("0", "1"))
    with pytest.raises(UsageError, match="each is measured alone") as caught:
        errorbar.ceiling(gold, metric="gotoscorer")
    assert caught.value.code == "systems-unknown"


def test_weights_of_another_reference_are_refused() -> None:
    outputs = [[text] for text in TEXTS.values()]
    joint = GoToScorer().with_systems(GOLD, outputs)
    longer = Corpus([*GOLD.sentences, *GOLD.sentences], ("0",))
    with pytest.raises(InputError, match="of another reference") as caught:
        joint.measure(longer, [SOURCE, SOURCE])
    assert caught.value.code == "other-weights"


def test_the_first_of_several_annotators_is_scored_against_unless_another_is_named() -> None:
    gold = Corpus([Sentence(SOURCE, {"A": (edit(0, 1, "x"),), "B": (edit(2, 3, "y"),)})], ("A", "B"))
    texts = {"first": "x b c d", "second": "a b y d"}
    assert [one["f"].value for one in score(texts, gold=gold).values()] == [1, 0]
    assert [one["f"].value for one in score(texts, "gotoscorer(only=B)", gold).values()] == [0, 1]
    by_name = {spec: score(texts, spec, gold) for spec in ("gotoscorer", "gotoscorer(only=B)")}
    assert by_name["gotoscorer"]["first"]["f"].value == by_name["gotoscorer(only=B)"]["second"]["f"].value == 1
    assert str(by_name["gotoscorer"]["first"].signature).startswith("gotoscorer(only=A)|")


N = 240
MANY = Corpus([Sentence(f"{SOURCE} {at}", {"0": (edit(at % 4, at % 4 + 1, "x"),)}) for at in range(N)], ("0",))


def many_outputs() -> list[Hypothesis]:
    """Three systems that make every second, third and fifth edit."""
    sources = [sentence.text for sentence in MANY.sentences]
    right = [" ".join(apply_edits(sentence.tokens, sentence.annotations["0"])) for sentence in MANY.sentences]
    texts = {k: [right[at] if at % k == 0 else sources[at] for at in range(N)] for k in (2, 3, 5)}
    return [Hypothesis(f"every {k}", lines) for k, lines in texts.items()]


def test_files_lists_and_processes_give_the_same_digits(tmp_path: Path) -> None:
    systems = many_outputs()
    for gold, write in (("gold.jsonl", write_jsonl), ("gold.m2", write_m2)):
        (tmp_path / gold).write_text("\n".join([*write(MANY.sentences, Problems()), ""]), encoding="utf-8")
    paths = {}
    for system in systems:
        paths[system.name] = tmp_path / f"{system.name}.txt"
        paths[system.name].write_text("\n".join(map(str, system.lines)) + "\n", encoding="utf-8")
    in_memory = errorbar.score(MANY, systems, "gotoscorer", resamples=50, seed=1)
    for gold in ("gold.jsonl", "gold.m2"):
        for jobs in (1, 2):
            scores = errorbar.score(tmp_path / gold, paths, "gotoscorer", resamples=50, seed=1, jobs=jobs)
            assert [(one.counts, one["f"]) for one in scores] == [(one.counts, one["f"]) for one in in_memory]


def test_stdin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, *others = many_outputs()
    stream = io.TextIOWrapper(io.BytesIO("\n".join(map(str, first.lines)).encode()), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stream)
    for other in others:
        (tmp_path / other.name).write_text("\n".join(map(str, other.lines)) + "\n", encoding="utf-8")
    paths = {first.name: "-", **{other.name: str(tmp_path / other.name) for other in others}}
    by_file, in_memory = (errorbar.score(MANY, one, "gotoscorer", ci=False) for one in (paths, many_outputs()))
    assert [one.counts for one in by_file] == [one.counts for one in in_memory]


def test_weights_of_resampled_sentences_are_those_of_all() -> None:
    """The difficulty of a chunk comes of its own sentence: weights made of a resample are those of the whole."""
    systems, units = many_outputs(), [5, 0, 5, 17, 230, 18]
    lines = [list(system.lines) for system in systems]
    part = Corpus([MANY.sentences[unit] for unit in units], ("0",))
    parts = [[own[unit] for unit in units] for own in lines]
    whole, resampled = GoToScorer().with_systems(MANY, lines), GoToScorer().with_systems(part, parts)
    for full, short in zip(lines, parts, strict=True):
        assert (whole.measure(MANY, full).counts[units] == resampled.measure(part, short).counts).all()


def test_compare_weighs_by_all_systems() -> None:
    systems = many_outputs()
    scores = {one.system: one["f"].value for one in errorbar.score(MANY, systems, "gotoscorer", ci=False)}
    comparison = errorbar.compare(MANY, systems, "gotoscorer", resamples=50, swaps=100)
    assert "|systems:3@" in comparison.signature
    compared = zip(comparison.found.names, comparison.found.values.tolist(), strict=True)
    assert {name: pytest.approx(value) for name, value in compared} == scores


def test_a_report_weighs_by_all_systems(tmp_path: Path) -> None:
    errorbar.report(MANY, many_outputs(), metric="gotoscorer", resamples=20).save(tmp_path / "page.html")
    signature = str(errorbar.score(MANY, many_outputs(), "gotoscorer", ci=False)[0].signature)
    (weighed,) = (part for part in signature.split("|") if part.startswith("systems:3@"))
    assert weighed in (tmp_path / "page.html").read_text(encoding="utf-8")

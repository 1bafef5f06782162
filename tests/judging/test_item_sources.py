"""Items from tables, drawn sets, corpora and systems' texts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Corpus, Edit, Hypothesis, Problems, Sentence, read_corpus
from errorbar.core import InputError, UsageError
from errorbar.edits import edit_items
from errorbar.judging import JudgedItem, Scheme, load_scheme
from errorbar.judging.items.sources import _span, read_items, with_gold
from errorbar.judging.scheme import tokens
from errorbar.sampling.frame import _show_item
from tests.helpers.cli import CommandLine


def items_of(path: Path | str | Corpus, scheme: str | Scheme = "error-ok", **more: object) -> list[JudgedItem]:
    scheme = load_scheme(scheme) if isinstance(scheme, str) else scheme
    return read_items(path, scheme, Problems(), **more)  # type: ignore[arg-type]


OF_ANYTHING = replace(load_scheme("error-ok"), needs_span=False)
"""As a scheme of one's own, which may ask about a whole text."""


def table(folder: Path, text: str, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def asked(item: JudgedItem) -> str | None:
    return None if item.span is None else item.text[slice(*item.span)]


SPANS = {
    "start and end": ("item,text,start,end\ni,He depends of him .,11,13\n", "of"),
    "span": ("item,text,span\ni,He depends of him .,11-13\n", "of"),
    "span with a comma": ('item,text,span\ni,He depends of him .,"11,13"\n', "of"),
    "no span": ("item,text,span\ni,See [1] and [2] .,\n", None),
    "word": ("item,text,word\ni,He depends of him .,of\n", "of"),
    "word in capitals": ("item,text,word\ni,He depends Of him .,of\n", "Of"),
    "occurrence": ("item,text,word,occurrence\ni,of mice of men,of,2\n", "of"),
    "brackets": ("item,text\ni,He depends [of] him .\n", "of"),
    "brackets around several words": ("item,text\ni,He [depends of] him .\n", "depends of"),
    "no brackets": ("item,text\ni,He depends of him .\n", None),
    "tabs": ("id\ttext\tword\ni\tHe depends of him .\tof\n", "of"),
    "semicolons": ("id;text;word\ni;He depends of him .;of\n", "of"),
    "tokens of the name": ("item,text,word\n7:2-3,of it of him,of\n", "of"),
    "a sentence of a set": ("item,text,set,rater,label\n7,See [1] .,0123456789abcdef,r,\n", None),
}


@pytest.mark.parametrize(("text", "span"), [*SPANS.values()], ids=[*SPANS])
def test_what_tells_the_span(text: str, span: str | None, tmp_path: Path) -> None:
    (item,) = items_of(table(tmp_path, text, "items.tsv" if "\t" in text else "items.csv"), OF_ANYTHING)
    assert asked(item) == span
    assert ("[" in item.text) == ("See" in text)


def test_json_lines_and_hidden_columns(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "He is [in] .", "before": "Hm .", "stratum": 3, "why": None}]
    (item,) = items_of(table(tmp_path, json.dumps(rows[0]) + "\n", "x"))
    assert (item.name, item.before, item.hidden) == ("a", "Hm .", {"stratum": "3", "why": ""})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\U0001f469\u200d\U0001f4bb of x", "of"),
        ("e\u0301 na\u0308ive of\u00a0x", "of"),
        ("\u05d0\u05d1 of \u05d2", "of"),
    ],
)
def test_offsets_are_code_points(text: str, words: str, tmp_path: Path) -> None:
    """R21."""
    (item,) = items_of(table(tmp_path, f"item,text,word\ni,{text},{words}\n"))
    assert (item.text, asked(item)) == (text, words)
    assert JudgedItem.from_json(item.to_json()) == item


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CR LF"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"], ids=["LF", "CR LF", "CR"])
def test_spans_count_the_line_ends_inside_a_cell(inside: str, end: str, tmp_path: Path) -> None:
    """R21: whatever ends the rows, a cell is what its quotes hold."""
    text = f"One{inside}two{inside}of it"
    path = tmp_path / "items.csv"
    path.write_text(f'item,text,start,end{end}i,"{text}",{text.index("of")},{text.index("of") + 2}{end}', newline="")
    (item,) = items_of(path)
    assert (item.text, asked(item)) == (text, "of")


WRONG = {
    "item,text\na,x\na,x\n": "3: item 'a' stands in line 2 too [judge-item-twice]",
    "item,text\na,\n": "2: item 'a' has no text [judge-item-text]",
    "item,text\n,x\n": "2: the row names no item (expected a column 'item' or 'id') [judge-item-name]",
    "item,text,start,end\na,x,0,2\n": "2: item 'a': the span 0 to 2 is not inside the text of 1 characters",
    "item,text,start,end\na,x,1,0\n": "the span 1 to 0 is not inside",
    "item,text,start,end\na,x,,1\n": "the span ? to 1 is not inside",
    "item,text,span\na,x,one\n": "the span must be START-END in characters, got 'one'",
    "item,text,word\na,of it of,of\n": "the word 'of' stands 2 times in the text; add a column occurrence",
    "item,text,word,occurrence\na,of it of,of,3\n": "the word 'of' stands only 2 times in the text",
    "item,text,word,occurrence\na,of it,of,x\n": "the occurrence must be a whole number from 1, got 'x'",
    "item,text,word\na,of it,in\n": "the word 'in' stands not in the text",
    "item,text\na,[x] [y]\n": "brackets must mark one place",
    "item,text\na,[x\n": "brackets must mark one place",
    "item,label\na,x\n": "1: no column 'text'",
    "itm,text\na,x\n": "no column 'item' or 'id'",
    "item,text,set,rater,label\na,x,s,r,\na,y,s,q,\n": "3: item 'a' stands in line 2 too, with another text or span",
    "item,text,set,rater,label\na,x,s,r,\na,x,s,r,\n": "3: item 'a' stands in line 2 too, for the same rater",
}


@pytest.mark.parametrize(("text", "said"), [*WRONG.items()], ids=[*WRONG.values()])
def test_bad_rows_are_said_with_their_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises((InputError, UsageError)) as caught:
        items_of(table(tmp_path, text))
    line = said.replace("1: no column", "2: no column")
    assert line in str(caught.value), str(caught.value)


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        items_of(table(tmp_path, "item,text,start,end\na,,0,0\nb,x,5,6\nb,x,0,1\n"))
    assert [problem.place.line for problem in caught.value.problems] == [2, 3, 4]


def test_candidates_of_a_choice_test(tmp_path: Path) -> None:
    text = "item,text,word,candidate2,system1,system2\ni,He depends of him .,of,on,writer,A\n"
    (item,) = items_of(table(tmp_path, text), "choice")
    assert (item.candidates, item.names) == (("of", "on"), ("writer", "A"))
    (item,) = items_of(table(tmp_path, "item,candidate1,candidate2\ni,He goes .,He go .\n"), "choice")
    assert (item.text, item.span, item.candidates) == ("He goes .", None, ("He goes .", "He go ."))


@pytest.mark.parametrize(
    ("scheme", "text", "said"),
    [
        ("cloze", "item,text\ni,x y\n", "item 'i' has no span, and the scheme cloze asks about a part of the text"),
        ("error-ok", "item,text\ni,x y\nj,y z\n", r"items.csv:2: 2 items have no span, and the scheme error-ok"),
        ("choice", "item,text,word,candidate1,candidate2\ni,x y,y,of,of\n", "are the same: 'of'"),
    ],
)
def test_items_that_a_scheme_cannot_ask_about(scheme: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as caught:
        items_of(table(tmp_path, text), scheme)
    assert len(caught.value.problems) == 1


def test_the_place_of_one_item_is_wanted_where_others_have_one(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        items_of(table(tmp_path, "item,text,start,end\ni,x y,0,1\nj,y z,,\n"))
    (problem,) = caught.value.problems
    assert (problem.place.line, problem.fix) == (3, "say the place in each row")
    assert problem.expected.startswith("columns start and end, span or word")


@pytest.mark.parametrize(
    ("scheme", "text", "code"),
    [
        ("choice", "item,text,word,candidate1,candidate2\nspanish,x y,y,of,of\n", "judge-item-candidates"),
        ("edits", "item,text,word\ni,x y,y\n", "judge-item-span"),
    ],
)
def test_the_code_says_what_is_wrong_whatever_the_item_is_called(
    scheme: str, text: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        items_of(table(tmp_path, text), scheme)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_whole_sentences_are_for_schemes_that_ask_about_them(tmp_path: Path) -> None:
    said = r"the scheme error-ok asks about a part of the text.*scheme=.edits., or a scheme of your own"
    with pytest.raises(UsageError, match=said):
        items_of(corpus(), items="sentences")
    items, gold = items_of(corpus(), items="words"), table(tmp_path, "item,text,answer\ng,He goes .,ok\n")
    problems = Problems()
    with_gold(items, gold, load_scheme("error-ok"), problems)
    assert [problem.what for problem in problems.errors] == [
        "item 'g' has no span, and the scheme error-ok asks about a part of the text"
    ]


@given(st.data())
def test_brackets_of_a_drawn_set_are_undone(data: st.DataObject) -> None:
    """The text and span of an item are those of the corpus, whatever its tokens are."""
    words = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=4)
    said = data.draw(st.lists(words, min_size=1, max_size=6))
    corpus = Corpus([Sentence(" ".join(said))], ())
    text = " ".join(corpus.sentences[0].tokens)
    for name in edit_items(corpus, "tokens-gaps").judgments.items:
        start, end = (int(side) for side in name.partition(":")[2].split("-"))
        spans = tokens(text)
        at = spans[start][0] if start < len(spans) else len(text)
        expected = (at, at) if start == end else (spans[start][0], spans[end - 1][1])
        assert _span({"item": name}, _show_item(name, corpus)) == (text, expected)


def test_a_drawn_set_of_several_raters_is_one_item_each(errorbar: CommandLine, tmp_path: Path) -> None:
    assert errorbar("demo", "--save", tmp_path / "demo").code == 0
    inputs = (tmp_path / "demo/greedy.txt", "--corpus", tmp_path / "demo/gold.jsonl", "--items", "words")
    for kind in ("csv", "jsonl"):
        out = tmp_path / f"set.{kind}"
        raters = ("--rater", "ann", "--rater", "bob")
        key = tmp_path / f"{kind}.key"
        done = errorbar("sample", "draw", *inputs, "--budget", 40, "--floor", 10, *raters, "--out", out, "--key", key)
        assert done.code == 0, done.err
        found = items_of(out)
        corpus = read_corpus(tmp_path / "demo/gold.jsonl")
        assert len(found) == 40
        for item in found:
            number, _, span = item.name.partition(":")
            start, end = map(int, span.split("-"))
            words = corpus.sentences[int(number) - 1].tokens
            assert item.text.split() == words
            assert asked(item) == " ".join(words[start:end])
            assert item.hidden.keys() == {"set"}


def corpus() -> Corpus:
    return Corpus(
        [
            Sentence("He depends of him .", {"0": (Edit(2, 3, ("on",)),)}, document="d"),
            Sentence("I go home to .", {"0": (Edit(3, 4, ("",)), Edit(4, 4, ("soon",)))}, document="d"),
            Sentence("Well .", {"0": ()}, document="e"),
        ],
        ("0",),
    )


SYSTEMS = (
    Hypothesis("A", ["He depends on him .", "I go home .", "Well ."]),
    Hypothesis("B", ["He depends on him .", "I go back home to .", "Well done ."]),
)


def test_words_of_a_corpus_with_the_sentence_before() -> None:
    found = items_of(corpus(), items="words")
    assert [(item.name, asked(item), item.before) for item in found] == [
        ("1:2-3", "of", ""),
        ("2:3-4", "to", "He depends of him ."),
    ]
    assert [item.before for item in items_of(corpus(), OF_ANYTHING, items="sentences")] == [
        "",
        "He depends of him .",
        "",
    ]


def test_what_systems_change_and_what_each_says_there() -> None:
    found = {item.name: item for item in items_of(corpus(), systems=SYSTEMS)}
    assert [*found] == ["1:2-3", "2:2-2", "2:3-4", "3:1-1"]
    hidden = found["1:2-3"].hidden
    assert hidden == {"sentence": "1", "document": "d", "flag:A": "1", "says:A": "on", "flag:B": "1", "says:B": "on"}
    assert (found["2:2-2"].hidden["flag:A"], found["2:2-2"].hidden["says:B"]) == ("0", "back")
    assert (found["2:2-2"].span, asked(found["3:1-1"])) == ((5, 5), "")


def full(item: JudgedItem) -> tuple[str, ...]:
    start, end = item.span or (0, len(item.text))
    return tuple(item.text[:start] + each + item.text[end:] for each in item.candidates)


def test_choices_against_the_writer() -> None:
    found = {item.name: item for item in items_of(corpus(), "choice", systems=SYSTEMS)}
    assert [item.names for item in found.values()] == [
        ("writer", "A|B"),
        ("writer", "B"),
        ("writer", "A"),
        ("writer", "B"),
    ]
    assert full(found["1:2-3"]) == ("He depends of him .", "He depends on him .")
    assert full(found["2:2-2"]) == ("I go home to .", "I go back home to .")
    assert full(found["2:3-4"]) == ("I go home to .", "I go home .")
    assert full(found["3:1-1"]) == ("Well .", "Well done .")


def test_choices_between_systems_are_where_these_differ() -> None:
    found = items_of(corpus(), "choice", systems=SYSTEMS, against="systems")
    assert [(item.name, item.names, full(item)) for item in found] == [
        ("2:2-2", ("A", "B"), ("I go home to .", "I go back home to .")),
        ("2:3-4", ("A", "B"), ("I go home .", "I go home to .")),
        ("3:1-1", ("A", "B"), ("Well .", "Well done .")),
    ]


def test_words_that_two_systems_put_into_one_gap_stand_apart() -> None:
    lines = [[each.text for each in corpus().sentences] for _ in range(2)]
    for one, word in zip(lines, ("back", "straight"), strict=True):
        one[1] = f"I go {word} home to ."
    systems = [Hypothesis(name, said) for name, said in zip("AB", lines, strict=True)]
    (item,) = items_of(corpus(), "choice", systems=systems, against="systems")
    assert full(item) == ("I go back home to .", "I go straight home to .")


def test_columns_about_choices_are_kept_where_nothing_is_chosen(tmp_path: Path) -> None:
    (item,) = items_of(table(tmp_path, "item,text,word,system1\ni,He depends of him .,of,on\n"), "cloze")
    assert item.hidden == {"word": "of", "system1": "on"}


def test_annotators_stand_for_systems_where_there_are_none() -> None:
    found = items_of(corpus(), "choice")
    assert [full(item)[1] for item in found] == ["He depends on him .", "I go home .", "I go home to soon ."]


UNFIT = {
    "a choice test compares what was changed": ("choice", {"items": "words"}),
    "nobody changes anything here": ("error-ok", {"items": "edits", "bare": True}),
    "only in a choice test of at least two": ("error-ok", {"against": "systems", "systems": SYSTEMS}),
    "asks about a part of the text": ("cloze", {"items": "sentences"}),
    "a system's name must not have": ("choice", {"systems": [Hypothesis("A|B", SYSTEMS[0].lines)]}),
    "nothing differs": ("choice", {"systems": [Hypothesis("A", [each.text for each in corpus().sentences])]}),
    "nobody changes anything;": ("error-ok", {"systems": [Hypothesis("A", [s.text for s in corpus().sentences])]}),
    "projection is 'wrds'": ("error-ok", {"items": "wrds"}),
}


@pytest.mark.parametrize(("said", "given_"), [*UNFIT.items()], ids=[*UNFIT])
def test_what_does_not_fit_together(said: str, given_: tuple[str, dict[str, object]]) -> None:
    scheme, more = given_
    bare = more.pop("bare", False)
    source = Corpus([Sentence(each.text) for each in corpus().sentences], ()) if bare else corpus()
    with pytest.raises(UsageError) as caught:
        items_of(source, scheme, **more)
    assert said in str(caught.value)


def test_options_of_corpora_are_not_for_tables(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="items is for a corpus or sentences, and this is a table"):
        items_of(table(tmp_path, "item,text\na,b\n"), items="words")


@pytest.mark.slow
def test_real_systems_and_every_kind_of_item(data: Path) -> None:
    """The numbers of items are those of ``edit_items``, and every candidate is what a system wrote, edit by edit."""
    m2 = data / "conll14/noalt/official-2014.combined.m2"
    outputs = data / "conll14_systems/official_submissions"
    read = read_corpus(m2)
    for items in ("words", "tokens-gaps", "sentences"):
        names = edit_items(read, items).judgments.items
        assert tuple(item.name for item in items_of(m2, OF_ANYTHING, items=items)) == names
    found = items_of(outputs / "INPUT", "choice", systems=[outputs / "AMU"])
    for item in found:
        start, end = item.span or (0, 0)
        assert item.text[start:end] == item.candidates[0]
        assert all("  " not in text and text == text.strip() for text in full(item))
    changed = {item.name.partition(":")[0] for item in found}
    lines = (outputs / "AMU").read_text(encoding="utf-8").splitlines()
    source = (outputs / "INPUT").read_text(encoding="utf-8").splitlines()
    pairs = enumerate(zip(source, lines, strict=True), 1)
    assert changed == {str(number) for number, (one, other) in pairs if one.split() != other.split()}

"""Every option of ``score``, ``compare``, ``ceiling``: signatures name it if it may change a digit, and only then."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from errorbar.cli.ceiling import command as ceiling
from errorbar.cli.compare import command as compare
from errorbar.cli.score import command as score
from tests.helpers.cli import CommandLine

A_LINE = "A {} {}|||{}|||{}|||REQUIRED|||-NONE-|||{}\n"
FIRST = "S a b c d .\n" + A_LINE.format(0, 1, "Det", "X", 0) + A_LINE.format(2, 3, "Prep", "Z", 1) + "\n"
SECOND = "S a b c d .\n" + A_LINE.format(0, 1, "Det", "X||x", 0) + A_LINE.format(0, 1, "Det", "Y", 1) + "\n"
THIRD = "S a b c d .\n" + A_LINE.format(1, 1, "Noun", "q", 2) + A_LINE.format(3, 4, "Det", "x", 0) + "\n"
BARE = "S a b c d .\n\n"
GOLD = (FIRST + SECOND + THIRD + BARE) * 5
TWICE = A_LINE.format(0, 1, "Noun", "X", 0)
SYSTEMS = {
    "one": ["X b c d .", "X b c D .", "a b c d .", "A b C d ."],
    "two": ["X b Z d .", "a b c D .", "a q b c x .", "a b c d ."],
}
DOCUMENTS = '<DOC nid="{}">\n<TEXT>\n<P>\n{}\n</P>\n</TEXT>\n<ANNOTATION teacher_id="0">\n</ANNOTATION>\n</DOC>\n'

# Options that say what is printed, where and by whom, what the exit code rests on, or are for HOO data, whose
# signatures have tests of their own.
NO_DIGIT = {"systems", "gold", "style", "output", "order", "jobs", "pairs", "force", "help"}
NO_DIGIT |= {"fail_if_worse", "junit", "github"}  # what follows from the digits

OWN = "--reference-of one={0} --reference-of two={0}"

# command and what is run, what is added or given otherwise, and the options that this shows.
EDIT = {"start": 2, "end": 3, "replacements": ["X"]}
CHANGES = [
    ("score", "", "--metric m2(beta=2)", "metric"),
    ("score", "", "--beta 2", "beta"),
    ("score", "", "--metric m2(max_unchanged=0)", "metric"),
    ("score", "", "--metric m2(ignore_case_space=true)", "metric"),
    ("score", "--gold choose.m2", "--gold choose.m2 --metric m2(choose=sentence)", "metric"),
    ("score", "", "--metric m2(choose=1)", "metric"),
    ("score", "", "--unmarked everywhere", "unmarked"),
    ("score", "", "--unmarked absent", "unmarked"),
    ("score", "--gold twice.m2 --lenient", "--gold twice.m2 --as-written", "as_written lenient"),
    ("score", "--by type", "--by type --gold types.m2", "by"),
    ("score", "--source plain --gold one", "--source other --gold one", "source"),
    ("compare", "--source plain --gold two", "--source other --gold two", "source"),
    ("ceiling", "--source plain --gold one --gold two", "--source other --gold one --gold two", "source"),
    ("score", "--no-ci", "", "ci"),
    ("score", "", "--ci-method percentile", "ci_method"),
    ("score", "", "--resamples 300", "resamples"),
    ("score", "", "--confidence 0.8", "confidence"),
    ("score", "", "--seed 5", "seed"),
    ("score", "", "--documents pairs.sgml", "documents"),
    ("score", "--documents pairs.sgml", "--documents tens.sgml", "documents"),
    ("score", "joined", "joined --retokenize", "retokenize"),
    ("compare", "joined", "joined --retokenize", "retokenize"),
    ("ceiling", "joined", "joined --retokenize", "retokenize"),
    *((command, "joined", "joined --tokens characters", "tokens") for command in ("score", "compare", "ceiling")),
    *(
        (command, "--gold essays.jsonl", "--gold essays.jsonl --essays sentences", "essays")
        for command in ("score", "compare", "ceiling")
    ),
    ("compare", "", "--swaps 300", "swaps"),
    ("compare", "", "--aggregate expected-wins", "aggregate"),
    ("compare", "--aggregate expected-wins", "--aggregate trueskill", "aggregate"),
    ("compare", "--scores recorded.csv", "--scores others.csv", "scores"),
    ("score", "", "--judges fixed", "judges"),
    ("score", "--judges random(k=1)", "--judges random(k=2)", "judges"),
    ("score", "--pools pools.toml", "--pools others.toml", "pools"),
    ("compare", "--pools pools.toml", "--pools others.toml", "pools"),
    ("ceiling", "--pools pools.toml", "--pools others.toml", "pools"),
    ("score", "--pools three.toml", "--pools three.toml --pools-random", "pools_random"),
    ("compare", "--pools three.toml", "--pools three.toml --pools-random", "pools_random"),
    ("score", OWN.format("gold.m2"), OWN.format("choose.m2"), "reference_of"),
    ("compare", OWN.format("gold.m2"), OWN.format("choose.m2"), "reference_of"),
    ("score", "--gold choose.m2 --judges random", "--gold choose.m2 --judges random(population=none)", "judges"),
    ("compare", "", "--judges fixed", "judges"),
    ("compare", "--judges random(k=1)", "--judges random(k=2)", "judges"),
    ("compare", "joined one", "joined one --adjust holm", "adjust"),
    ("compare", "", "--metric m2(beta=2)", "metric"),
    ("compare", "", "--beta 2", "beta"),
    ("compare", "--no-ci", "", "ci"),
    ("compare", "", "--unmarked everywhere", "unmarked"),
    ("compare", "--gold twice.m2 --lenient", "--gold twice.m2 --as-written", "as_written lenient"),
    ("compare", "", "--ci-method percentile", "ci_method"),
    ("compare", "", "--resamples 300", "resamples"),
    ("compare", "", "--confidence 0.8", "confidence"),
    ("compare", "--no-ci", "--no-ci --confidence 0.8", "confidence"),
    ("compare", "--no-ci", "--no-ci --seed 5", "seed"),
    ("compare", "--no-ci", "--no-ci --documents pairs.sgml", "documents"),
    ("compare", "", "--seed 5", "seed"),
    ("compare", "--documents pairs.sgml", "--documents tens.sgml", "documents"),
    ("ceiling", "", "--metric m2(beta=2)", "metric"),
    ("ceiling", "", "--beta 2", "beta"),
    ("ceiling", "--gold twice.m2 --lenient", "--gold twice.m2 --lenient --as-written", "as_written"),
    ("ceiling", "", "--unmarked all", "unmarked"),
    ("ceiling", "--sizes 1 --by type", "--sizes 2 --by type", "sizes by"),
    ("ceiling", "--by type", "--by type --gold types.m2", "by"),
    ("ceiling", "--most 1", "--most 2", "most"),
    ("ceiling", "", "--judges fixed", "judges"),
    ("ceiling", "--most 1", "--most 1 --seed 7", "seed"),
    ("ceiling", "--no-ci", "--resamples 40", "ci"),
    ("ceiling", "--ci --resamples 40", "--ci --resamples 50", "resamples"),
    ("ceiling", "--ci --resamples 40", "--ci --resamples 40 --confidence 0.8", "confidence"),
    ("ceiling", "--ci --resamples 40", "--ci --resamples 40 --seed 5", "seed"),
    (
        "ceiling",
        "--ci --resamples 40 --documents pairs.sgml",
        "--ci --resamples 40 --documents tens.sgml",
        "documents",
    ),
    ("ceiling", "--n-documents 2 --documents pairs.sgml", "--n-documents 3 --documents pairs.sgml", "n_documents"),
    (
        "ceiling",
        "--n-documents 2 --documents pairs.sgml",
        "--n-documents 2x30 --documents pairs.sgml",
        "n_documents",
    ),
    ("ceiling", "--n-documents 2 --documents pairs.sgml", "--n-documents 2 --documents tens.sgml", "documents"),
    ("ceiling", "--gold overlap.m2 --lenient", "--lenient", "lenient"),
]
SAME = [
    ("score", "", "--ci"),
    ("score", "", "--jobs 2"),
    ("score", "--no-ci", "--no-ci --jobs 2"),
    ("score", "", "--lenient"),
    ("score", "", "--force"),
    ("compare", "", "--force"),
    ("ceiling", "", "--force"),
    ("score", "--by sentence", "--by sentence --gold types.m2"),
    ("score", "", "--gold types.m2"),
    ("score", "--no-ci", "--no-ci --documents pairs.sgml"),
    ("score", "--documents pairs.sgml", "--documents renamed.sgml"),
    ("compare", "", "--jobs 2"),
    ("compare", "", "--pairs"),
    ("compare", "", "--gold types.m2"),
    ("ceiling", "", "--jobs 2"),
    ("ceiling", "--no-ci", "--no-ci --seed 5"),  # every subset is enumerated: nothing is drawn
    ("ceiling", "", "--most 500"),
    ("ceiling", "", "--gold types.m2"),
]


def essays(size: int, name: str = "") -> str:
    return "".join(DOCUMENTS.format(f"{name}{k}", "\n".join(["a b c d ."] * size)) for k in range(20 // size))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(GOLD)
    Path("types.m2").write_text(GOLD.replace("|||Prep|||", "|||Noun|||"))
    Path("twice.m2").write_text(GOLD.replace(FIRST, FIRST.replace("\n\n", f"\n{TWICE}\n")))
    Path("overlap.m2").write_text(
        GOLD.replace(SECOND, SECOND.replace("\n\n", "\n" + A_LINE.format(0, 2, "Det", "v", 0) + "\n"))
    )
    # "X b Z" is all that annotator 0 wants, and two of the three edits of annotator 1: F0.5 100 and 90.91 alone, while
    # two correct edits do more than one for a corpus that has few.
    whole = "S a b c d .\n" + A_LINE.format(0, 3, "Det", "X b Z", 0)
    parts = [A_LINE.format(k, k + 1, "Det", said, 1) for k, said in ((0, "X"), (2, "Z"), (3, "v"))]
    Path("choose.m2").write_text(GOLD.replace(FIRST, "".join([whole, *parts, "\n"])))
    for name, pools in (("pools", ("01", "2")), ("others", ("0", "12")), ("three", "012")):
        named = [f"{name}{k} = {list(judges)}\n" for k, judges in enumerate(pools)]
        Path(f"{name}.toml").write_text("".join(["[pools]\n", *named]))
    for name, size, prefix in (("pairs", 2, ""), ("tens", 4, ""), ("renamed", 2, "essay ")):
        Path(f"{name}.sgml").write_text(essays(size, prefix))
    for name, lines in SYSTEMS.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines * 5))
    # By sentence another annotator can be chosen for each of an essay's two.
    first = EDIT | {"start": 0, "end": 1}
    essay = {"text": "a . b c d .", "annotations": {"0": [first, EDIT], "1": [first], "2": [EDIT]}}
    lines = [json.dumps(essay | {"document": f"e{number}"}) for number in range(20)]
    Path("essays.jsonl").write_text("\n".join(['{"format": "errorbar-corpus", "version": 1}', *lines]) + "\n")
    for name, least in (("recorded", 0.1), ("others", 0.3)):
        scores = [
            f"{system},{number},{least + number * (at + 1) % 7}\n"
            for at, system in enumerate(SYSTEMS)
            for number in range(1, 21)
        ]
        Path(f"{name}.csv").write_text("".join(["system,sentence,score\n", *scores]))
    Path("plain").write_text("a b c d .\n" * 20)
    Path("other").write_text("a b c d e .\n" * 20)
    Path("joined").write_text(Path("one").read_text().replace(" .", "."))


def run(errorbar: CommandLine, command: str, options: str) -> tuple[list[object], set[str]]:
    """Every number and reason of the JSON output, and its signatures."""
    gold = () if any(f"--{name}" in options for name in ("gold", "reference-of", "scores")) else ("--gold", "gold.m2")
    systems = ("two",) if "joined" in options else () if "--scores" in options else SYSTEMS
    done = errorbar(command, *systems, *gold, *options.split(), "--format", "json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    del document["warnings"]
    signatures: set[str] = set()
    return list(leaves(document, signatures)), signatures


def leaves(value: object, signatures: set[str]) -> list[object]:
    if isinstance(value, dict):
        signatures.update(each for key, each in value.items() if key == "signature")
        parts = (each for key, each in value.items() if key not in ("signature", "metric"))
        return [leaf for each in parts for leaf in leaves(each, signatures)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each, signatures)]
    return [value]


@pytest.mark.parametrize(("command", "before", "after", "options"), CHANGES)
def test_what_changes_a_digit_is_named(
    errorbar: CommandLine, command: str, before: str, after: str, options: str
) -> None:
    assert options
    (digits, one), (others, other) = run(errorbar, command, before), run(errorbar, command, after)
    assert digits != others
    assert not one & other


@pytest.mark.parametrize(("command", "before", "after"), SAME)
def test_what_changes_none_is_not(errorbar: CommandLine, command: str, before: str, after: str) -> None:
    assert run(errorbar, command, before) == run(errorbar, command, after)


@pytest.mark.parametrize(("name", "command"), [("score", score), ("compare", compare), ("ceiling", ceiling)])
def test_every_option_is_in_the_list(name: str, command: click.Command) -> None:
    shown = {option for kind, _, _, options in CHANGES if kind == name for option in options.split()}
    offered = {each.name for each in command.params}
    assert offered - NO_DIGIT == shown - NO_DIGIT

"""The fuzzer itself: what a reader does wrong is seen, counted, kept and named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from errorbar.core import InputError, Place, Problem
from errorbar.detectors.model_file import Model, load_model, save_model
from tests.fuzz import __main__ as program
from tests.fuzz import checked, commands, models, pool, trial
from tests.fuzz.__main__ import Run, main
from tests.fuzz.readers import Reader
from tests.fuzz.relations import relation
from tests.fuzz.table_readers import READERS
from tests.fuzz.trial import Outcome
from tests.helpers.commands import every_command

N = 30


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    # Its processes begin with what this one has taken, which is not the readers' doing.
    monkeypatch.setattr(trial, "MOST_KILOBYTES", trial.MOST_KILOBYTES + trial.peak())
    yield
    trial.cases_of.cache_clear()


def reader(read: Callable[[bytes], None]) -> Reader:
    return Reader("mine", lambda: [{"a.txt": b"one\n\ntwo\n"}], lambda folder, _: read((folder / "a.txt").read_bytes()))


def counts(read: Callable[[bytes], None], n: int = N, most_seconds: float = 1.0) -> tuple[int, Run]:
    run = Run([replace(reader(read), most_seconds=most_seconds)], n, seed=0, jobs=2)
    return run.run(), run


@pytest.mark.slow
def test_every_seed_is_read() -> None:
    """Each run of the fuzzer begins with it."""
    pool.warm_up(READERS)


@pytest.mark.slow
def test_an_input_is_the_same_in_another_process() -> None:
    """So that a reproducer's number says something to whoever reads it; hashes of texts differ there.

    Backups of stores hold secrets and times of their own, and are kept with what fails.
    """
    code = "from tests.fuzz.table_readers import READERS; from tests.fuzz.trial import make_trial; import hashlib\n"
    code += "readers = [reader for reader in READERS if reader.name != 'restore']\n"
    code += f"trials = [make_trial(reader, 5, n) for reader in readers for n in range({N})]\n"
    code += "print(hashlib.sha256(repr(trials).encode()).hexdigest())"
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            timeout=1500,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]


def test_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    code, run = counts(lambda _: None)
    assert code == 0
    assert run.counts["mine"] == {Outcome.READ: N}
    assert f"{N} inputs, seed 0" in capsys.readouterr().out


def test_an_exception_is_kept_and_read_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(data: bytes) -> None:
        if data != b"one\n\ntwo\n":
            raise KeyError(1)

    code, run = counts(read)
    assert code == 1
    internal = run.counts["mine"][Outcome.INTERNAL]
    assert 0 < internal < N
    kept = sorted(Path(".fuzz").iterdir())
    assert len(kept) == min(internal, program.MOST_SAVED)
    assert "KeyError: 1" in (kept[0] / "why.txt").read_text()
    monkeypatch.setattr(program, "READERS", (reader(read),))
    capsys.readouterr()
    assert main([str(kept[0])]) == 1
    assert capsys.readouterr().out.startswith(f"{kept[0]}: internal KeyError in ")


def test_refusals_are_counted_by_whether_they_say_where() -> None:
    def read(data: bytes) -> None:
        if b"two" not in data:
            raise InputError(Problem("x", "wrong", Place("a", 1) if b"one" in data else Place()))

    code, run = counts(read, 200)
    assert code == 0
    assert {Outcome.READ, Outcome.PLACED, Outcome.UNPLACED} == set(run.counts["mine"])


def test_mutants_that_are_never_read_test_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def read(_: bytes) -> None:
        raise InputError(Problem("x", "wrong", Place("a", 1)))

    code, run = counts(read)
    assert code == 1
    assert not run.kinds
    assert "fewer than 20% are read of: mine" in capsys.readouterr().out


@pytest.mark.slow
def test_what_takes_long_is_slow() -> None:
    def read(_: bytes) -> None:
        for _number in range(10):
            sum(bytearray(1 << 24))

    assert counts(read, 2, most_seconds=0)[1].counts["mine"][Outcome.SLOW] > 0


def test_what_takes_much_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: bytes) -> None:
        assert bytes([1]) * (1024 * trial.peak() + (1 << 24))  # more than this process ever had

    monkeypatch.setattr(trial, "MOST_KILOBYTES", 0)
    assert counts(read, 2)[1].counts["mine"][Outcome.LARGE] > 0


@pytest.mark.parametrize(("end", "outcome"), [(signal.SIGSEGV, Outcome.INTERNAL), (signal.SIGXCPU, Outcome.SLOW)])
def test_a_worker_that_dies_takes_no_other_input_with_it(end: signal.Signals, outcome: Outcome) -> None:
    """SIGXCPU is how the system ends what has used up its processor time."""

    def read(data: bytes) -> None:
        if b"two" not in data:
            signal.signal(end, signal.SIG_DFL)  # the tests' own handler of crashes would print
            os.kill(os.getpid(), end)

    run = counts(read, 20)[1]
    assert run.counts["mine"].total() == 20
    assert set(run.counts["mine"]) == {Outcome.READ, outcome}


@pytest.mark.slow
def test_what_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(data: bytes) -> None:
        while b"two" not in data:
            pass

    monkeypatch.setattr(pool, "HUNG_SECONDS", 1)
    run = counts(read, 12)[1]
    assert run.counts["mine"].total() == 12
    assert run.counts["mine"][Outcome.SLOW] > 0


def ran(reader: Reader) -> tuple[int, Run]:
    run = Run([reader], 4, seed=0, jobs=1)
    return run.run(), run


def test_two_ways_that_lead_to_different_things_are_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """Different values, and a value where the other way refuses; two refusals are none."""

    def refuse(_: Path) -> object:
        raise InputError(Problem("x", "wrong", Place("a", 1)))

    def make() -> list[dict[str, bytes]]:
        return [{"a.txt": b"one\n"}]

    assert ran(relation("equal", make, lambda _: 1, lambda _: 1))[0] == 0
    for way, other in ((lambda _: 1, lambda _: 2), (lambda _: 1, refuse), (refuse, lambda _: 1)):
        code, run = ran(relation("other", make, way, other))
        assert code == 1
        assert run.counts["same-other"][Outcome.INTERNAL] == 4
    assert ran(relation("refused", make, refuse, refuse))[1].counts["same-refused"][Outcome.PLACED] == 4
    assert "BrokenRelationError" in capsys.readouterr().out


def test_mutated_models_have_hashes_that_fit(tmp_path: Path) -> None:
    """Else the hash would refuse every one of them, and nothing behind it would be looked at."""
    whole = Model("ngrams", {"bits": 3}, {}, {"a": np.arange(5)})
    save_model(whole, tmp_path / "a.model")
    content, said = (tmp_path / "a.model").read_bytes(), Counter[str]()
    for number in range(40):
        (tmp_path / "b.model").write_bytes(models.odd_array(Random(number), content))
        try:
            load_model(tmp_path / "b.model", "ngrams")
            said["read"] += 1
        except InputError as error:
            said[error.problems[0].what] += 1
    assert said["read"] > 15
    assert not [what for what in said if "not what was written" in what]


def test_every_command_is_tried_or_left_out_on_purpose() -> None:
    """A new command is tried as soon as it is there; one that went must not stay in the lists."""
    names = {name for name, _ in every_command()}
    assert names >= commands.LEFT_OUT
    assert set(commands.TYPICAL) <= set(commands.commands()) == names - commands.LEFT_OUT
    lines = [json.loads(commands.wild_line(Random(number), b"")) for number in range(300)]
    assert {word for line in lines for word in line} >= {"--gold", "--seed", "--confidence", "--format"}


@pytest.mark.slow
def test_checked_kernels_see_an_index_beyond_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import tests.fuzz, numpy as np\nfrom errorbar.detectors import _learn\n"
        "rows, zeros = np.full((1, 16), 10**6, np.int32), lambda n, t: np.zeros(n, t)\n"
        "try:\n"
        "    _learn.tag_tokens(rows, zeros((1, 5), np.uint32), zeros(5, np.int8), zeros(5, np.uint32),\n"
        "        np.array([[0, 1]]), zeros(257, np.int32), zeros(0, np.int8), zeros(0, np.float32),\n"
        "        zeros(1, np.int8), 8)\n"
        "except IndexError:\n    raise SystemExit(7)\n"
    )
    monkeypatch.setattr(checked, "PROGRAM", ("-c", code))
    monkeypatch.setenv("PYTHONPATH", str(checked.ROOT))
    assert checked.run_again([]) == 7

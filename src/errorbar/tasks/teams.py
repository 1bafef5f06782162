"""The teams of a task's TOML file, and the runs that they handed in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from errorbar.core.errors import Place, nearest
from errorbar.tasks.config import Submission, TaskCorpus, Team
from errorbar.tasks.fields import Fields

TEAM_KEYS = (
    "name",
    "full_name",
    "affiliation",
    "approach",
    "resources",
    "submissions",
    "submitted",
    "late",
    "run",
)
RUN_KEYS = ("number", "file", "corpus", "submitted", "late")
_NUMBER = re.compile(r"(?<!\d)(\d{1,9})$")
_ENDINGS = (".gz", ".txt", ".out", ".xml")


class TeamReader:
    """Reads one ``[[team]]`` after another.

    Args:
        corpora: The corpora of the task.
        deadline: After it, a run is late.
        runs_per_team: How many runs a team may hand in for a corpus.
    """

    def __init__(self, corpora: Sequence[TaskCorpus], deadline: datetime | None, runs_per_team: int) -> None:
        self.corpora = {corpus.name: corpus for corpus in corpora}
        self.deadline = deadline
        self.runs_per_team = runs_per_team
        self.teams: list[Team] = []
        self._n_run_tables = 0

    def read(self, fields: Fields) -> None:
        """Read a team; what is wrong is recorded with the fields' problems."""
        fields.only(TEAM_KEYS)
        name = fields.text("name", required=True)
        if name and name in [team.name for team in self.teams]:
            fix = "give one of them another name"
            fields.problems.error("task-same-name", f"two teams are called '{name}'", fields.place("name"), fix=fix)
        elif name and ("/" in name or name.startswith(".") or not name.isprintable()):
            fields.wrong("name", name, "a name that can be the name of a file")
        runs: list[Submission] = []
        late = fields.flag("late")
        submitted = fields.moment("submitted")
        for corpus, said in self._by_corpus(fields):
            for number, path in self._found(fields, said, self.corpora[corpus].kind == "hoo"):
                self._add(fields, runs, name, (number, corpus, path), submitted, late)
        first = self._n_run_tables
        tables = fields.values.get("run", [])
        self._n_run_tables += len(tables) if isinstance(tables, list) else 0

        def one(table: Fields) -> None:
            table.where = ("team.run", first + table.where[1])
            self._run(table, runs, name, submitted, late)

        fields.each("run", one)
        self.teams.append(
            Team(
                name,
                fields.text("full_name"),
                fields.text("affiliation"),
                fields.text("approach"),
                fields.text("resources"),
                tuple(sorted(runs, key=lambda run: (list(self.corpora).index(run.corpus), run.run))),
                fields.place().line,
            )
        )

    def _by_corpus(self, fields: Fields) -> list[tuple[str, tuple[str, ...]]]:
        """What is handed in for which corpus."""
        said = fields.values.get("submissions")
        if said is None:
            return []
        if isinstance(said, Mapping):
            inner = Fields(said, fields.file, fields.where, fields.problems)
            found = []
            for corpus in said:
                if corpus in self.corpora:
                    found.append((corpus, inner.texts(corpus)))
                else:
                    self._no_corpus(fields, "submissions", str(corpus))
            return found
        corpus = self._default(fields, "submissions")
        return [(corpus, fields.texts("submissions"))] if corpus else []

    def _default(self, fields: Fields, key: str) -> str:
        tests = [corpus.name for corpus in self.corpora.values() if corpus.role == "test"]
        if len(tests) == 1:
            return tests[0]
        if self.corpora:  # without any, that is what is wrong, and said
            what = f"{len(tests)} test corpora, so it must be said which one these runs are for"
            expected = 'submissions = { CORPUS = "folder" }'
            fields.problems.error("task-value", what, fields.place(key), expected=expected)
        return ""

    def _no_corpus(self, fields: Fields, key: str, name: str) -> None:
        fix = nearest(name, self.corpora)
        fields.problems.error("task-value", f"no corpus is called '{name}'", fields.place(key), fix=fix)

    def _found(self, fields: Fields, said: Sequence[str], hoo: bool) -> list[tuple[int, Path]]:
        """Run numbers and paths: a folder holds one run in each file (or, of HOO, in each folder)."""
        paths: list[Path] = []
        for text in said:
            for path in fields.existing("submissions", text):
                inside = sorted(each for each in path.iterdir() if each.name[0] != ".") if path.is_dir() else []
                runs = [each for each in inside if (each.is_dir() if hoo else each.is_file())]
                if not path.is_dir() or (hoo and not runs):  # a run itself
                    paths.append(path)
                    runs = inside
                else:
                    paths += runs
                if path.is_dir() and not inside:
                    fields.problems.note("task-no-runs", "the folder is empty", Place(str(path)))
                for each in inside:
                    if each not in runs:
                        fix = f"a run is a {'folder' if hoo else 'file'}"
                        fields.problems.note("task-not-a-run", "left out: this is no run", Place(str(each)), fix=fix)
        numbers = [run_number(path) for path in paths]
        # Without a number in every name the order of the names counts.
        if None in numbers:
            if any(number is not None for number in numbers):
                named = ", ".join(f"{path.name} is run {number}" for number, path in enumerate(paths, 1))
                what = f"not every name has a run's number at its end, so the order of the names counts: {named}"
                fields.problems.note("task-run-numbers", what, fields.place("submissions"), fix="rename the files")
            return list(enumerate(paths, 1))
        return [(number, path) for number, path in zip(numbers, paths, strict=True) if number is not None]

    def _run(
        self, fields: Fields, runs: list[Submission], team: str, submitted: datetime | None, late: bool | None
    ) -> None:
        fields.only(RUN_KEYS)
        corpus = fields.text("corpus") or self._default(fields, "file")
        if corpus and corpus not in self.corpora:
            self._no_corpus(fields, "corpus", corpus)
            return
        path = fields.path("file")
        if "file" not in fields.values:
            fields.text("file", required=True)
        number = fields.whole("number", len(runs) + 1)
        if path is None or not corpus:
            return
        own = fields.flag("late")
        moment = fields.moment("submitted") or submitted
        self._add(fields, runs, team, (number, corpus, path), moment, late if own is None else own)

    def _add(
        self,
        fields: Fields,
        runs: list[Submission],
        team: str,
        what: tuple[int, str, Path],
        submitted: datetime | None,
        late: bool | None,
    ) -> None:
        number, corpus, path = what
        own = [run for run in runs if run.corpus == corpus]
        key = "file" if "file" in fields.values else "submissions"
        if number in [run.run for run in own]:
            said = f"team {team} has two runs of number {number} for corpus '{corpus}'"
            fields.problems.error("task-same-run", said, fields.place(key), fix=f"rename {path.name}")
            return
        if len(own) == self.runs_per_team:
            said = f"run {number} of team {team} ({path.name}) is one more than the {self.runs_per_team} allowed"
            fix = "leave it out, or raise runs_per_team"
            fields.problems.error("task-too-many-runs", said, fields.place(key), fix=fix)
            return
        if submitted is None and self.deadline is not None:
            submitted = datetime.fromtimestamp(_changed(path), UTC)
        after = submitted is not None and self.deadline is not None and submitted > self.deadline
        runs.append(Submission(team, number, corpus, path, after if late is None else late, submitted))


def _changed(path: Path) -> float:
    """When a run was last changed; a folder's own time does not tell what became of the files in it."""
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else []
    return max(each.stat().st_mtime for each in files or [path])


def run_number(path: Path) -> int | None:
    """The number at the end of a run's name, or None."""
    stem = path.name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    match = _NUMBER.search(stem)
    return int(match[1]) if match else None

"""What a shared task consists of, as its organizers wrote it down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from errorbar.core.errors import Place
from errorbar.formats import toml_tables as toml
from errorbar.formats.reference import UNMARKED, Unmarked
from errorbar.formats.toml_tables import Field
from errorbar.tasks.competition import Competition

Kind = Literal["m2", "hoo"]
Role = Literal["test", "dev"]
MadeBy = Literal["corrector", "detector"]
KINDS: tuple[Kind, ...] = ("m2", "hoo")
ROLES: tuple[Role, ...] = ("test", "dev")
RUNS_PER_TEAM = 10


@dataclass(frozen=True, slots=True)
class TaskCorpus:
    """Data that systems are scored on; of kind ``hoo`` the paths are folders."""

    name: str
    role: Role = "test"  # what submissions are for, or dev: what teams try their systems on
    kind: Kind = "m2"
    gold: tuple[Path, ...] = ()  # empty where only the source was handed out
    source: Path | None = None
    annotators: tuple[Path, ...] = ()  # files of single annotators; empty: the gold files
    alternatives: tuple[Path, ...] = ()  # reference files that include accepted alternative answers
    documents: Path | None = None  # NUCLE SGML that tells the essay of each sentence
    unmarked: Unmarked = "auto"
    lenient: bool = False
    missing_as_empty: bool = False
    line: int = 0  # where the TOML file describes it


@dataclass(frozen=True, slots=True)
class Made:
    """A system that errorbar runs itself, a baseline."""

    kind: MadeBy
    spec: str  # as ``errorbar correct`` or ``errorbar detect`` takes it
    models: Path | None  # folder of its models; None: where the commands look
    place: Place  # where the TOML file names it
    models_hash: str = ""  # of the models that made the output, once it is made, as the next
    table: Path | None = None  # flags and scores of a detector


@dataclass(frozen=True, slots=True)
class Submission:
    """One run of a team for a corpus."""

    team: str
    run: int
    corpus: str
    path: Path
    late: bool = False
    submitted: datetime | None = None  # None where nobody asked, because there is no deadline
    made: Made | None = None  # what makes its output; None: a team handed it in

    @property
    def name(self) -> str:
        """What its row is called: ``CAMB-1``, and a baseline by its own name."""
        return f"{self.team}-{self.run}" if self.made is None else self.team


@dataclass(frozen=True, slots=True)
class Team:
    """A team, what the table of profiles says of it, and its runs by corpus and number."""

    name: str
    full_name: str = ""
    affiliation: str = ""
    approach: str = ""
    resources: str = ""
    submissions: tuple[Submission, ...] = ()
    line: int = 0
    baseline: bool = False  # errorbar makes its runs


@dataclass(frozen=True, slots=True)
class Task:
    """A shared task: its data and teams, as the TOML file has them."""

    name: str
    file: Path
    corpora: tuple[TaskCorpus, ...]
    teams: tuple[Team, ...]  # in the order of the file, behind them baselines
    metrics: tuple[str, ...]  # specs; the first one ranks
    deadline: datetime | None  # submissions after it are marked late
    runs_per_team: int  # most, for each corpus
    cache: Path  # folder of the statistics already made
    competition: Competition = Competition()  # noqa: RUF009 - frozen

    def corpus(self, name: str) -> TaskCorpus:
        """The corpus of a name that the reader has checked."""
        return next(corpus for corpus in self.corpora if corpus.name == name)

    def with_role(self, role: Role) -> Sequence[TaskCorpus]:
        """The test or the development data."""
        return [corpus for corpus in self.corpora if corpus.role == role]

    def submissions(self, corpus: str) -> list[Submission]:
        """Every run for a corpus, team by team."""
        return [run for team in self.teams for run in team.submissions if run.corpus == corpus]


# The keys of each table of the file.
TASK = {
    "name": Field(toml.name, "", required=True),
    "deadline": Field(toml.moment),
    "runs_per_team": Field(toml.whole, RUNS_PER_TEAM),
    "metrics": Field(toml.texts, ()),
    "cache": Field(toml.inside),
}
CORPUS = {
    "name": Field(toml.name, "", required=True),
    "role": Field(toml.one_of(*ROLES), "test"),
    "kind": Field(toml.one_of(*KINDS)),
    "gold": Field(toml.paths, ()),
    "source": Field(toml.path),
    "annotators": Field(toml.paths, ()),
    "alternatives": Field(toml.paths, ()),
    "documents": Field(toml.path),
    "unmarked": Field(toml.one_of(*UNMARKED), "auto"),
    "lenient": Field(toml.flag, default=False),
    "missing_as_empty": Field(toml.flag, default=False),
}
PROFILE = ("full_name", "affiliation", "approach", "resources")
TEAM = {
    "name": Field(toml.file_name, "", required=True),
    **{key: Field(toml.text, "") for key in PROFILE},
    "submissions": Field(toml.raw),
    "submitted": Field(toml.moment),
    "late": Field(toml.flag),
    "run": Field(toml.raw),
}
RUN = {
    "number": Field(toml.whole),
    "file": Field(toml.path, required=True),
    "corpus": Field(toml.text, ""),
    "submitted": Field(toml.moment),
    "late": Field(toml.flag),
}
SYSTEM = {
    "name": Field(toml.file_name, "", required=True),
    "corrector": Field(toml.text, ""),
    "detector": Field(toml.text, ""),
    "models": Field(toml.path),
}

"""What a shared task consists of, as its organizers wrote it down: plain data with absolute meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from errorbar.formats.reference import Unmarked

Kind = Literal["m2", "hoo"]
Role = Literal["test", "dev"]
KINDS: tuple[Kind, ...] = ("m2", "hoo")
ROLES: tuple[Role, ...] = ("test", "dev")
RUNS_PER_TEAM = 10


@dataclass(frozen=True, slots=True)
class TaskCorpus:
    """Data that systems are scored on.

    Attributes:
        name: Its name, unique in the task.
        role: ``test``, what submissions are for, or ``dev``, what teams try their systems on.
        kind: ``m2`` (one sentence per line; M2 or JSONL references) or ``hoo`` (folders of stand-off edits).
        gold: Reference files; of kind ``hoo`` one folder. Empty where only the source was handed out.
        source: The source alone: a text of one sentence per line, or a folder of texts.
        annotators: Files of single annotators, for the tables that compare them; empty: the gold files.
        alternatives: Reference files that include accepted alternative answers.
        documents: NUCLE SGML that tells the essay of each sentence.
        unmarked: What a sentence without any A line means.
        lenient: Mend what can be mended in the reference files, and say so.
        missing_as_empty: Of kind ``hoo``: a text that a run lacks counts as one without edits.
        line: Where the TOML file describes it.
    """

    name: str
    role: Role = "test"
    kind: Kind = "m2"
    gold: tuple[Path, ...] = ()
    source: Path | None = None
    annotators: tuple[Path, ...] = ()
    alternatives: tuple[Path, ...] = ()
    documents: Path | None = None
    unmarked: Unmarked = "auto"
    lenient: bool = False
    missing_as_empty: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class Submission:
    """One run of a team.

    Attributes:
        team: Who submitted it.
        run: Its number.
        corpus: The corpus it is for.
        path: The file, or the folder of a HOO run.
        late: Whether it came after the deadline.
        submitted: When it came; None where nobody asked, because there is no deadline.
    """

    team: str
    run: int
    corpus: str
    path: Path
    late: bool = False
    submitted: datetime | None = None

    @property
    def name(self) -> str:
        """What its row is called: ``CAMB-1``."""
        return f"{self.team}-{self.run}"


@dataclass(frozen=True, slots=True)
class Team:
    """A team, and what the table of profiles says of it.

    Attributes:
        name: Short name, unique in the task.
        full_name: The name written out.
        affiliation: Where its members work.
        approach: How its system works.
        resources: What it was built from.
        submissions: Its runs, by corpus and number; empty where none was handed in or released.
        line: Where the TOML file describes it.
    """

    name: str
    full_name: str = ""
    affiliation: str = ""
    approach: str = ""
    resources: str = ""
    submissions: tuple[Submission, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A shared task.

    Attributes:
        name: Its title.
        file: The TOML file.
        corpora: Test and development data.
        teams: Who takes part, in the order of the file.
        metrics: Specs of what is computed; the first one ranks.
        deadline: Submissions after it are marked late; None: none is.
        runs_per_team: How many runs a team may hand in for a corpus.
        cache: Folder of the counts already made.
    """

    name: str
    file: Path
    corpora: tuple[TaskCorpus, ...]
    teams: tuple[Team, ...]
    metrics: tuple[str, ...]
    deadline: datetime | None
    runs_per_team: int
    cache: Path

    def corpus(self, name: str) -> TaskCorpus:
        """The corpus of a name that the reader has checked."""
        return next(corpus for corpus in self.corpora if corpus.name == name)

    def with_role(self, role: Role) -> Sequence[TaskCorpus]:
        """The test or the development data."""
        return [corpus for corpus in self.corpora if corpus.role == role]

    def submissions(self, corpus: str) -> list[Submission]:
        """Every run for a corpus, team by team."""
        return [run for team in self.teams for run in team.submissions if run.corpus == corpus]

"""A competition on Codabench: the columns of its leaderboard, its settings and pages, and the score of a submission.

The data of a task become files that can be moved: references for who scores, sources and development data for teams.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Literal, NamedTuple

from errorbar.api.arguments import public
from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, MissingExtraError, Place, Problem, Problems, UsageError, visible_json
from errorbar.formats.hoo import list_gold
from errorbar.formats.saving import save_lines
from errorbar.formats.token_labels import CORRECT
from errorbar.reporting.board import team_report
from errorbar.reporting.export import make_folder, save_report
from errorbar.reporting.sections.assemble import build_report
from errorbar.reporting.sections.figures import slug
from errorbar.stats.resampling import Resampling
from errorbar.tasks.config import Task, TaskCorpus, Team, TeamSubmission, read_task
from errorbar.tasks.running import FragmentData, TaskData, read_data, run_task, study_best, submission_kind
from errorbar.tasks.task_results import RunScores, TaskResults, strip_folders
from errorbar.version import __version__

ENDINGS = {"text": ".txt", "essays": ".md", "labels": ".tsv", "folder": ""}
DESCRIPTIONS = {
    "text": "a text of one corrected sentence per line, {n:,} lines",
    "essays": "the file of essays, all {n:,} of them, corrected",
    "labels": "a line for each token, the token, a tab and c or i, and a blank line behind each of {n:,} sentences",
    "folder": "a folder with a corrected text NAME.txt, or a file of edits, for each of {n:,} texts",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a submission for a corpus, and a submission that changes nothing."""

    kind: str  # ``text``, ``essays``, ``labels`` or ``folder``
    slug: str  # the corpus' name as a part of names of files
    n_units: int  # sentences, essays or texts
    source: Mapping[str, bytes]  # what teams get, by name
    unchanged: Mapping[str, bytes]  # a submission in which nothing is changed, by name

    @property
    def name(self) -> str:
        """The name of the file or folder."""
        return f"{self.slug}{ENDINGS[self.kind]}"

    @property
    def description(self) -> str:
        """Its description in words."""
        return DESCRIPTIONS[self.kind].format(n=self.n_units)


def submission_form(corpus: TaskCorpus, data: TaskData) -> Form:
    """The form of submissions for a corpus that has been read.

    Raises:
        UsageError: If texts of HOO data are missing.
    """
    name = slug(corpus.name)
    if isinstance(data, FragmentData):
        texts = {fragment.name: fragment.text for fragment in data.units}
        if lost := next((fragment for fragment, text in texts.items() if text is None), None):
            message = f"corpus '{corpus.name}': there is no source text of fragment {lost}, which teams would get"
            raise UsageError(Problem("bundle-no-text", message, fix="name their folder: source = ..."))
        source = {f"{fragment}.txt": str(text).encode() for fragment, text in texts.items()}
        return Form("folder", name, len(texts), source, {f"{name}/{file}": text for file, text in source.items()})
    lines = [sentence.text for sentence in data.units]
    kind = submission_kind(corpus)
    if corpus.source is not None:
        content = corpus.source.read_bytes()
        source = {corpus.source.name: content}
    else:
        content = _text(lines)
        source = {f"{name}.txt": content}
    if kind == "labels":
        tokens = [[*(f"{token}\t{CORRECT}" for token in sentence.tokens), ""] for sentence in data.units]
        content = _text([line for sentence in tokens for line in sentence])
    elif kind == "text":
        content = _text(lines)
    return Form(kind, name, len(lines), source, {f"{name}{ENDINGS[kind]}": content})


def check_names(forms: Mapping[str, Form]) -> None:
    """Refuse one name for the submissions of two corpora."""
    seen: dict[str, str] = {}
    for corpus, form in forms.items():
        if form.slug in seen:
            message = f"corpora '{seen[form.slug]}' and '{corpus}' would both be called {form.slug} in a submission"
            raise UsageError(Problem("bundle-names", message, Place(), fix="rename one of them"))
        seen[form.slug] = corpus


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say
MODE = 0o100644 << 16  # a regular file that everybody may read
UNIX = 3


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Files by name as a zip: sorted, all of one day, without folders' own entries."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, MODE, UNIX
            archive.writestr(entry, files[name])
    return content.getvalue()


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


FILE = "task.toml"
LISTS = ("gold", "annotators", "alternatives")
TomlValue = str | bool | list[str]


def reference_files(task: Task, corpus: TaskCorpus) -> dict[str, bytes]:
    """The files that score runs for a corpus: a task file of it alone, and all that this names."""
    values, files = _corpus(corpus, "")
    files[FILE] = _task_file(task, [values])
    return files


def kit_files(task: Task, forms: Mapping[str, Form]) -> dict[str, bytes]:
    """The files for teams: sources of test data, all of the development data; ``forms`` are of the corpora meant."""
    tables: list[Mapping[str, TomlValue]] = []
    files: dict[str, bytes] = {}
    for corpus in task.corpora:
        if corpus.name not in forms:
            continue
        form = forms[corpus.name]
        values: dict[str, TomlValue] = {"name": corpus.name, "role": corpus.role, "kind": corpus.kind}
        own: dict[str, bytes] = {}
        if corpus.role == "dev" and corpus.gold:
            values, own = _corpus(corpus, f"{form.slug}/")
        if "source" not in values and not (own and corpus.kind == "hoo"):  # whose texts stand beside their edits
            source = below(f"{form.slug}/source", form.source)
            values["source"] = f"{form.slug}/source" if corpus.kind == "hoo" else next(iter(source))
            own |= source
        values["missing_as_empty"] = corpus.missing_as_empty
        tables.append(values)
        files |= own
    files[FILE] = _task_file(task, tables)
    return files


def read_bytes(path: Path) -> bytes:
    """The content of a regular file."""
    if path.exists() and not path.is_file():
        message = "this is no regular file, which a bundle could hold"
        raise UsageError(Problem("bundle-file", message, Place(str(path)), fix="save it to a file, and name that"))
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(Problem("cannot-open", message, Place(str(path)))) from None


def _task_file(task: Task, corpora: Iterable[Mapping[str, TomlValue]]) -> bytes:
    lines = _toml_lines("[task]", {"name": task.name, "metrics": list(task.metrics)})
    for values in corpora:
        lines += ["", *_toml_lines("[[corpus]]", values)]
    return ("\n".join(lines) + "\n").encode()


def _toml_lines(header: str, values: Mapping[str, TomlValue]) -> list[str]:
    """A table; empty texts and lists, and ``False``, are left out. TOML writes the others as JSON does."""
    written = {key: visible_json(json.dumps(value, ensure_ascii=False)) for key, value in values.items() if value}
    return [header, *(f"{key} = {text}" for key, text in written.items())]


def _corpus(corpus: TaskCorpus, folder: str) -> tuple[dict[str, TomlValue], dict[str, bytes]]:
    """The table of a corpus whose files are in a folder, and these files.

    The names of files stay, since annotators are called by them.
    """
    values: dict[str, TomlValue] = {"name": corpus.name, "role": corpus.role, "kind": corpus.kind}
    files: dict[str, bytes] = {}

    def take(key: str, paths: Sequence[Path]) -> list[str]:
        names = [f"{folder}{key}/{path.name}" for path in paths]
        files.update({name: read_bytes(path) for name, path in zip(names, paths, strict=True)})
        return names

    if corpus.kind == "hoo":
        source = None if corpus.source is None else str(corpus.source)
        for fragment in list_gold(str(corpus.gold[0]), source=source):
            for part, file in (("Gold", fragment.edits), ("Raw", fragment.text)):
                if file is not None:
                    files[f"{folder}gold/{part}/{file.path.name}"] = read_bytes(file.path)
        values["gold"] = [f"{folder}gold"]
    else:
        values |= {key: take(key, getattr(corpus, key)) for key in LISTS}
        for key, path in (("source", corpus.source), ("documents", corpus.documents)):
            if path is not None:
                (values[key],) = take(key, [path])
        if corpus.unmarked != "auto":
            values["unmarked"] = corpus.unmarked
    values |= {"lenient": corpus.lenient, "missing_as_empty": corpus.missing_as_empty}
    return values, files


LONGEST = 36  # characters of a column's key, and of its title, that Codabench takes
DIGITS = 4  # of fractions, which are percent with two
COUNT_DIGITS = 2  # of counts that are means
ALTERNATIVES = "_alternatives"  # the end of keys of scores with alternative answers


class LeaderColumn(NamedTuple):
    """A column."""

    key: str
    title: str
    better: Literal["higher", "lower", ""]  # empty: neither
    digits: int


ColumnValue = tuple[LeaderColumn, float | None]


def leader_columns(run: RunScores) -> list[ColumnValue]:
    """The columns with a run's values, None where one is undefined; the first ranks.

    First the measures of each metric, beginning with the one that ranks; the same with alternative answers; the number
    of sentences that the run changes; the counts behind the measures.
    """
    several = len(run.gold) > 1
    shorts = [re.sub(r"[^a-z0-9]+", "_", score.metric.lower()).strip("_") for score in run.gold]
    ways: list[_ColumnNames] = []
    for at, (short, score) in enumerate(zip(shorts, run.gold, strict=True)):
        named = _ColumnNames(f"{short}_", f" ({score.metric})") if several else _ColumnNames("", "")
        columns = [column for column, _ in (*_measures(run, at, named), *_counts(run, at, named))]
        fits = max(len(text) for column in columns for text in column[:2]) <= LONGEST and shorts.count(short) == 1
        ways.append(named if fits else _ColumnNames(f"metric{at + 1}_", f" (metric {at + 1})"))
    valued = [column for at, way in enumerate(ways) for column in _measures(run, at, way)]
    valued.sort(key=lambda column: column[0].key.endswith(ALTERNATIVES))  # behind all others
    if run.gold[0].unit == "sentence":
        valued.append((LeaderColumn("changed", "changed", "", 0), run.n_changed))
    return valued + [column for at, way in enumerate(ways) for column in _counts(run, at, way)]


class _ColumnNames(NamedTuple):
    """The parts of names that distinguish the columns of a metric from those of others."""

    before: str  # its keys
    behind: str  # its titles


def _measures(run: RunScores, at: int, way: _ColumnNames) -> Iterator[ColumnValue]:
    for scores, ending, suffix in ((run.gold, "", ""), (run.alternatives, ALTERNATIVES, " alt.")):
        for score in scores[at : at + 1]:
            for measure in sorted(score.measures, key=lambda measure: measure.name != score.main):
                group = f", {measure.group}" * bool(measure.group)
                title = f"{measure.title}{suffix}{group}{way.behind}"
                column = LeaderColumn(f"{way.before}{measure.name}{ending}", title, measure.better, DIGITS)
                yield column, score[measure.name].value


def _counts(run: RunScores, at: int, way: _ColumnNames) -> Iterator[ColumnValue]:
    for name, count in run.gold[at].counts.items():
        digits = 0 if isinstance(count, int) else COUNT_DIGITS
        yield LeaderColumn(f"{way.before}{name}", f"{name.replace('_', ' ')}{way.behind}", "", digits), count


ALWAYS = datetime(2020, 1, 1, tzinfo=UTC)  # the start of a competition that names none: it is open
SECONDS = 600  # that scoring a submission may take
RULE = "Force_Best"  # a participant's best run is shown, as on errorbar's own boards


@dataclass(frozen=True, slots=True)
class Phase:
    """A time in which runs are taken, for which corpora."""

    name: str
    description: str
    start: datetime
    end: datetime | None
    corpora: tuple[TaskCorpus, ...]
    kit: str


def phases_of(task: Task) -> list[Phase]:
    """The test phase until the deadline; where it has a start and there are gold edits for it, a development phase."""
    competition = task.competition
    dev = tuple(corpus for corpus in task.with_role("dev") if corpus.gold)
    test = tuple(corpus for corpus in task.with_role("test") if corpus.gold)
    phases = []
    if competition.start is not None and dev:
        about = "Runs on the development data, whose gold edits are in the starting kit."
        phases.append(
            Phase("Development", about, competition.dev_start or ALWAYS, competition.start, dev, "starting_kit_dev.zip")
        )
    about = "Runs on the test data."
    phases.append(Phase("Test", about, competition.start or ALWAYS, task.deadline, test, "starting_kit.zip"))
    return phases


def competition_yaml(
    task: Task, image: str, forms: Mapping[str, Form], columns: Sequence[LeaderColumn], pages: Sequence[tuple[str, str]]
) -> bytes:
    """The settings; ``pages`` are titles and files."""
    competition, phases = task.competition, phases_of(task)
    corpora = [corpus for phase in phases for corpus in phase.corpora]
    numbers = {corpus.name: at for at, corpus in enumerate(corpora)}
    top: dict[str, Any] = {
        "version": 2,
        "title": task.name,
        "description": competition.description or f"{task.name}: submissions are scored by errorbar {__version__}.",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "registration_auto_approve": False,
        "docker_image": image,
        "make_programs_available": False,
        "make_input_data_available": False,
        "enable_detailed_results": True,
        "show_detailed_results_in_submission_panel": True,
        "show_detailed_results_in_leaderboard": True,
    }
    if competition.contact_email:
        top["contact_email"] = competition.contact_email
    top["pages"] = [{"title": title, "file": file} for title, file in pages]
    top["phases"] = [
        {
            "index": at,
            "name": phase.name,
            "description": phase.description,
            "start": _time(phase.start),
            **({} if phase.end is None else {"end": _time(phase.end)}),
            "max_submissions": task.runs_per_team,
            "max_submissions_per_day": competition.submissions_per_day or task.runs_per_team,
            "execution_time_limit": SECONDS,
            "accepts_only_result_submissions": True,
            "starting_kit": phase.kit,
            "tasks": [numbers[corpus.name] for corpus in phase.corpora],
        }
        for at, phase in enumerate(phases)
    ]
    top["tasks"] = [
        {
            "index": at,
            "name": f"{task.name}: {corpus.name}",
            "description": f"A submission holds {forms[corpus.name].name}: {forms[corpus.name].description}.",
            "scoring_program": "scoring_program.zip",
            "reference_data": f"reference_{forms[corpus.name].slug}.zip",
        }
        for at, corpus in enumerate(corpora)
    ]
    listed = [
        {
            "title": column.title,
            "key": column.key,
            "index": at,
            "sorting": "asc" if column.better == "lower" else "desc",
            "precision": column.digits,
        }
        for at, column in enumerate(columns)
    ]
    top["leaderboards"] = [{"title": "Results", "key": "main", "submission_rule": RULE, "columns": listed}]
    text: str = load_yaml().safe_dump(top, allow_unicode=True, sort_keys=False, width=math.inf)
    return text.encode()


def load_yaml() -> ModuleType:
    """Import PyYAML; raises ``MissingExtraError`` if it is not installed."""
    try:
        return import_module("yaml")
    except ModuleNotFoundError:
        raise MissingExtraError("codabench", "a competition bundle") from None


def _time(moment: datetime) -> str:
    """As text: of what YAML itself takes for a time, hosts have kept the day alone."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def overview_page(task: Task, forms: Mapping[str, Form]) -> str:
    """The page about the task, and how to take part."""
    names = {corpus.name: f"`{forms[corpus.name].name}`" for phase in phases_of(task) for corpus in phase.corpora}
    rows = [
        f"| {_cell(corpus.name)} | {corpus.role} | {forms[corpus.name].n_units:,} | {names.get(corpus.name, '')} |"
        for corpus in task.corpora
    ]
    description = [task.competition.description, ""] if task.competition.description else []
    return "\n".join(
        [
            f"# {_cell(task.name)}",
            "",
            *description,
            "| data | role | sentences or texts | name in a submission |",
            "|---|---|---:|---|",
            *rows,
            "",
            "The starting kit of a phase has the data, a submission that changes nothing, and what checks a run before",
            "it is sent.",
            "",
        ]
    )


def submission_page(phases: Sequence[Phase], forms: Mapping[str, Form], runs: int) -> str:
    """The page about submissions."""
    lines = [
        "# Submissions",
        "",
        f"A submission is one run, in a zip. Each participant has {runs} in a phase; one that could not be scored does",
        "not count. The zip holds, at its top and not in a folder of its own:",
        "",
    ]
    for phase in phases:
        lines += [f"{phase.name} phase:", ""]
        lines += [f"- `{forms[corpus.name].name}`: {forms[corpus.name].description}" for corpus in phase.corpora] + [""]
    lines += [
        "Texts are UTF-8. What is wrong with a submission stands in one line, with the file and the line, in the log",
        "of the scoring step, and on its page of detailed results. Other files in the zip are not looked at.",
        "",
    ]
    return "\n".join(lines)


def evaluation_page(task: Task, columns: Sequence[LeaderColumn], signatures: Mapping[str, Sequence[str]]) -> str:
    """The page about the columns, the one that ranks, and the computation."""
    rows = [f"| {_cell(column.title)} | `{column.key}` | {column.better or '–'} |" for column in columns]
    listed = [f"{at}. `{spec}`" * (len(task.metrics) > 1) or f"`{spec}`" for at, spec in enumerate(task.metrics, 1)]
    computed = [f"- {_cell(name)}: `{signature}`" for name, own in signatures.items() for signature in own]
    return "\n".join(
        [
            "# Evaluation",
            "",
            f"Runs are scored by errorbar {__version__} under {', '.join(listed)}.",
            f"**{_cell(columns[0].title)}** ranks; of equal runs the next columns decide. Scores are fractions: 0.4567",
            "is 45.67 percent. A score that is undefined is left empty.",
            "",
            "| column | name in scores.json | better |",
            "|---|---|---|",
            *rows,
            "",
            "What was computed on which data (`src` and `ref` are hashes of the source and the gold edits):",
            "",
            *computed,
            "",
        ]
    )


def _cell(text: str) -> str:
    """The text of an organizer in Markdown, with its marks escaped."""
    return "".join(f"\\{character}" if character in "\\`*_[]<>|#" else character for character in text)


LEAST_LIMIT, TIMES = (
    1 << 20,
    20,
)  # bytes that are always allowed, and how many times as large as the source a run may be
MOST_NAMED = 5
SPARE_FILES = 20  # of a folder, beside a file for each text
OF_SYSTEMS = ("__MACOSX", "metadata")  # what macOS packs along, and what the host itself writes there


def find_submission(folder: Path, form: Form) -> Path:
    """The file or folder of a run, regular, of the name that it must have, and of a size that can be read.

    Raises:
        InputError: If there is none.
    """
    inside = _entries(folder)
    run = next((entry for entry in inside if entry.name == form.name), None)
    if run is None:
        raise InputError(_missing(inside, form))
    limit = max(LEAST_LIMIT, TIMES * sum(map(len, form.unchanged.values())))
    if form.kind != "folder":
        _check(run, run.name, limit)
        return folder / form.name
    if run.is_symlink() or not run.is_dir(follow_symlinks=False):
        message = "this is no folder"
        raise InputError(Problem("submission-not-a-file", message, Place(form.name), form.description))
    files = _entries(Path(run.path))
    if len(files) > 2 * form.n_units + SPARE_FILES:
        message = f"{format_count(len(files), 'files')} for {format_count(form.n_units, 'texts')}"
        raise InputError(Problem("submission-too-large", message, Place(form.name), form.description))
    for entry in files:
        limit -= _check(entry, f"{form.name}/{entry.name}", limit)
    return folder / form.name


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (entry for entry in entries if entry.name[0] != "." and entry.name not in OF_SYSTEMS),
                key=lambda entry: entry.name,
            )
    except OSError as error:
        message = f"the submission cannot be read: {error.strerror}"
        raise InputError(Problem("submission-missing", message, Place(folder.name))) from None


def _check(entry: os.DirEntry[str], name: str, limit: int) -> int:
    """The size of a regular file that is not too large."""
    if entry.is_symlink() or not entry.is_file(follow_symlinks=False):
        message = "this is a link, a folder or a device"
        raise InputError(
            Problem("submission-not-a-file", message, Place(name), "a regular file", "zip the file itself")
        )
    size = entry.stat(follow_symlinks=False).st_size
    if size > limit:
        message = f"{size:,} bytes"
        raise InputError(Problem("submission-too-large", message, Place(name), f"at most {limit:,} bytes"))
    return size


def _missing(inside: list[os.DirEntry[str]], form: Form) -> Problem:
    """The problem of a missing file, with the most probable fix."""
    message = f"there is no {form.name} in the submission"
    expected = f"{form.name}, {form.description}"
    named = ", ".join([entry.name for entry in inside[:MOST_NAMED]] + ["..."] * (len(inside) > MOST_NAMED))
    fix = "the zip is empty" if not inside else f"the zip holds {named}"
    for entry in inside:
        if entry.is_dir(follow_symlinks=False) and any(inner.name == form.name for inner in _entries(Path(entry.path))):
            fix = f"it is in the folder {entry.name}: zip {form.name} itself, not the folder that it is in"
            break
    else:
        kinds = [entry for entry in inside if form.kind == "folder" or entry.is_file(follow_symlinks=False)]
        if form.kind != "folder" and len(kinds) == 1:
            fix = f"rename {kinds[0].name} to {form.name}"
            if kinds[0].name.endswith(".zip"):
                fix = f"{kinds[0].name} is a zip within the zip: upload that one"
        elif form.kind == "folder" and any(entry.name.endswith((".txt", ".xml")) for entry in inside):
            fix = f"put the files into a folder {form.name} and zip that"
    return Problem("submission-missing", message, Place(), expected, fix)


SCORES, DETAILS = "scores.json", "detailed_results.html"
TEAM = "submission"
NO_SENTENCES = "Sentences and their gold edits are the organizers'."
MOST_SHOWN = 50  # problems that the page of a bad submission lists


@public()
def score_submission(
    reference: str | Path, submission: str | Path, out: str | Path, *, details: bool = True
) -> TaskResults:
    """Score one run as a competition's host hands it over, and write what the host reads.

    Writes ``scores.json``, a value for each column of the leaderboard, whole or not at all, and
    ``detailed_results.html``: a page of the run without any sentence, or one that says what is wrong with it.

    Args:
        reference: Folder of the reference data of one corpus, as ``bundle_task`` writes it.
        submission: Folder of the unpacked submission.
        out: Folder to write to.
        details: Whether to write the page.

    Raises:
        InputError: If the submission is not what it must be; no scores are written then.
    """
    target = Path(out)
    make_folder(target)
    (target / SCORES).unlink(missing_ok=True)  # of an earlier run
    task = read_task(Path(reference) / FILE)
    corpus = replace(task.corpora[0], role="test")
    try:
        results = _score_run(replace(task, corpora=(corpus,)), Path(submission))
    except InputError as error:
        if details:
            save_lines(_page_of_problems(task.name, error.problems), str(target / DETAILS))
        raise
    scores = {column.key: value for column, value in leader_columns(results.corpora[0].runs[0]) if value is not None}
    save_lines([json.dumps(scores, indent=1)], str(target / SCORES))
    if details:
        _save_page(results, target / DETAILS)
    return results


def _score_run(task: Task, folder: Path) -> TaskResults:
    corpus = task.corpora[0]
    path = find_submission(folder, submission_form(corpus, read_data(corpus)))
    with TemporaryDirectory() as cache:
        results = run_task(with_run(task, path), cache=cache)
    results = strip_folders(results)
    if results.refused:
        raise InputError(results.refused[0].problems)
    return results


def with_run(task: Task, path: Path) -> Task:
    """The task with one team, whose one run is at a path."""
    run = TeamSubmission(TEAM, 1, task.corpora[0].name, path)
    return replace(task, teams=(Team(TEAM, submissions=(run,)),), deadline=None)


def _save_page(results: TaskResults, path: Path) -> None:
    task = results.task
    studies = study_best(results, Problems(), Resampling(), browse=False)
    # Notes on a file are notes on the references: a repair quotes them.
    studies = [replace(study, notes=[note for note in study.notes if not note.place.file]) for study in studies]
    report = build_report(studies, title=task.name, command="", no_sentences=NO_SENTENCES)
    own = team_report(results, task.teams[0], submit=False)  # it was sent here
    save_report(replace(report, sections=[*own.sections, *report.sections]), str(path), "html")


def _page_of_problems(title: str, problems: tuple[Problem, ...]) -> list[str]:
    """A page of errors for teams that see no logs."""
    more = len(problems) - MOST_SHOWN
    return [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f"<title>{escape(title)}: not scored</title>",
        "<style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}</style>",
        "<h1>This submission was not scored</h1><ul>",
        *(f"<li>{escape(str(problem))}" for problem in problems[:MOST_SHOWN]),
        *([f"<li>and {more} more"] if more > 0 else []),
        "</ul></html>",
    ]

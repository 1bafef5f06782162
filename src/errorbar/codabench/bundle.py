"""A shared task as a competition bundle that Codabench takes as it is, with its scoring program and image."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

from errorbar.api.arguments import Count, public
from errorbar.codabench.competition import (
    Form,
    LeaderColumn,
    Phase,
    below,
    check_names,
    competition_yaml,
    evaluation_page,
    kit_files,
    leader_columns,
    load_yaml,
    overview_page,
    phases_of,
    read_bytes,
    reference_files,
    submission_form,
    submission_page,
    with_run,
    zip_files,
)
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.formats.saving import save_bytes
from errorbar.metrics.registry import BUILT_IN
from errorbar.reporting.board import write_board
from errorbar.reporting.export import need
from errorbar.reporting.sections.figures import slug
from errorbar.tasks.config import Task, TaskCorpus, read_task
from errorbar.tasks.running import FragmentData, TaskData, read_data, run_task
from errorbar.tasks.task_results import RunScores, TaskResults
from errorbar.version import __version__

LEAST = 4  # words of a sentence that is not the same by chance


def warn_of_leaks(task: Task, data: Mapping[str, TaskData], problems: Problems) -> None:
    """Note test data whose gold edits are public: its sentences also stand in development data with gold edits."""
    for test in task.with_role("test"):
        if not test.gold:
            continue
        secret = _texts(data[test.name])
        for dev in task.with_role("dev"):
            both = secret & _texts(data[dev.name]) if dev.gold else set()
            if both:
                message = (
                    f"{len(both):,} of {len(secret):,} texts of corpus '{test.name}' stand in corpus '{dev.name}' too"
                )
                message += ", whose gold edits participants get"
                problems.note("bundle-public-gold", message, Place(str(task.file), test.line), "take them out of one")


def _texts(data: TaskData) -> set[str]:
    """The different sentences or texts that are long enough to be told apart."""
    if isinstance(data, FragmentData):
        texts = {fragment.text for fragment in data.units if fragment.text is not None}
    else:
        texts = {sentence.text for sentence in data.units}
    return {" ".join(text.split()) for text in texts if len(text.split()) >= LEAST}


def organizers_guide(task: Task, image: str, kits: Mapping[str, str]) -> bytes:
    """The file README.md of the bundle; ``kits`` are starting kits by the name of their phase."""
    several = ", ".join(f"`{kit}` in the phase {phase}" for phase, kit in kits.items())
    kit = several if len(kits) > 1 else f"`{next(iter(kits.values()))}`"
    return fill_template("organizers.md", name=task.name, version=__version__, image=image, kit=kit)


def teams_guide(task: Task, forms: Mapping[str, Form], phase_forms: Mapping[str, Form]) -> bytes:
    """The file README.md of a starting kit; ``phase_forms`` are the forms of the phase's corpora."""
    rows = [f"- `{form.slug}/`: corpus {name}" for name, form in forms.items()]
    rows += ["", "A submission holds", ""]
    rows += [f"- `{form.name}`: {form.description}" for form in phase_forms.values()]
    command = "    errorbar task validate task.toml --corpus"
    checks = [f"{command} {quote(name)} {form.name}" for name, form in phase_forms.items()]
    parts = {"table": "\n".join(rows), "checks": "\n".join(checks)}
    return fill_template("teams.md", name=task.name, version=__version__, **parts)


Progress = Callable[[int], object]
OWN_WHEELS = {"errorbar": True, "errorbar-en": False}  # packages that are on no index: whether every task needs them


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was written.

    Attributes:
        path: Where.
        files: The names of what is in it.
        columns: Keys of the leaderboard's columns; the first ranks.
        results: The runs that the task's file names, scored.
        notes: Warnings.
    """

    path: Path
    files: tuple[str, ...]
    columns: tuple[str, ...]
    results: TaskResults
    notes: tuple[Problem, ...]


@public()
def bundle_task(
    task: str | Path | Task,
    out: str | Path,
    *,
    wheels: Sequence[str | Path] = (),
    pages: bool = True,
    jobs: Count = 1,
    cache: str | Path | None = None,
    progress: Progress = lambda _: None,
) -> Bundle:
    """Write a competition bundle for Codabench: settings, pages, scoring program, reference data, starting kit, image.

    The same bytes for the same task, files and version. Before anything is written, an unchanged source is scored as
    the scoring program will do it.

    Args:
        task: The task, or its TOML file.
        out: The zip to write.
        wheels: Wheels that the image installs: of errorbar, and of whatever else is on no index.
        pages: Whether boards of the runs that the file names have pages; False: tables alone.
        jobs: Number of runs that are measured at the same time; no digit depends on it.
        cache: Folder in which measurements are kept. None: the task's own.
        progress: Told how many runs are done.

    Raises:
        InputError: If the task's file or a reference is bad, or the bundle cannot be written.
        UsageError: If the task cannot be bundled, or a wheel is none.
        MissingExtraError: If PyYAML, or with boards a library that their pages take, is not installed.
    """
    load_yaml()
    problems = Problems()
    read = task if isinstance(task, Task) else read_task(task, problems)
    phases = _phases(read)
    _check_metrics(read)
    if pages and any(team.submissions for team in read.teams):
        need("html")
    found_wheels = [read_wheel(Path(wheel)) for wheel in wheels]
    image = read.competition.docker_image or f"{slug(read.name)}:{__version__}"
    _warn(read, image, found_wheels, problems)
    scored = [corpus for phase in phases for corpus in phase.corpora]
    data = {corpus.name: read_data(corpus) for corpus in read.corpora}
    forms = {corpus.name: submission_form(corpus, data[corpus.name]) for corpus in read.corpora}
    check_names(forms)
    warn_of_leaks(read, data, problems)
    probes = {corpus.name: _probe(read, corpus, forms[corpus.name]) for corpus in scored}
    columns = _every_column(probes.values())
    results = run_task(read, jobs=jobs, cache=cache, progress=progress)
    problems.take(results.notes)
    signatures = {
        name: [str(score.signature._replace(hypothesis="…")) for score in probe.gold] for name, probe in probes.items()
    }
    files = {
        "README.md": organizers_guide(read, image, {phase.name: phase.kit for phase in phases}),
        **_competition(read, image, forms, columns, signatures),
        "scoring_program.zip": zip_files(program_files()),
        **{f"reference_{forms[corpus.name].slug}.zip": zip_files(reference_files(read, corpus)) for corpus in scored},
        **{phase.kit: zip_files(_kit(read, phase, forms)) for phase in phases},
        **below("container", container_files(image, found_wheels, read.metrics)),
    }
    if any(corpus_results.runs or corpus_results.refused for corpus_results in results.corpora):
        files |= below("boards", _boards(results, pages, problems))
    save_bytes(zip_files(files), str(out))
    notes = tuple(dict.fromkeys(problems.notes))
    keys = tuple(column.key for column in columns)
    return Bundle(Path(out), tuple(sorted(files)), keys, results, notes)


def _phases(task: Task) -> list[Phase]:
    phases = phases_of(task)
    for phase in phases:
        if not phase.corpora:
            message = "the task has no test data with gold edits, so nothing could be scored"
            raise UsageError(
                Problem("task-no-gold", message, Place(str(task.file)), fix='[[corpus]] with role = "test"')
            )
    return phases


def _check_metrics(task: Task) -> None:
    """Refuse metrics of other packages: the image would not have them."""
    for spec in task.metrics:
        if (name := spec.partition("(")[0]) not in BUILT_IN:
            message = f"the metric {name} is of another package, which the image of a bundle does not have"
            fix = "leave it out of the task that is bundled"
            raise UsageError(Problem("bundle-metric", message, Place(str(task.file)), fix=fix))


def _warn(task: Task, image: str, wheels: Sequence[Wheel], problems: Problems) -> None:
    competition, place = task.competition, Place(str(task.file))
    if not competition.docker_image:
        message = f"no image is named, so the bundle says {image}, which no registry has"
        problems.note("bundle-no-image", message, place, '[codabench] with docker_image = "USER/NAME:TAG"')
    if competition.start is None:
        message = "no start is named, so runs are taken from the upload on, and there is no development phase"
        problems.note("bundle-no-start", message, place, "[codabench] with start = 2026-12-01T00:00:00Z")
    names = {wheel.name for wheel in wheels}
    for name, always in OWN_WHEELS.items():
        if name not in names and (always or needs_errant(task.metrics)):
            message = f"the image will be built with {name} from a package index, which must have it"
            problems.note(
                "bundle-no-wheel", message, place, f"--wheel={name.replace('-', '_')}-VERSION.whl puts one into it"
            )


def _every_column(probes: Iterable[RunScores]) -> list[LeaderColumn]:
    """The columns of a leaderboard for several corpora, of which some have alternative answers."""
    merged: dict[str, LeaderColumn] = {}
    for columns in sorted(map(leader_columns, probes), key=len, reverse=True):
        for column, _ in columns:
            merged.setdefault(column.key, column)
    return list(merged.values())


def _probe(task: Task, corpus: TaskCorpus, form: Form) -> RunScores:
    """An unchanged source, scored: whether that works, and which columns there are."""
    tried = replace(corpus, role="test")
    with TemporaryDirectory() as folder:
        for name, content in form.unchanged.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        single = replace(task, corpora=(tried,))
        results = run_task(with_run(single, Path(folder) / form.name), cache=Path(folder) / "cache")
        (scored,) = results.corpora
        if scored.refused:
            problem = scored.refused[0].problems[0]
            message = f"corpus '{corpus.name}' cannot be bundled: its own source, unchanged, is refused: {problem.what}"
            raise UsageError(Problem("bundle-probe", message, Place(str(task.file), corpus.line)))
        return scored.runs[0]


def _competition(
    task: Task,
    image: str,
    forms: Mapping[str, Form],
    columns: Sequence[LeaderColumn],
    signatures: Mapping[str, Sequence[str]],
) -> dict[str, bytes]:
    competition = task.competition
    listed = [
        ("Overview", "pages/overview.md", overview_page(task, forms).encode()),
        ("Submissions", "pages/submissions.md", submission_page(phases_of(task), forms, task.runs_per_team).encode()),
        ("Evaluation", "pages/evaluation.md", evaluation_page(task, columns, signatures).encode()),
    ]
    for at, path in enumerate(competition.pages, 1):
        listed.append((path.stem.replace("_", " ").capitalize(), f"pages/own-{at}.md", read_bytes(path)))
    return {
        **{file: content for _, file, content in listed},
        "pages/terms.md": fill_template("terms.md") if competition.terms is None else read_bytes(competition.terms),
        "logo.png": fill_template("logo.png") if competition.logo is None else read_bytes(competition.logo),
        "competition.yaml": competition_yaml(task, image, forms, columns, [page[:2] for page in listed]),
    }


def _kit(task: Task, phase: Phase, forms: Mapping[str, Form]) -> dict[str, bytes]:
    """The files that teams get in a phase: nothing of the test data before its phase."""
    shown = {
        corpus.name: forms[corpus.name] for corpus in task.corpora if corpus.role == "dev" or corpus in phase.corpora
    }
    phase_forms = {corpus.name: forms[corpus.name] for corpus in phase.corpora}
    sample = {name: content for form in phase_forms.values() for name, content in form.unchanged.items()}
    return {
        **kit_files(task, shown),
        "README.md": teams_guide(task, shown, phase_forms),
        "sample_submission.zip": zip_files(sample),
    }


def _boards(results: TaskResults, pages: bool, problems: Problems) -> dict[str, bytes]:
    """The board of the runs that the file names, without any sentence and without the day on which it was made."""
    with TemporaryDirectory() as folder:
        names, notes = write_board(results, folder, tables_only=not pages, browse=False, date="", folders=False)
        problems.notes += notes
        return {name: (Path(folder) / name).read_bytes() for name in names}


def fill_template(file: str, /, **values: str) -> bytes:
    """The content of a file in which each value stands for its name: ``version`` for ``@VERSION@``."""
    content = (files("errorbar.codabench") / "templates" / file).read_bytes()
    for key, value in values.items():
        content = content.replace(f"@{key.upper()}@".encode(), value.encode())
    return content


COMMAND = "python3 /app/program/score.py /app/input /app/output"
PINNED = ("numpy", "scipy", "click", "jinja2", "vl-convert-python", "errant", "spacy")
PIPELINE = "errorbar-en"  # what the metric errant tags and parses with
OF_EXTRAS = {"errant": "errant", "spacy": "errant"}
_WHEEL = re.compile(
    r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[^-]+)(-[^-]+)?-(?P<python>[^-]+)-[^-]+-(?P<platform>[^-]+)\.whl"
)
_CPYTHON = re.compile(r"cp(\d)(\d+)")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A built package."""

    file: str
    name: str
    version: str
    python: str  # ``3.12``; empty where any will do
    content: bytes


def program_files() -> dict[str, bytes]:
    """The scoring program as a folder."""
    return {
        "metadata.yaml": f"command: {COMMAND}\n".encode(),
        "score.py": fill_template("score_py.txt", version=__version__),
    }


def read_wheel(path: Path) -> Wheel:
    """Read a wheel; one of another version of errorbar would score otherwise.

    Raises:
        UsageError: If it is none, or errorbar's own of another version.
    """
    content = read_bytes(path)
    match = _WHEEL.fullmatch(path.name)
    if match is None or not zipfile.is_zipfile(path):
        message = "this is no wheel"
        raise UsageError(
            Problem("bundle-wheel", message, Place(str(path)), "NAME-VERSION-...whl", "pip wheel makes one")
        )
    name = match["name"].replace("_", "-").lower()
    if name == "errorbar" and match["version"] != __version__:
        message = f"this is errorbar {match['version']}, and version {__version__} makes the bundle"
        raise UsageError(Problem("bundle-wheel", message, Place(str(path)), fix="make both by one version"))
    if match["platform"] != "any" and "linux" not in match["platform"]:
        message = f"this is for {match['platform']}, and the image is Linux"
        raise UsageError(Problem("bundle-wheel", message, Place(str(path)), fix="make it on Linux"))
    python = _CPYTHON.fullmatch(match["python"])
    return Wheel(path.name, name, match["version"], f"{python[1]}.{python[2]}" if python else "", content)


def container_files(image: str, wheels: Sequence[Wheel], metrics: Sequence[str]) -> dict[str, bytes]:
    """The recipe of an image in which the task's metrics run, with the versions that are installed here."""
    extras = ["report", *(["errant"] if needs_errant(metrics) else [])]
    required = [f"errorbar[{','.join(extras)}]=={__version__}"]
    numbers = {wheel.name: wheel.version for wheel in wheels if wheel.name != "errorbar"}
    if needs_errant(metrics):  # the pipeline is no requirement of the extra
        numbers.setdefault(PIPELINE, _version(PIPELINE))
    required += [f"{name}=={number}" if number else name for name, number in numbers.items()]
    required += [
        f"{name}=={number}" for name in PINNED if OF_EXTRAS.get(name, "report") in extras if (number := _version(name))
    ]
    own = next((wheel.python for wheel in wheels if wheel.python), "") or f"{sys.version_info[0]}.{sys.version_info[1]}"
    return {
        "Dockerfile": fill_template("Dockerfile", version=__version__, image=image, python=own),
        "requirements.txt": ("\n".join(required) + "\n").encode(),
        "wheels/README.txt": fill_template("wheels.txt"),
        **{f"wheels/{wheel.file}": wheel.content for wheel in wheels},
    }


def needs_errant(metrics: Sequence[str]) -> bool:
    """Whether a metric makes edits by ERRANT."""
    return any(spec.partition("(")[0] == "errant" for spec in metrics)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

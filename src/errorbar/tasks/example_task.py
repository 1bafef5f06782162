"""An example of a task to begin with: a commented TOML file and the folders that it names."""

from __future__ import annotations

from pathlib import Path

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.formats.saving import save_lines
from errorbar.tasks.config import Kind

FILE = "task.toml"

_HEAD = """\
# A shared task. Paths are seen from the folder of this file.
#   errorbar task validate {file} SUBMISSION   what a team runs before sending
#   errorbar task run {file}                   score everything; a new submission costs only itself
#   errorbar task board {file} -o board        tables, a page, and a page for each team
#   errorbar task bundle {file} -o bundle.zip  a competition to upload to Codabench

[task]
name = "My shared task"
# deadline = 2026-12-24T23:59:59Z   # runs that came later are marked late
runs_per_team = 10
metrics = {metrics}   # the first one ranks; `errorbar metrics` lists them
"""

_M2 = """\
[[corpus]]
name = "test"
role = "test"
source = "data/test.txt"     # what teams get: one sentence per line
gold = ["data/test.m2"]      # M2 or errorbar JSONL; several files are several annotators
# annotators = ["data/test-a.m2", "data/test-b.m2"]   # each annotator's own file, for the tables that compare them
# alternatives = ["data/test-with-alternatives.m2"]   # the gold edits with accepted alternative answers
# documents = "data/test.sgml"                        # NUCLE SGML: which essay each sentence is from
# lenient = true             # repair what can be repaired in the gold files, and say so

[[corpus]]
name = "dev"
role = "dev"                 # teams try their systems on it: errorbar task validate ... --dev OUTPUT
source = "data/dev.txt"
gold = ["data/dev.m2"]

# A [[system]] with name, corrector and models is a baseline that errorbar runs itself.
"""

_HOO = """\
[[corpus]]
name = "test"
kind = "hoo"
role = "test"
source = "data/test/Raw"     # what teams get: a text in each file
gold = "data/test"           # a folder with Gold and Raw
# lenient = true             # repair what can be repaired in the gold edits, and say so
# missing_as_empty = true    # a text that a run lacks counts as one without edits

[[corpus]]
name = "dev"
kind = "hoo"
role = "dev"                 # teams try their systems on it: errorbar task validate ... --dev OUTPUT
source = "data/dev/Raw"
gold = "data/dev"
"""

_TEAM = """\
[[team]]
name = "{name}"
full_name = "{title}"
affiliation = "A university"
approach = "How the system works"
resources = "What it was built from"
submissions = "submissions/{name}"   # {runs}
# submitted = 2026-12-24T12:00:00Z   # when the runs came; without it the files' own time counts
# late = true                        # or say yourself whether they came in time
"""
_RUNS = {"m2": "a run in each file", "hoo": "a run in each folder"}
_COMPETITION = """\
[codabench]   # what a competition says that `errorbar task bundle` makes; all of it may stay away
# docker_image = "you/my-task:1"       # the image that you push; the bundle has its recipe
# start = 2026-12-01T00:00:00Z         # test phase, until the deadline; the development phase comes before it
"""
TEAMS = {"alpha": "The Alpha Group", "beta": "The Beta Group"}
FOLDERS: dict[Kind, tuple[str, ...]] = {
    "m2": ("data",),
    "hoo": ("data/test/Gold", "data/test/Raw", "data/dev/Gold", "data/dev/Raw"),
}


def write_template(folder: Path, kind: Kind = "m2") -> list[Path]:
    """Write an example TOML file and the folders it names; what was made."""
    file = folder / FILE
    if file.exists():
        raise UsageError(Problem("not-empty", "a task is there already", Place(str(file)), fix="name a new folder"))
    parts = [
        _HEAD.format(file=FILE, metrics='["hoo"]' if kind == "hoo" else '["m2"]'),
        _HOO if kind == "hoo" else _M2,
        *(_TEAM.format(name=name, title=title, runs=_RUNS[kind]) for name, title in TEAMS.items()),
        _COMPETITION,
    ]
    folders = [folder / name for name in (*FOLDERS[kind], *(f"submissions/{name}" for name in TEAMS))]
    try:
        for each in folders:
            each.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot be made: {error.strerror}"
        raise UsageError(Problem("cannot-write", what, Place(str(folder)), fix="name a new folder")) from None
    save_lines("\n".join(parts).removesuffix("\n").split("\n"), str(file))
    return [file, *folders]

"""What the people behind a competition read: the organizers' guide in the bundle, and the teams' in the kit."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote

from errorbar.hosting.bundle_texts import filled
from errorbar.hosting.submission_form import Form
from errorbar.tasks.config import Task
from errorbar.version import __version__


def organizers_guide(task: Task, image: str, kits: Mapping[str, str]) -> bytes:
    """The file README.md of the bundle; ``kits`` are starting kits by the name of their phase."""
    several = ", ".join(f"`{kit}` in the phase {phase}" for phase, kit in kits.items())
    kit = several if len(kits) > 1 else f"`{next(iter(kits.values()))}`"
    return filled("organizers.md", name=task.name, version=__version__, image=image, kit=kit)


def teams_guide(task: Task, forms: Mapping[str, Form], wanted: Mapping[str, Form]) -> bytes:
    """The file README.md of a starting kit; ``wanted`` are the forms of the phase's corpora."""
    rows = [f"- `{form.slug}/`: corpus {name}" for name, form in forms.items()]
    rows += ["", "A submission holds", ""]
    rows += [f"- `{form.name}`: {form.said}" for form in wanted.values()]
    command = "    errorbar task validate task.toml --corpus"
    checks = [f"{command} {quote(name)} {form.name}" for name, form in wanted.items()]
    said = {"table": "\n".join(rows), "checks": "\n".join(checks)}
    return filled("teams.md", name=task.name, version=__version__, **said)

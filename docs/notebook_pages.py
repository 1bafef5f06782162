"""Notebooks of the documents, a small Sphinx extension: ``notebooks/*.md``, whose ``{code-cell}`` blocks are run.

The page shows each cell with its outputs, and the notebook beside it, ``NAME.ipynb``, is what Jupyter opens. A cell
that raises an exception ends the build. (MyST-NB does more, and would bring IPython, a kernel and a database.)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
RUNNER = Path(__file__).with_name("run_cells.py")
MOST_SECONDS = 120
_MEDIA = {"image/svg+xml": "cell-image", "text/html": "cell-html"}


def run_notebook(text: str, name: str) -> list[list[dict[str, Any]]]:
    """The outputs of every cell, run in an empty folder and a process of its own."""
    cells = [match.group(1) for match in CELL.finditer(text)]
    with tempfile.TemporaryDirectory(prefix="errorbar-notebook-") as folder:
        done = subprocess.run(
            [sys.executable, str(RUNNER)],
            input=json.dumps(cells),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=MOST_SECONDS,
        )
    if done.returncode:
        raise ExtensionError(f"the notebook {name} does not run: {done.stderr}")
    outputs: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return outputs


def notebook_cells(text: str, outputs: list[list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """The cells of an ``.ipynb``, text and code by turns."""
    at = 0
    for number, (match, found) in enumerate(zip(CELL.finditer(text), outputs, strict=True), 1):
        yield from _prose(text[at : match.start()], number)
        numbered = [
            one | {"execution_count": number} if one["output_type"] == "execute_result" else one for one in found
        ]
        code = {"cell_type": "code", "id": f"code-{number}", "metadata": {}, "execution_count": number}
        yield code | {"source": match.group(1).rstrip("\n"), "outputs": numbered}
        at = match.end()
    yield from _prose(text[at:], len(outputs) + 1)


def _prose(text: str, number: int) -> Iterator[dict[str, Any]]:
    if text.strip():
        # Links to other pages go nowhere in a file of one's own: their text stays.
        plain = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", text.strip())
        yield {"cell_type": "markdown", "id": f"text-{number}", "metadata": {}, "source": plain}


def notebook(text: str, outputs: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """An ``.ipynb`` of format 4.5."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": [*notebook_cells(text, outputs)], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _html(output: dict[str, Any]) -> str:
    """An output on the page."""
    if output["output_type"] == "stream":
        return f'<pre class="cell-text">{escape(output["text"].rstrip())}</pre>'
    data = output["data"]
    for media, kind in _MEDIA.items():
        if media in data:
            return f'<div class="{kind}">{data[media]}</div>'
    return f'<pre class="cell-text">{escape(data["text/plain"])}</pre>'


class CodeCell(SphinxDirective):
    """The code of a cell, and what it gave."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The next cell of the page."""
        at = self.env.temp_data.setdefault("notebook_cell", 0)
        self.env.temp_data["notebook_cell"] = at + 1
        text = "\n".join(self.content)
        language = "none" if text.startswith("!") else "python"
        code = nodes.literal_block(text, text, language=language)
        code["classes"].append("cell-code")
        found = self.env.temp_data["notebook_outputs"][at]
        shown = "".join(map(_html, found))
        made = [nodes.raw("", f'<div class="cell-output">{shown}</div>', format="html")] if shown else []
        return [code, *made]


def read_source(app: Sphinx, name: str, content: list[str]) -> None:
    """Run the cells of a notebook once its page is read, and write the file that Jupyter opens."""
    if not name.startswith("notebooks/") or not CELL.search(content[0]):
        return
    text = content[0]
    outputs = run_notebook(text, name)
    app.env.temp_data["notebook_outputs"] = outputs
    target = Path(app.outdir) / f"{name}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(notebook(text, outputs), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    title, _, rest = text.partition("\n")
    file = f"{name.rpartition('/')[2]}.ipynb"
    link = f'<p class="cell-link"><a href="{file}" download>Download this notebook</a></p>'
    content[0] = f"{title}\n\n```{{raw}} html\n{link}\n```\n{rest}"


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx asks of an extension."""
    app.add_directive("code-cell", CodeCell)
    app.connect("source-read", read_source)
    app.add_css_file("notebooks.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""Run the cells of a notebook in one namespace, as Jupyter does: JSON lists of code in, JSON lists of outputs out.

A line that begins with ``!`` is a command of the shell. What the last expression of a cell gives is shown by the
richest of ``_repr_mimebundle_``, ``_repr_html_`` and ``repr``; charts of Altair as SVG. An exception ends the run.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

_SHELL = re.compile(r"^!(.*)$", re.MULTILINE)


def shell(command: str) -> None:
    """Run a command as a line ``!command`` does; unlike there, its failure is an exception."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stderr}")


def shown(value: object) -> dict[str, Any]:
    """A value by type of media."""
    if type(value).__module__.partition(".")[0] == "altair":
        import altair  # noqa: PLC0415 - few cells have a chart

        altair.renderers.enable("svg")
    for method in ("_repr_mimebundle_", "_repr_html_"):
        if hasattr(value, method) and (found := getattr(value, method)()):
            bundle = found[0] if isinstance(found, tuple) else found
            return {"text/html": bundle, "text/plain": repr(value)} if isinstance(bundle, str) else bundle
    return {"text/plain": repr(value)}


def run_cell(code: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell, as nbformat has them."""
    tree = ast.parse(_SHELL.sub(lambda line: f"shell({line.group(1)!r})", code))
    silent = code.rstrip().endswith(";")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not silent else None
    out, err = StringIO(), StringIO()
    value = None
    with redirect_stdout(out), redirect_stderr(err):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    streams = {"stdout": out.getvalue(), "stderr": err.getvalue()}
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "name": name, "text": text} for name, text in streams.items() if text
    ]
    if value is not None:
        outputs.append({"output_type": "execute_result", "data": shown(value), "metadata": {}})
    return outputs


def main() -> int:
    """Run the cells of standard input; an exception's traceback is on standard error."""
    names: dict[str, Any] = {"__name__": "__main__", "shell": shell}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # commands of this installation
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "120", "PATH": path}
    done = []
    for number, code in enumerate(json.load(sys.stdin), 1):
        try:
            done.append(run_cell(code, names))
        except BaseException:  # noqa: BLE001 - SystemExit as well: no cell may end the run in silence
            sys.stderr.write(f"cell {number}:\n{code}\n{traceback.format_exc()}")
            return 1
    json.dump(done, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

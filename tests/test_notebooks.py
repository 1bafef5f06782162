"""The notebooks of the documents: how they are run and written; ``make docs`` runs the notebooks themselves."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"

pytest.importorskip("sphinx", reason="needs the libraries of the documents")


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebook_pages", DOCS / "notebook_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TEXT = """# Title

```{code-cell}
!echo hello
```

See [there](other.md) and [far](https://example.org).

```{code-cell}
class Table:
    def _repr_html_(self):
        return "<b>1</b>"

print("said")
Table()
```

```{code-cell}
x = 1
x;
```
"""


def test_cells_share_names_and_show_what_jupyter_shows(pages: ModuleType) -> None:
    said, table, nothing = pages.run_notebook(TEXT, "notebooks/x")
    assert said == [{"output_type": "stream", "name": "stdout", "text": "hello\n"}]
    assert [output["output_type"] for output in table] == ["stream", "execute_result"]
    assert table[1]["data"]["text/html"] == "<b>1</b>"
    assert nothing == []
    made = pages.notebook(TEXT, [said, table, nothing])
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert [cell["cell_type"] for cell in made["cells"]] == ["markdown", "code", "markdown", "code", "code"]
    assert len({cell["id"] for cell in made["cells"]}) == 5
    assert made["cells"][1]["source"] == "!echo hello"
    assert made["cells"][2]["source"] == "See there and [far](https://example.org)."
    assert made["cells"][3]["outputs"][1]["execution_count"] == 2


@pytest.mark.parametrize("cell", ["1 / 0", "!exit 3", "raise SystemExit(0)"])
def test_a_cell_that_fails_ends_the_build(cell: str, pages: ModuleType) -> None:
    with pytest.raises(Exception, match=r"notebooks/x does not run: cell 2") as failed:
        pages.run_notebook(f"```{{code-cell}}\nx = 1\n```\n\n```{{code-cell}}\n{cell}\n```\n", "notebooks/x")
    assert cell in str(failed.value)


def test_there_are_eight_and_each_is_listed(pages: ModuleType) -> None:
    listed = (DOCS / "notebooks" / "index.md").read_text(encoding="utf-8")
    found = sorted(path.stem for path in (DOCS / "notebooks").glob("*.md") if path.stem != "index")
    assert found == ["ceiling", "compare", "crowd", "judging", "llm", "references", "sampling", "score"]
    for name in found:
        assert f"[{name}]({name}.md)" in listed
        text = (DOCS / "notebooks" / f"{name}.md").read_text(encoding="utf-8")
        assert len(pages.CELL.findall(text)) == text.count("{code-cell}") > 2

"""A task of four sentences, two annotators and three runs, in a folder."""

from __future__ import annotations

from pathlib import Path

GOLD = """\
S He go to school .
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||Vt|||went|||REQUIRED|||-NONE-|||1

S She like cats and dog .
A 1 2|||SVA|||likes|||REQUIRED|||-NONE-|||0
A 4 5|||Nn|||dogs|||REQUIRED|||-NONE-|||0
A 1 2|||SVA|||likes|||REQUIRED|||-NONE-|||1

S This are fine .
A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0
A 0 1|||Wci|||These|||REQUIRED|||-NONE-|||1

S We have seen it yesterday .
A 1 3|||Vt|||saw|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""
SOURCE = ["He go to school .", "She like cats and dog .", "This are fine .", "We have seen it yesterday ."]
RUNS = {
    "one/run1.txt": [
        "He goes to school .",
        "She likes cats and dog .",
        "This are fine .",
        "We have seen it yesterday .",
    ],
    "one/run2.txt": ["He went to school .", "She likes cats and dogs .", "These are fine .", "We saw it yesterday ."],
    "two/run1.txt": [
        "He go to a school .",
        "She like cats and dogs .",
        "This is fine .",
        "We have seen it yesterday .",
    ],
}
TASK = """\
[task]
name = "Small"
metrics = ["m2", "m2(beta=1)"]

[[corpus]]
name = "test"
source = "source.txt"
gold = "gold.m2"

[[corpus]]
name = "dev"
role = "dev"
gold = "gold.m2"

[[team]]
name = "one"
submissions = "one"

[[team]]
name = "two"
submissions = "two"
"""


def make_task(folder: Path, text: str = TASK) -> Path:
    """Write the task and its data; the TOML file."""
    (folder / "gold.m2").write_text(GOLD)
    (folder / "source.txt").write_text("\n".join(SOURCE) + "\n")
    for name, lines in RUNS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n")
    path = folder / "task.toml"
    path.write_text(text)
    return path

"""The failing file layer, compiled where it is used, and its switch."""

from __future__ import annotations

import errno
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Literal

SOURCE = Path(__file__).with_suffix(".c")
Kind = Literal["write", "sync", "any"]


def compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc")


class FailingFiles:
    """A library to be loaded before all others (``environment``), obedient to a file."""

    def __init__(self, folder: Path, match: str) -> None:
        found = compiler()
        if found is None:
            raise RuntimeError("no C compiler here")
        folder.mkdir(parents=True, exist_ok=True)
        self.library, self.switch, self.count = folder / "failing.so", folder / "switch", folder / "count"
        self.match = match
        if not self.library.exists():
            words = [found, "-O2", "-shared", "-fPIC", "-o", str(self.library), str(SOURCE), "-ldl", "-lpthread"]
            subprocess.run(words, check=True, capture_output=True, timeout=1500)
        self.shadow = folder / "shadow"
        self.heal()

    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(self.library),
            "FAILING_FILES_MATCH": self.match,
            "FAILING_FILES_SWITCH": str(self.switch),
            "FAILING_FILES_COUNT": str(self.count),
        }

    def remember_what_is_synced(self, folder: Path) -> dict[str, str]:
        """More of an environment: what would survive a power cut is kept apart, beginning with what is there."""
        shutil.rmtree(self.shadow, ignore_errors=True)
        self.shadow.mkdir()
        for file in folder.glob("*.sqlite3*"):
            shutil.copy(file, self.shadow)
        return {"FAILING_FILES_SHADOW": str(self.shadow)}

    def cut_the_power(self, folder: Path) -> None:
        """Put back what had been synced, over what the killed processes had only written."""
        for file in [*folder.glob("*.sqlite3-*"), *folder.glob("*.sqlite3")]:
            file.unlink()
        for file in self.shadow.glob("[!.]*.sqlite3*"):
            shutil.copy(file, folder)

    def _order(self, line: str) -> None:
        new = self.switch.with_suffix(".new")
        new.write_text(line + "\n", encoding="ascii")
        new.replace(self.switch)

    def heal(self) -> None:
        self._order("ok")

    def fill(self) -> None:
        """The disk is full."""
        self._order("full")

    def die(self) -> None:
        """The disk answers no more."""
        self._order("dying")

    def fail(self, kind: Kind, n: int, *, lasting: bool = False) -> None:
        """The n-th call from now on fails, once or with all that follow; with the error of a full or a dying disk."""
        code = errno.EIO if kind == "sync" else errno.ENOSPC
        self._order(f"{'from' if lasting else 'nth'} {kind} {n} {code}")

    def counted(self) -> tuple[int, int]:
        """Writes and syncs so far."""
        writes, syncs = struct.unpack("QQ", self.count.read_bytes())
        return writes, syncs

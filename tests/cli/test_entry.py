"""The program's entry: Ctrl-C before anything runs."""

from __future__ import annotations

import sys

import pytest

from errorbar.__main__ import main


class Interrupted:
    """Ctrl-C while the command line is imported."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "errorbar.cli.main":
            raise KeyboardInterrupt


def test_an_interruption_while_modules_are_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "errorbar.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"

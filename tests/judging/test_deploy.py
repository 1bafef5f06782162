"""What docs/judge/deploy.md says to type, run as the image would run it: its entry point, environment and health
check, a file system that can be written to in the mounted folders alone, a real PostgreSQL, and no engine."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from errorbar import judge_export
from tests.helpers.postgresql_cluster import free_port
from tests.judging.simulated import work

ROOT = Path(__file__).parents[2]
DEPLOY, PAGE = ROOT / "deploy", ROOT / "docs/judge/deploy.md"
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind / && cd "$0/studies" && exec "$@"'
UNSHARE = ["unshare", "--mount", "--propagation", "private", "sh", "-c", READ_ONLY]
TOOLS = "docker compose run --rm tools "
ITEMS = "item,text\n" + "".join(f"i{n},He depends [of] him number {n} .\n" for n in range(12))


def containerfile() -> dict[str, str]:
    """The last instruction of each kind, with its continuation lines."""
    text = re.sub(r"(?m)^#.*\n", "", (DEPLOY / "Containerfile").read_text(encoding="utf-8")).replace("\\\n", " ")
    return dict(line.split(maxsplit=1) for line in text.splitlines() if line.strip())


@dataclass
class Machine:
    """The folders of a machine, and what is typed in its folder deploy."""

    folder: Path
    database: str
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.deploy, self.mounted, self.shims = (self.folder / name for name in ("deploy", "mounted", "shims"))
        for made in (self.deploy, self.mounted / "studies", self.mounted / "tmp", self.shims):
            made.mkdir(parents=True)
        for name, line in {"errorbar": f"{sys.executable} -m errorbar", "python": sys.executable}.items():
            (self.shims / name).write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="ascii")
            (self.shims / name).chmod(0o755)
        shutil.copy(DEPLOY / "errorbar-backup", self.shims)
        self.can_seal = (
            subprocess.run([*UNSHARE, self.mounted, "true"], capture_output=True, check=False, timeout=100).returncode
            == 0
        )

    def place(self, text: str) -> str:
        """A text with the places of a container as they are here."""
        text = text.replace("@db/errorbar", f"@{self.database}").replace("127.0.0.1:8765", f"127.0.0.1:{self.port}")
        text = re.sub(r"(?<![\w/.-])/(studies|backups|tmp)\b", rf"{self.mounted}/\1", text)
        return re.sub(r"(?<![\w/.-])/(items|run/secrets)/", lambda found: f"{self.deploy}/{found[1][-7:]}/", text)

    def command(self, words: list[str]) -> list[str]:
        placed = [self.place(word) for word in words]
        return [*UNSHARE, str(self.mounted), *placed] if self.can_seal else placed

    @property
    def environment(self) -> dict[str, str]:
        own = dict(re.findall(r"(\w+)=(\S+)", containerfile()["ENV"])) | {"PYTHONPATH": str(ROOT / "src")}
        path = f"{self.shims}:{os.environ['PATH']}"
        return own | {"PATH": path, "HOME": self.place(own["HOME"]), "TMPDIR": str(self.mounted / "tmp")}

    def run(self, words: list[str], *, succeeds: bool = True) -> subprocess.CompletedProcess[str]:
        done = self._call(words)
        assert (done.returncode == 0) == succeeds, done.stderr + done.stdout
        return done

    def _call(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        command = self.command(words)
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=120)

    def is_healthy(self) -> bool:
        check = json.loads(containerfile()["HEALTHCHECK"].partition("CMD ")[2])
        return (
            subprocess.run(
                self.command(check), env=self.environment, capture_output=True, check=False, timeout=100
            ).returncode
            == 0
        )

    def serve(self) -> subprocess.Popen[bytes]:
        """``docker compose up``: the server, once it is healthy."""
        entry = json.loads(containerfile()["ENTRYPOINT"])
        host = (self.deploy / ".env").read_text(encoding="ascii").strip().removeprefix("JUDGE_HOST=")
        service = compose()["services"]["judge"]
        words = [re.sub(r"\$\{JUDGE_HOST[^}]*\}", host, word) for word in service["command"]]
        command = self.command([*entry, *words, f"--port={self.port}"])
        server = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        until = time.monotonic() + 60
        while not self.is_healthy():
            assert server.poll() is None, server.stderr and server.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.1)
        return server


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return document


def typed(section: str) -> list[str]:
    """The commands of a section of the page."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    return "".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL)).splitlines()


@pytest.mark.skipif(os.getuid() != 0, reason="needs to give folders to the user of the image")
@pytest.mark.slow
def test_the_page_is_walked_through(tmp_path: Path, postgres_url: str) -> None:
    machine = Machine(tmp_path, postgres_url.rpartition("@")[2])
    server: subprocess.Popen[bytes] | None = None
    outputs: dict[str, str] = {}
    try:
        for line in [*typed("With compose"), *typed("Backups, and their rehearsal")]:
            if line.startswith(TOOLS):
                outputs[line] = machine.run(shlex.split(line.removeprefix(TOOLS))).stdout
            elif line.startswith("docker compose up"):
                work(machine.mounted / "studies/study", 2)
                server = machine.serve()
            elif not line.startswith("docker compose build"):
                subprocess.run(["sh", "-c", line], cwd=machine.deploy, check=True, timeout=60)
                if (machine.deploy / "backups").exists() and not (machine.mounted / "backups").exists():
                    (machine.deploy / "items/items.csv").write_text(ITEMS, encoding="utf-8")
                    (machine.deploy / "backups").rename(machine.mounted / "backups")
        assert server is not None
        server.send_signal(signal.SIGTERM)
        _, said = server.communicate(timeout=60)
        assert (server.returncode, b"Traceback" in said) == (0, False), said
        assert not machine.is_healthy()
    finally:
        if server is not None and server.poll() is None:
            server.kill()
    studies, backups = machine.mounted / "studies", machine.mounted / "backups"
    for name in ("study", "restored"):
        judge_export(studies / name, tmp_path / f"{name}.jsonl")
    assert (tmp_path / "restored.jsonl").read_bytes() == (tmp_path / "study.jsonl").read_bytes()
    lines = (tmp_path / "study.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('{"judgment"') for line in lines) == 24
    assert "postgresql" in (studies / "study/study.toml").read_text(encoding="utf-8")
    assert len((backups / "judgments.csv").read_text(encoding="utf-8").splitlines()) > 10
    assert {path.stat().st_mode & 0o077 for path in backups.glob("*.tar.gz")} == {0}
    token = next(text for line, text in outputs.items() if '["manager"]' in line)
    assert len(token.strip()) == 32


@pytest.mark.slow
def test_a_backup_that_cannot_be_restored_does_not_count(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "nowhere")
    backups = machine.mounted / "backups"
    backups.mkdir()
    (machine.deploy / "items").mkdir()
    (machine.deploy / "items/items.csv").write_text(ITEMS, encoding="utf-8")
    machine.run(["errorbar", "judge", "init", "/studies/study", "--from", "/items/items.csv"])
    no_folder = machine.run(["errorbar-backup", "/studies/study", "/backups/s3"], succeeds=False)
    assert no_folder.stderr == f"error: no folder {backups}/s3: is it mounted?\n"
    others = {backups / "other-20200101T000000Z.tar.gz", backups / "study-notes.txt"}
    old = [backups / f"study-2020010{day}T000000Z.tar.gz" for day in (1, 2, 3)]
    for path in (*others, *old):
        path.write_bytes(b"")
    machine.run(["errorbar-backup", "/studies/study", "/backups", "2"])
    (new,) = {*backups.iterdir()} - {*others, *old}
    assert {*backups.iterdir()} == {*others, old[2], new}, "the newest two of this study, and nothing of others"

    before, shim = {*backups.iterdir()}, machine.shims / "errorbar"
    shim.write_text(shim.read_text().replace("exec", 'if [ "$2" = restore ]; then exit 4; fi\nexec'), encoding="ascii")
    time.sleep(1)  # archives are named by the second
    machine.run(["errorbar-backup", "/studies/study", "/backups", "2"], succeeds=False)
    assert {*backups.iterdir()} == before, "neither left, nor in the place of a good one"


def test_the_files_keep_secrets_out_and_privileges_down() -> None:
    services, text = compose()["services"], (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert not re.search(r"(?i)password: |postgresql://", text), "secrets are in files"
    for name in ("judge", "tools", "proxy"):
        assert services[name]["read_only"], name
        assert services[name]["cap_drop"] == ["ALL"], name
    assert containerfile()["USER"] == "10001:10001"
    chart = "".join(path.read_text(encoding="utf-8") for path in (DEPLOY / "chart").rglob("*.*"))
    for setting in ("runAsNonRoot: true", "readOnlyRootFilesystem: true", "allowPrivilegeEscalation: false"):
        assert setting in chart
    for file in (chart, text, (DEPLOY / "Containerfile").read_text(encoding="utf-8")):
        images = re.findall(r"(?m)^\s*(?:image:|repository:|FROM) +\"?([\w./:-]+)", file)
        assert images
        assert not [name for name in images if "/" in name], "images without a registry's host"


def test_the_proxy_that_is_believed_is_that_of_the_compose_file() -> None:
    document = compose()
    address = document["services"]["proxy"]["networks"]["outside"]["ipv4_address"]
    assert f"--proxy={address}" in document["services"]["judge"]["command"]

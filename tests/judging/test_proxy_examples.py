"""The examples of reverse proxies in docs/judge/server.md are configurations that nginx and Caddy take."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "judge" / "server.md"
needs = {
    name: pytest.mark.skipif(not all(map(shutil.which, programs)), reason=f"needs {' and '.join(programs)}")
    for name, programs in (("nginx", ("nginx", "openssl")), ("caddy", ("caddy",)))
}


def example(start: str) -> str:
    """The block of the page that starts so."""
    found = re.search(rf"```text\n({re.escape(start)}.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found, f"no example starts with {start}"
    return found[1]


@needs["nginx"]
def test_nginx_takes_its_example(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=judge.example.org"
    )
    subprocess.run([*make.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=100)
    block = re.sub(r"/\S+/fullchain.pem", str(certificate), example("server {"))
    block = re.sub(r"/\S+/privkey.pem", str(key), block).replace("listen 443", "listen 18443")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    own = "".join(
        f"{kind}_temp_path {tmp_path}/{kind}; " for kind in kinds
    )  # of an account that may write nowhere else
    whole = f"pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}} http {{ {own} {block} }}"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    command = ["nginx", "-t", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert said.returncode == 0, said.stderr
    assert "warn" not in said.stderr


@needs["caddy"]
def test_caddy_takes_its_example(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text(example("judge.example.org {"), encoding="utf-8")
    command = ["caddy", "adapt", "--config", str(tmp_path / "Caddyfile")]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert said.returncode == 0, said.stderr
    assert "127.0.0.1:8765" in said.stdout

"""Firefox of the distribution, driven by Marionette, its own remote control: JSON over a socket, no library needed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PREFERENCES = {
    "marionette.port": 0,  # any free one, told in the profile
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "app.update.enabled": False,
    "extensions.update.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}
KEYS |= {"ArrowDown": "\ue015"}
PATIENCE = 60


class FirefoxError(Exception):
    """What Firefox answered instead."""


@dataclass
class Firefox:
    """A window and its tabs."""

    connection: socket.socket
    waiting: bytes = b""
    sent: int = 0
    handles: list[str] = field(default_factory=list)

    def read(self) -> Any:  # noqa: ANN401 - JSON
        """One message: its length, a colon, JSON."""
        while b":" not in self.waiting:
            self._receive()
        length, _, self.waiting = self.waiting.partition(b":")
        while len(self.waiting) < int(length):
            self._receive()
        text, self.waiting = self.waiting[: int(length)], self.waiting[int(length) :]
        return json.loads(text)

    def _receive(self) -> None:
        received = self.connection.recv(65536)
        if not received:
            raise FirefoxError("the connection ended")
        self.waiting += received

    def ask(self, command: str, **parameters: Any) -> Any:  # noqa: ANN401 - JSON
        """Let Firefox do something, and return what came of it."""
        self.sent += 1
        text = json.dumps([0, self.sent, command, parameters]).encode()
        self.connection.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error is not None:
            raise FirefoxError(f"{command}: {error['message']}")
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def goto(self, url: str) -> None:
        self.ask("WebDriver:Navigate", url=url)

    def run(self, script: str, *args: object) -> Any:  # noqa: ANN401 - JSON
        """The value of an expression in the page."""
        return self.ask("WebDriver:ExecuteScript", script=f"return ({script})", args=list(args), newSandbox=False)

    def until(self, script: str, *args: object) -> Any:  # noqa: ANN401 - JSON
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE / 2
        while True:
            found = self.run(script, *args)
            if found:
                return found
            if time.monotonic() > end:
                raise FirefoxError(f"never true: {script}; the page says: {self.run('document.body.innerText')}")
            time.sleep(0.05)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as somebody who looks at the page."""
        for key in keys:
            time.sleep(0.17)
            self.type(KEYS.get(key, key))

    def type(self, text: str) -> None:
        actions = [{"type": kind, "value": each} for each in text for kind in ("keyDown", "keyUp")]
        self.ask("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def tab(self, url: str) -> str:
        """A further tab, which is looked at from now on."""
        handle: str = self.ask("WebDriver:NewWindow", type="tab", focus=True)["handle"]
        self.look_at(handle)
        self.goto(url)
        return handle

    def look_at(self, handle: str) -> None:
        self.ask("WebDriver:SwitchToWindow", handle=handle, focus=True)

    @property
    def handle(self) -> str:
        return str(self.ask("WebDriver:GetWindowHandle"))


def program() -> str | None:
    """Firefox of this machine."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


@contextmanager
def firefox(folder: Path, preferences: Mapping[str, object] | None = None) -> Iterator[Firefox]:
    """A headless Firefox with a fresh profile in ``folder``, maybe with some preferences."""
    profile = folder / "profile"
    profile.mkdir()
    values = {**PREFERENCES, **(preferences or {})}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in values.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [str(program()), "--headless", "--no-remote", "--marionette", "--profile", str(profile), "about:blank"]
    with (folder / "firefox.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "HOME": str(folder)})
    try:
        told = profile / "MarionetteActivePort"
        end = time.monotonic() + PATIENCE
        while not (told.exists() and told.read_text().strip()):
            if time.monotonic() > end or process.poll() is not None:
                raise FirefoxError((folder / "firefox.log").read_text()[-2000:])
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", int(told.read_text())), timeout=PATIENCE) as connection:
            browser = Firefox(connection)
            browser.read()  # its greeting
            browser.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {"unhandledPromptBehavior": "accept"}})
            yield browser
    finally:
        process.kill()
        process.wait(timeout=100)

"""The entry points of installed packages, by which commands, detectors, correctors and the like are registered.

``importlib.metadata`` reads the same files, but importing it alone takes 30 to 50 ms, as long as ``errorbar --help``
does. This takes 1 ms for a hundred packages. Only folders on the path are read, no archives.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple

from errorbar.core.problems import InputError, Problem


class Registered(NamedTuple):
    """Something that a package registers.

    Attributes:
        name: Its name in the group.
        value: Where it is, ``module:attribute``.
        package: The package that registers it.
    """

    name: str
    value: str
    package: str

    def load(self) -> Any:  # noqa: ANN401 - of any kind
        """Import it.

        Raises:
            InputError: If it cannot be imported.
        """
        module, _, attribute = self.value.partition("[")[0].partition(":")  # an extra stands in brackets
        try:
            return attrgetter(attribute.strip())(import_module(module.strip()))
        except (Exception, SystemExit) as error:
            message = f"{self.value}, which the package {self.package} registers as '{self.name}', cannot be loaded"
            reason = f"{type(error).__name__}: {error}"
            fix = "correct the package, or uninstall it"
            raise InputError(Problem("bad-entry-point", f"{message}: {reason}", fix=fix)) from error

    @property
    def is_there(self) -> bool:
        """Whether its module can be found: a folder may be gone whose entry point is still in the metadata.

        One that fails when it is looked for is there; ``load`` describes what is wrong.
        """
        try:
            return find_spec(self.value.partition(":")[0].strip()) is not None
        except (ImportError, ValueError):
            return False
        except (Exception, SystemExit):  # noqa: BLE001 - whatever a package of others does
            return True


def find_registered(group: str) -> Mapping[str, Registered]:
    """The entry points of a group by name; of two with one name the first on Python's path.

    Those whose module is not there are left out.
    """
    return _find_there(group, tuple(sys.path))


@cache
def _find_there(group: str, path: tuple[str, ...]) -> Mapping[str, Registered]:
    return {name: entry for name, entry in _read_all(path).get(group, {}).items() if entry.is_there}


@cache
def _read_all(path: tuple[str, ...]) -> Mapping[str, Mapping[str, Registered]]:
    groups: dict[str, dict[str, Registered]] = {}
    for folder in _folders(path):
        with suppress(OSError, UnicodeDecodeError), open(f"{folder}/entry_points.txt", encoding="utf-8") as file:  # noqa: PTH123 - as below
            text = file.read()
            if "[errorbar." in text:
                package, group = os.path.basename(folder).partition("-")[0].partition(".")[0], ""  # noqa: PTH119
                for line in map(str.strip, text.splitlines()):
                    name, equals, value = map(str.strip, line.partition("="))
                    if line.startswith("["):
                        group = line.strip("[]")
                    elif equals and not line.startswith("#"):
                        groups.setdefault(group, {}).setdefault(name, Registered(name, value, package))
    return groups


def _folders(path: tuple[str, ...]) -> Iterator[str]:
    """The folders of metadata; of hundreds of packages, each a ``Path`` would take longer than reading them."""
    for folder in path:
        with suppress(OSError):
            names = sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))  # noqa: PTH208
            yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118

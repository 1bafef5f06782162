"""The files that pages load: scripts joined into one, all of them compressed once, kept by browsers until they change.

A page of modules would be loaded in as many rounds as its imports are deep, each of which takes a second on a slow
network. A script is therefore sent with all that it imports; in the folder each part stands by itself.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

STATIC = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_IMPORT = re.compile(r"^import (\{[^}]*\}) from '\./([\w.]+)';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ ]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_AFTER_CODE = re.compile(r" // [^\n`'\"]{0,200}$", re.MULTILINE)
_BLANK = re.compile(r"\n\s*")
_CSS_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/")
_YEAR = 365 * 86400


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent.

    Attributes:
        content: Its bytes.
        compressed: The same by gzip.
        media_type: What it is.
        tag: Names the content (``ETag``).
    """

    content: bytes
    compressed: bytes
    media_type: str
    tag: str


def bundle_script(name: str, folder: Path = STATIC) -> str:
    """Join a script with all that it imports, each of these in a scope of its own, before those that import it.

    Args:
        name: Of the script, whose imports are of the form ``import { a, b } from './part.js';``, on one line.
        folder: Where it and its parts are.

    Returns:
        One module without imports, comments and indentation. No template of a script has lines.

    Raises:
        ValueError: If a part imports itself by way of others.
    """
    parts: dict[str, str] = {}

    def add(part: str, importers: tuple[str, ...]) -> None:
        if part in importers:
            raise ValueError(f"{' imports '.join((*importers, part))}")
        if part in parts:
            return
        source = _COMMENT.sub("", (folder / part).read_text(encoding="utf-8"))
        for _, imported in _IMPORT.findall(source):
            add(imported, (*importers, part))
        exported = ", ".join(_EXPORT.findall(source))
        body = _EXPORT.sub("", _IMPORT.sub(lambda match: f"const {match[1]} = {_scope(match[2])};\n", source))
        in_scope = f"const {_scope(part)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
        parts[part] = in_scope if importers else body

    add(name, ())
    return _BLANK.sub("\n", _AFTER_CODE.sub("", "".join(parts.values())))


def _scope(part: str) -> str:
    return f"${part.removesuffix('.js').replace('-', '_')}"


def _shorten(path: Path) -> bytes:
    if path.suffix == ".js":
        return bundle_script(path.name).encode()
    if path.suffix == ".css":
        return _BLANK.sub("\n", _CSS_COMMENT.sub("", path.read_text(encoding="utf-8"))).encode()
    return path.read_bytes()


@cache
def assets() -> dict[str, Asset]:
    """All files by their names."""
    files: dict[str, Asset] = {}
    for path in sorted(STATIC.iterdir()):
        content = _shorten(path)
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        files[path.name] = Asset(content, gzip.compress(content, 9, mtime=0), _TYPES[path.suffix], tag)
    return files


@cache
def assets_version() -> str:
    """A word that changes whenever one of the files does; pages name it in the addresses of what they load."""
    return hashlib.sha256("".join(asset.tag for asset in assets().values()).encode()).hexdigest()[:12]


async def send_asset(request: Request) -> Response:
    """A file; under the address that names its version it is kept for a year, else it is asked for again."""
    asset = assets().get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    is_versioned = request.query_params.get("v") == assets_version()
    headers = {"etag": asset.tag, "vary": "Accept-Encoding"}
    headers["cache-control"] = f"public, max-age={_YEAR}, immutable" if is_versioned else "no-cache"
    if asset.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(asset.content, headers=headers, media_type=asset.media_type)
    return Response(asset.compressed, headers={**headers, "content-encoding": "gzip"}, media_type=asset.media_type)


class RaterCompression(GZipMiddleware):
    """Compresses replies to raters.

    Not the manager's pages: words of raters stand there beside the word that the manager's posts must bring, and the
    length of what is compressed together tells of one what is known of the other.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        answer = self.app if path.startswith("/manage") else super().__call__
        await answer(scope, receive, send)

"""What holds for every request: whose host it names, how long its body is, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errorbar.judging.web.refusals import RefusalError

MOST_BYTES = 2 * 1024 * 1024
"""Of a body: a hundred answers with long comments."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # links of invitations are secrets
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
_NO_STORE = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Guard:
    """The outermost layer.

    Attributes:
        app: What answers.
        hosts: Names by which the server may be called, without ports; None: any. A page of elsewhere whose name was
            made to point at 127.0.0.1 names its own host.
        secure: Whether the browser came by TLS.
    """

    app: ASGIApp
    hosts: Collection[str] | None
    secure: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        still = scope["path"].removeprefix(scope.get("root_path", "")).startswith("/static/")
        left = MOST_BYTES

        async def limited() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise _too_long()
            return message

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                headers.extend(_HEADERS)
                if self.secure:
                    headers.append((b"strict-transport-security", b"max-age=31536000"))
                if not still:
                    headers.append(_NO_STORE)
            await send(message)

        if refusal is not None:
            await refusal.response()(scope, receive, headed)
        else:
            await self.app(scope, limited, headed)

    def _refusal(self, scope: Scope) -> RefusalError | None:
        length = host = ""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value.decode("latin-1")
            elif name == b"content-length":
                length = value.decode("latin-1")
        if self.hosts is not None and _without_port(host) not in self.hosts:
            what = f"This server does not answer to the name '{host}'."
            return RefusalError(421, "wrong-host", what, "Open the address that the server printed.")
        if length and (not length.isdecimal() or int(length) > MOST_BYTES):
            return _too_long()
        return None


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _too_long() -> RefusalError:
    return RefusalError(413, "too-long", f"The request is longer than {MOST_BYTES:,} bytes.", "Send it in parts.")

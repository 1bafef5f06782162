"""What the server refuses: one shape for programs, a plain page for people."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response


class RefusalError(Exception):
    """A request that is not answered as it was asked.

    Attributes:
        status: Of HTTP.
        code: Short and stable; docs/judge/server.md lists every code.
        message: What is wrong, for people.
        fix: What they can do.
    """

    def __init__(self, status: int, code: str, message: str, fix: str = "") -> None:
        self.status, self.code, self.message, self.fix = status, code, message, fix
        super().__init__(message)

    def body(self) -> dict[str, object]:
        """The one shape of errors."""
        return {"error": {"code": self.code, "message": self.message, "fix": self.fix}}

    def response(self) -> Response:
        """For programs."""
        return JSONResponse(self.body(), self.status)


def signed_out() -> RefusalError:
    """The session is over, or there was none."""
    return RefusalError(401, "signed-out", "You are not signed in.", "Open the link that you were given again.")


def forged() -> RefusalError:
    """A post that does not come from one of our own pages."""
    return RefusalError(403, "form-expired", "This form is not valid any more.", "Load the page again and send it.")


def unfit(what: str) -> RefusalError:
    """A body that is not what was asked for."""
    return RefusalError(400, "bad-request", what, "")

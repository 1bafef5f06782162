from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import nullcontext
from http.client import HTTPMessage
from pathlib import Path
from urllib.request import Request

import pytest

from errorbar.core import InputError
from errorbar.datasets import Talk
from errorbar.datasets.fetching import ATTEMPTS, _SafeRedirects, discard, download
from tests.datasets.server import Page, Site

CONTENT = bytes(range(256)) * 1000


def get(url: str, part: Path, *, limit: int = 10**9) -> bool:
    return download(url, part, limit=limit, talk=Talk(print))


def test_good(site: Site, tmp_path: Path) -> None:
    url = site.put("/x.tar.gz", Page(CONTENT))
    assert get(url, tmp_path / "deep" / "x.part") is False
    assert (tmp_path / "deep" / "x.part").read_bytes() == CONTENT


def test_connection_lost_midway_is_resumed(site: Site, tmp_path: Path) -> None:
    url = site.put("/x", Page(CONTENT, cut=2))
    assert get(url, tmp_path / "x.part") is True
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    # Half of 256,000 bytes, half of the rest, and the rest: nothing is sent twice.
    assert site.log == [("/x", "", 128_000), ("/x", "bytes=128000-", 64_000), ("/x", "bytes=192000-", 64_000)]


def test_server_that_ignores_ranges_sends_all_again(site: Site, tmp_path: Path) -> None:
    url = site.put("/x", Page(CONTENT, cut=1, ranges=False))
    get(url, tmp_path / "x.part")
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    assert [sent for _, _, sent in site.log] == [128_000, 256_000]


def test_file_that_changed_since_is_taken_whole(site: Site, tmp_path: Path) -> None:
    part = tmp_path / "x.part"
    url = site.put("/x", Page(CONTENT, cut=1))
    new = Page(b"new" * 50_000, etag='"2"')

    def say(line: str) -> None:  # between the two connections the publisher replaces the file
        site.put("/x", new)

    download(url, part, limit=10**9, talk=Talk(say))
    assert part.read_bytes() == new.content
    assert site.log == [("/x", "", 128_000), ("/x", "bytes=128000-", 150_000)]


def test_a_weak_tag_does_not_tell_bytes_apart(site: Site, tmp_path: Path) -> None:
    """It is the same for files that mean the same; a server may not honor it for a range."""
    part = tmp_path / "x.part"
    beside: list[list[str]] = []
    for tag in ('"1"', 'W/"1"', ""):
        url = site.put("/x", Page(CONTENT, cut=1, etag=tag))

        def say(_: str) -> None:
            beside.append([each.read_text() for each in tmp_path.iterdir() if each != part])

        download(url, part, limit=10**9, talk=Talk(say))
        assert part.read_bytes() == CONTENT
        discard(part)
    assert beside == [['"1"'], [], []]


@pytest.mark.parametrize(
    ("there", "shift", "log"),
    [
        (CONTENT[:1000], 0, [("/x", "bytes=1000-", 255_000)]),  # of a download that was killed
        (CONTENT, 0, [("/x", "bytes=256000-", 0)]),  # a whole part is not sent again
        (CONTENT + b"more", 0, None),  # a part longer than the file is thrown away
        (CONTENT[:1000], 7, None),  # and an answer with another part
    ],
)
def test_a_part_is_resumed_if_it_fits(
    site: Site, tmp_path: Path, there: bytes, shift: int, log: list[tuple[str, str, int]] | None
) -> None:
    url = site.put("/x", Page(CONTENT, shift=shift))
    (tmp_path / "x.part").write_bytes(there)
    resumed = get(url, tmp_path / "x.part")
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    if log is not None:
        assert (resumed, site.log) == (True, log)


def test_not_found_is_said_at_once(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"/x: the server says 404 Not Found; .*from_file \[data-download\]"):
        get(site.base + "/x", tmp_path / "x.part")
    assert len(site.log) == 1


def test_server_error_then_success(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = site.put("/x", Page(CONTENT, failures=[503, 500]))
    assert get(url, tmp_path / "x.part") is False
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    assert "the server says 503 Service Unavailable; trying again" in capsys.readouterr().out


def test_server_error_forever_gives_up_and_keeps_the_part(site: Site, tmp_path: Path) -> None:
    url = site.put("/x", Page(CONTENT, failures=[500] * 20))
    (tmp_path / "x.part").write_bytes(CONTENT[:1000])
    with pytest.raises(InputError, match="500 Internal Server Error, 4 times in a row"):
        get(url, tmp_path / "x.part")
    assert len(site.log) == ATTEMPTS
    assert (tmp_path / "x.part").read_bytes() == CONTENT[:1000]


def test_nobody_listens(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no connection .*refused.* 2 times in a row"):
        get("http://127.0.0.1:1/x", tmp_path / "x.part")


def test_redirect_is_followed_and_keeps_the_range(site: Site, tmp_path: Path) -> None:
    site.put("/new", Page(CONTENT))
    url = site.put("/old", Page(redirect="/new"))
    (tmp_path / "x.part").write_bytes(CONTENT[:1000])
    get(url, tmp_path / "x.part")
    assert (tmp_path / "x.part").read_bytes() == CONTENT
    assert site.log[-1] == ("/new", "bytes=1000-", 255_000)


def test_redirect_to_an_unencrypted_address_is_refused() -> None:
    redirect: Callable[[Request, str], object] = lambda request, to: _SafeRedirects().redirect_request(  # noqa: E731
        request, io.BytesIO(), 302, "Found", HTTPMessage(), to
    )
    with pytest.raises(InputError, match="unencrypted address http://b"):
        redirect(Request("https://a/x"), "http://b/x")
    assert redirect(Request("https://a/x"), "https://b/x") is not None
    assert redirect(Request("http://a/x"), "http://b/x") is not None


@pytest.mark.parametrize("length", [True, False])
def test_too_large(site: Site, tmp_path: Path, length: bool) -> None:
    url = site.put("/x", Page(CONTENT, length=length))
    shown: list[int] = [0]
    talk = Talk(print, lambda unit, total: nullcontext(shown.append))
    with pytest.raises(InputError, match=r"more than the 200,000"):
        download(url, tmp_path / "x.part", limit=200_000, talk=talk)
    assert max(shown) <= 200_000  # given up at once, not at the end
    assert len(site.log) == 1
    assert not (tmp_path / "x.part").exists()


def test_progress_counts_what_was_there_before(site: Site, tmp_path: Path) -> None:
    url = site.put("/x", Page(CONTENT))
    (tmp_path / "x.part").write_bytes(CONTENT[:1000])
    opened: list[tuple[str, int]] = []
    shown: list[int] = []

    def progress(unit: str, total: int) -> nullcontext[Callable[[int], None]]:
        opened.append((unit, total))
        return nullcontext(shown.append)

    download(url, tmp_path / "x.part", limit=10**9, talk=Talk(print, progress))
    assert opened == [("bytes of x", 256_000)]
    assert shown[0] > 1000
    assert shown[-1] == 256_000

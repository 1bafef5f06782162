"""Links: personal ones and those of a crowd, how long they open, for how many, and who may come back by them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from errorbar import judge_invite, judge_raters
from errorbar.core import UsageError
from errorbar.judging import Study, StudyRules
from errorbar.judging.study.rules import VARIABLE
from tests.judging.served import CSRF, Visitor, made_study, served


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Seconds that all clocks are ahead."""
    file = tmp_path / "clock"
    file.write_text("0")
    monkeypatch.setenv(VARIABLE, str(file))
    return file


@pytest.fixture
def study(tmp_path: Path, clock: Path) -> Study:
    return made_study(tmp_path / "study", StudyRules(raters_per_item=3), items=30)


@pytest.fixture
def url(study: Study) -> Iterator[str]:
    with served(study) as url:
        yield url


def raters(study: Study) -> list[str]:
    return [each.name for each in judge_raters(study.folder).raters]


def test_links_can_be_shown_again_and_keep_their_names(study: Study) -> None:
    made = judge_invite(study.folder, raters=3).links
    assert [each.invite.label for each in made] == ["rater-1", "rater-2", "rater-3"]
    more = judge_invite(study.folder, raters=1, names=["zoe"]).links
    assert [each.invite.label for each in more] == ["zoe", "rater-4"]
    again = judge_invite(study.folder)
    assert [each.url for each in again.links] == [each.url for each in (*made, *more)]
    assert len({each.url for each in again.links}) == 5
    with pytest.raises(UsageError, match="already"):
        judge_invite(study.folder, names=["zoe"])


def test_names_pass_over_raters_who_came_by_a_crowds_link(study: Study, url: str) -> None:
    link = judge_invite(study.folder, crowd="class").links[0].url
    Visitor(url).enter(link)
    assert raters(study) == ["rater-1"]
    assert [each.invite.label for each in judge_invite(study.folder, raters=2).links] == ["rater-2", "rater-3"]


def test_a_form_that_is_sent_twice_lets_one_rater_in(study: Study, url: str) -> None:
    """Two clicks on the button, or a reply that was lost: also of somebody who gave no name."""
    link = judge_invite(study.folder, crowd="class", most=2).links[0].url
    path = link[link.index("/j/") :]
    visitor = Visitor(url)
    found = CSRF.search(visitor.http.get(path).text)
    assert found
    cookies = dict(visitor.http.cookies)

    def send(_: int) -> httpx.Response:
        return httpx.post(url + path, data={"csrf": found[1]}, cookies=cookies, trust_env=False)

    with ThreadPoolExecutor(4) as clicks:
        replies = [*clicks.map(send, range(4))]
    assert {reply.status_code for reply in replies} == {303}
    assert len({next(value for name, value in reply.cookies.items() if "judge" in name) for reply in replies}) == 1
    assert len(raters(study)) == 1
    assert judge_invite(study.folder).links[0].invite.uses == 1


def test_too_few_raters_are_warned_of(study: Study) -> None:
    (note,) = judge_invite(study.folder, raters=2).notes
    assert note.code == "judge-few-raters"
    assert "only 2 raters are invited" in note.what
    assert judge_invite(study.folder, raters=1).notes == []
    assert judge_invite(study.folder, revoked="rater-1").notes[0].code == "judge-few-raters"
    assert judge_invite(study.folder, crowd="all").notes == []


@pytest.mark.parametrize(
    "given",
    [{"names": [""]}, {"names": ["a", "a"]}, {"names": ["a\nb"]}, {"raters": -1}, {"days": 0.0}, {"most": 1}],
)
def test_what_makes_no_sense_is_refused(study: Study, given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        judge_invite(study.folder, **{"crowd": "" if "most" in given else "c", **given})  # type: ignore[arg-type]
    assert judge_invite(study.folder).links == []


def test_an_exhausted_link_lets_exactly_so_many_in(study: Study, url: str) -> None:
    """R40: thirty at once, and twelve places."""
    link = judge_invite(study.folder, crowd="c", most=12).links[0].url
    with ThreadPoolExecutor(30) as pool:
        codes = list(pool.map(lambda n: Visitor(url).enter(f"{link}?participant=p{n}").status_code, range(30)))
    assert sorted(codes) == [303] * 12 + [410] * 18
    assert len(raters(study)) == 12
    assert judge_invite(study.folder).links[0].state == "used up"
    late = httpx.post(url + link[link.index("/j/") :], data={"csrf": "of a page from before"}, trust_env=False)
    assert late.status_code == 410
    assert "As many people as were wanted" in late.text


def word_of(page: httpx.Response) -> dict[str, str]:
    found = CSRF.search(page.text)
    assert found
    return {"csrf": found[1]}


def test_expired_and_revoked_links(study: Study, url: str, clock: Path) -> None:
    short, long = (
        judge_invite(study.folder, crowd=name, days=days).links[0].url for name, days in (("s", 1), ("l", 9))
    )
    early = Visitor(url)
    early.enter(f"{short}?participant=early")
    late = Visitor(url)
    shown = late.http.get(short[short.index("/j/") :])  # the form is on the screen while the link expires
    clock.write_text(str(2 * 86400))
    word = word_of(shown)
    assert late.http.post(short[short.index("/j/") :], data=word).status_code == 410
    assert 'data-notice="expired"' in late.http.get(short[short.index("/j/") :]).text
    assert early.claim()["standing"] == "work"  # who came by it works on
    shown = late.http.get(long[long.index("/j/") :])
    judge_invite(study.folder, revoked="l")
    word = word_of(shown)
    assert late.http.post(long[long.index("/j/") :], data=word).status_code == 410
    assert raters(study) == ["rater-1"]


def test_whose_session_is_over_comes_back_by_an_expired_link(study: Study, url: str, clock: Path) -> None:
    """Answers may wait in their browser, whose old cookie proves who it is."""
    link = judge_invite(study.folder, crowd="c", days=1).links[0].url
    kim = Visitor(url)
    kim.enter(f"{link}?participant=kim", participant="kim")
    clock.write_text(str(40 * 86400))
    assert kim.post("/api/claim", {}).status_code == 401
    assert kim.enter(f"{link}?participant=kim", participant="kim").status_code == 303
    assert kim.claim()["standing"] == "work"
    assert raters(study) == ["rater-1"]


@pytest.mark.parametrize("parameter", ["participant", "PROLIFIC_PID", "workerId"])
def test_a_participant_is_one_rater(study: Study, url: str, parameter: str) -> None:
    """R38: who comes twice, by whichever link, or with another id in the same browser, is one rater."""
    links = [judge_invite(study.folder, crowd=name).links[0].url for name in "ab"]
    lee = Visitor(url)
    assert lee.enter(f"{links[0]}?{parameter}=lee", participant="lee").status_code == 303
    held = lee.claim()
    lee.http.get(f"{links[1][links[1].index('/j/') :]}?{parameter}=lee")
    lee.enter(f"{links[1]}?{parameter}=lee", participant="lee")
    assert lee.claim() == held
    assert raters(study) == ["rater-1"]
    path = links[0][links[0].index("/j/") :]
    again = lee.http.get(f"{path}?{parameter}=somebody-else")
    assert (again.status_code, again.headers["location"]) == (303, "/work")
    assert raters(study) == ["rater-1"]


def test_an_id_alone_does_not_open_somebodys_work(study: Study, url: str) -> None:
    """R8: who knows another's id does not get their items, unless the manager trusts ids."""
    link = judge_invite(study.folder, crowd="c").links[0].url
    max_, thief = Visitor(url), Visitor(url)
    max_.enter(f"{link}?participant=max", participant="max")
    assert max_.claim()["items"]
    taken = thief.enter(f"{link}?participant=max", participant="max")
    assert taken.status_code == 409
    assert "another browser" in taken.text
    assert thief.csrf == ""
    back = judge_invite(study.folder, back="rater-1").links[0].url
    assert thief.enter(back).status_code == 303
    assert thief.claim() == max_.claim()
    trusting = judge_invite(study.folder, crowd="t", kind="trusting").links[0].url
    assert Visitor(url).enter(f"{trusting}?participant=max", participant="max").status_code == 303
    assert raters(study) == ["rater-1"]


def test_a_form_that_is_sent_again_is_the_same_person(study: Study, url: str) -> None:
    """The reply was lost: the form is sent again, or the link opened again before any work was handed out."""
    link = judge_invite(study.folder, crowd="c").links[0].url
    nat = Visitor(url)
    path = link[link.index("/j/") :]
    form = {**word_of(nat.http.get(f"{path}?participant=nat")), "participant": "nat"}
    cookies = dict(nat.http.cookies)
    replies = [httpx.post(url + path, data=form, cookies=cookies, trust_env=False) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [303, 303]
    assert dict(replies[0].cookies) == dict(replies[1].cookies)
    first, again = Visitor(url), Visitor(url)
    first.http.cookies = httpx.Cookies(dict(replies[0].cookies))
    assert again.enter(f"{link}?participant=nat", participant="nat").status_code == 303
    assert first.http.get("/work").status_code == 401, "two browsers never share the work"
    assert again.claim()["items"]
    assert Visitor(url).enter(f"{link}?participant=nat", participant="nat").status_code == 409
    assert raters(study) == ["rater-1"]


def test_names_that_are_typed_and_ids_that_are_drawn(study: Study, url: str) -> None:
    named = judge_invite(study.folder, crowd="n", kind="named").links[0].url
    free = judge_invite(study.folder, crowd="f").links[0].url
    olga = Visitor(url)
    assert "Please say who you are" in olga.enter(named).text
    assert olga.enter(named, participant="olga").status_code == 303
    for _ in range(2):
        assert Visitor(url).enter(free).status_code == 303
    assert raters(study) == ["rater-1", "rater-2", "rater-3"]
    assert Visitor(url).http.get(f"{free[free.index('/j/') :]}?participant={'x' * 201}").status_code == 400


def test_typed_names_that_look_the_same_are_one_person(study: Study, url: str) -> None:
    """NFKC, no difference of capital letters or spaces, no characters that nobody sees."""
    named = judge_invite(study.folder, crowd="n", kind="named").links[0].url
    olga = Visitor(url)
    assert olga.enter(named, participant="Olga Weiß").status_code == 303
    assert olga.claim()["items"]
    for name in (
        "olga weiss",
        "OLGA  WEISS",
        "Ol\u200bga Weiß",
        "\uff2flga\u00a0Weiß",
        "\u202eOlga Weiß\u2069",
        "Olga\u00ad Weiß",
    ):
        assert Visitor(url).enter(named, participant=name).status_code == 409, name
    assert "Please say who you are" in Visitor(url).enter(named, participant="\u200b").text
    assert Visitor(url).enter(named, participant="Olga Weis").status_code == 303
    assert raters(study) == ["rater-1", "rater-2"]

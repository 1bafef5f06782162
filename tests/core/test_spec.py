"""Specs: one string that says what is computed."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errorbar.core import Parameter, Spec, UsageError, Value, check_value, make_spec, read_parameters, split_spec

DECLARED = (
    Parameter("beta", float, 0.5, "Weight."),
    Parameter("width", int, 2, "Width.", lambda value: "" if value != 13 else "a lucky number"),
    Parameter("fold", bool, False, "Fold.", aliases=("crease",)),
    Parameter("choose", str, "running", "Choice."),
)


def parse(text: str) -> Spec:
    name, raw = split_spec(text)
    return make_spec(name, DECLARED, read_parameters(name, DECLARED, raw))


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("m2", "m2"),
        ("m2()", "m2"),
        (" m2 ( beta = 1 ) ", "m2(beta=1)"),
        ("m2(beta=0.5)", "m2"),
        ("m2(fold=TRUE,beta=2.50)", "m2(beta=2.5,fold=true)"),
        ('m2(choose="a, b")', 'm2(choose="a, b")'),
        (r'm2(choose="say \"x\" \\ y")', r'm2(choose="say \"x\" \\ y")'),
        ("m2(choose=teacher-1)", "m2(choose=teacher-1)"),
        ("m2(width=3,)", "m2(width=3)"),
        ("m2(crease=true)", "m2(fold=true)"),
    ],
)
def test_the_short_form(text: str, short: str) -> None:
    assert str(parse(text)) == short
    assert parse(short) == parse(text)


@pytest.mark.parametrize("text", ["", "2m", "m2(", "m2)", "m2(beta)", "m2(beta=)", "m2(beta=1 2)", "m2(beta=1,beta=2)"])
def test_what_is_no_spec(text: str) -> None:
    with pytest.raises(UsageError, match="cannot read") as refused:
        parse(text)
    assert refused.value.code == "bad-spec"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m2(beta=x)", r"m2: beta must be a number, got x"),
        ("m2(width=2.5)", r"m2: width must be a whole number, got 2.5"),
        ("m2(width=13)", r"m2: width must be a lucky number, got 13"),
        ("m2(fold=yes)", r"m2: fold must be true or false, got yes"),
        ("m2(fold=true,crease=true)", "m2 is given fold under two names"),
        ("m2(bta=1)", "'m2' has no parameter 'bta'; did you mean 'beta'?"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("name", "value"), [("beta", True), ("width", True), ("width", 2.0), ("fold", 1), ("choose", 1)]
)
def test_what_python_gives_has_its_type(name: str, value: Value) -> None:
    parameter = next(each for each in DECLARED if each.name == name)
    with pytest.raises(UsageError, match=f"m2: {name} must be "):
        check_value("m2", parameter, value)


values: st.SearchStrategy[dict[str, Value]] = st.fixed_dictionaries(
    {
        "beta": st.floats(allow_nan=False),
        "width": st.integers().filter(lambda value: value != 13),
        "fold": st.booleans(),
        "choose": st.text(),
    }
)


@given(values)
@example({"beta": 1e6, "width": 1_000_000, "fold": False, "choose": ""})
def test_every_spec_reads_back_as_itself(chosen: dict[str, Value]) -> None:
    spec = make_spec("m2", DECLARED, chosen)
    assert parse(str(spec)) == spec
    name, raw = split_spec(str(spec))
    assert read_parameters(name, DECLARED, raw) == chosen

"""Parameters of a public function, read from its source.

Nothing is imported, as the help of a command would take long if it loaded what computes; and of a file only the
statements that are needed are parsed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

from errorbar.core.problems import InputError, Problem

_TOP = re.compile(r"^(?:(?:def|class) )?([\w@]+).*", re.MULTILINE)
"""The first line of a statement of a module."""
_IMPORT = re.compile(r"^ *from (errorbar[\w.]*) import (\([^)]*\)|[^\n(#]*)", re.MULTILINE)
_QUOTED = re.compile(r"``(\w+)``")
_SENTENCE = re.compile(r"(?<!e\.g)\.\s+(?=[A-Z'`])")
_NONE = re.compile(r"(?:^|[;.] )(?:None|Empty): ((?:[^.]|\.(?=\w))+)")


Bounds = tuple[float | None, float | None, str]
"""The smallest and the largest number that an option takes, and which of them are excluded: ``low``, ``high``."""


class Kind(NamedTuple):
    """The values that a parameter takes: names of types, choices, bounds of numbers, whether there can be several."""

    names: frozenset[str] = frozenset()
    choices: tuple[str, ...] = ()
    bounds: Bounds | None = None
    several: bool = False

    def __or__(self, other: Kind) -> Kind:
        """Either of the two."""
        choices = dict.fromkeys((*self.choices, *other.choices))
        several = self.several or other.several
        return Kind(self.names | other.names, tuple(choices), self.bounds or other.bounds, several)


class Argument(NamedTuple):
    """A parameter of a public function; ``required`` if it has no default."""

    name: str
    kind: Kind
    default: object
    text: str
    required: bool = False
    positional: bool = False

    @property
    def help(self) -> str:
        """The first sentence of the description, and what stands for None."""
        first, *_ = _SENTENCE.split(self.text, 1)
        usual = _NONE.search(self.text)
        sentence = f"{_NONE.sub('', first).rstrip('.;')}."
        more = f"  [default: {usual[1]}]" if usual else ""
        return f"{sentence}{more}".replace("``", "'")


class Source:
    """A module's text, in which statements are looked up by name."""

    def __init__(self, module: str) -> None:
        self.text = _read_source(module)
        self.imported = {
            alias or name: (statement[1], name)
            for statement in _IMPORT.finditer(self.text)
            for name, alias in re.findall(r"(\w+)(?: as (\w+))?", statement[2])
        }
        starts = [*_TOP.finditer(self.text)]
        ends = [*(each.start() for each in starts[1:]), len(self.text)]
        self.places = {start[1]: (start.start(), end) for start, end in zip(starts, ends, strict=True)}
        for decorator, start in pairwise(starts):
            if decorator[1] == "@public":
                self.places[start[1]] = decorator.start(), self.places[start[1]][1]
        self.parsed: dict[str, ast.stmt] = {}

    def statement(self, name: str) -> tuple[ast.stmt, Source] | None:
        """The statement that defines a name, in this module or the one it comes from; None: in none of ours."""
        if name in self.imported:
            module, original = self.imported[name]
            return source(module).statement(original)
        if name not in self.parsed and name in self.places:
            start, end = self.places[name]
            text = self.text[start:end]
            if "\ndef " in f"\n{text}":  # signature and docstring alone
                head, quotes, body = text.partition('"""')
                text = f"{head}{quotes}{body.partition(quotes)[0]}{quotes}"
            self.parsed[name] = ast.parse(text).body[0]
        return (self.parsed[name], self) if name in self.parsed else None

    def assigned(self, name: str) -> tuple[ast.expr, Source] | None:
        """The expression that a constant or an alias of a type stands for; None: the name is of something else."""
        if name in self.imported:
            module, original = self.imported[name]
            return source(module).assigned(original)
        if name not in self.places or self.text.startswith(("class ", "def ", "@"), self.places[name][0]):
            return None  # classes may be long: they are not parsed where only aliases are looked for
        statement, home = self.statement(name) or (None, self)
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            return None
        return statement.value, home

    def value(self, node: ast.expr) -> object:
        """The value of a literal, or of a constant; a text with such values in it is put together."""
        if isinstance(node, ast.Name) and (constant := self.assigned(node.id)) is not None:
            expression, home = constant
            return home.value(expression)
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
            return "".join(str(self.value(part)) for part in parts)
        return ast.literal_eval(node)

    def kind(self, node: ast.expr) -> Kind:
        """The values that an annotation allows."""
        if isinstance(node, ast.BinOp):
            left = self.kind(node.left)  # beside a path no object is of interest
            return (
                left if "PathLike" in left.names and isinstance(node.right, ast.Name) else left | self.kind(node.right)
            )
        if isinstance(node, ast.Subscript):
            return self._generic(node)
        if not isinstance(node, ast.Name):
            return Kind()
        expression, home = self.assigned(node.id) or (None, self)
        return Kind(frozenset({node.id})) if expression is None else home.kind(expression)

    def description(self, annotation: ast.expr) -> str:
        """The description that an alias of a type brings along, such as ``Gold``; empty: none."""
        if isinstance(annotation, ast.Name) and (alias := self.assigned(annotation.id)) is not None:
            expression, home = alias
            match expression:
                case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Call(args=[_, text])])):
                    return str(home.value(text))
        return ""

    def _generic(self, node: ast.Subscript) -> Kind:
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        name = _name_of(node.value)
        if name == "Literal":
            return Kind(choices=tuple(str(self.value(each)) for each in inner))
        if name == "Annotated":
            ranges = (self._bounds(extra) for extra in inner[1:])
            bounds = next((bounds for bounds in ranges if bounds is not None), None)
            return self.kind(inner[0]) | Kind(bounds=bounds)
        if name in ("Sequence", "Iterable", "tuple", "list"):
            return self.kind(inner[0]) | Kind(several=True)
        return Kind(frozenset({name}))

    def _bounds(self, node: ast.expr) -> Bounds | None:
        if not isinstance(node, ast.Call) or _name_of(node.func) != "Bounds":
            return None
        values: list[Any] = [self.value(argument) for argument in node.args]
        low, high, excluded = values + [None, None, ""][len(values) :]
        return low, high, excluded


def _name_of(node: ast.expr) -> str:
    """The name that an expression is; empty: it is something else."""
    return node.id if isinstance(node, ast.Name) else ""


def _read_source(module: str) -> str:
    """The source of a module of ours, in a folder or in an archive; no package on the way to it is imported."""
    spec: Any = find_spec("errorbar")
    (folder,) = spec.submodule_search_locations
    path = "/".join((folder, *module.split(".")[1:]))
    for file in (f"{path}.py", f"{path}/__init__.py"):
        with suppress(OSError):
            text: str = spec.loader.get_data(file).decode()
            return text
    message = f"the options of a command are read from the source of {module}, which is not installed"
    raise InputError(Problem("missing-part", message, fix="install errorbar with its sources"))


@cache
def source(module: str) -> Source:
    """The text of a module of ours."""
    return Source(module)


def parameters_of(module: str, function: str) -> dict[str, Argument]:
    """The parameters of a public function in the order of its signature, shared ones spelled out."""
    node, home = source(module).statement(function) or (None, None)
    if not isinstance(node, ast.FunctionDef) or home is None:
        raise LookupError(f"{module} has no function {function}")
    texts = argument_texts(ast.get_docstring(node) or "")
    arguments = [*node.args.args, *node.args.kwonlyargs]
    absent = [None] * (len(node.args.args) - len(node.args.defaults))
    parameters: dict[str, Argument] = {}
    for argument, default in zip(arguments, [*absent, *node.args.defaults, *node.args.kw_defaults], strict=True):
        name, annotation = argument.arg, argument.annotation
        if annotation is not None and not isinstance(default, ast.Lambda):
            usual = None if default is None else home.value(default)
            text = texts.get(name) or home.description(annotation)
            positional = argument in node.args.args
            parameters[name] = Argument(name, home.kind(annotation), usual, text, default is None, positional)
    own_defaults = {
        str(keyword.arg): home.value(keyword.value)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
    }
    if node.args.kwarg is not None and isinstance(unpacked := node.args.kwarg.annotation, ast.Subscript):
        for name, shared in _read_shared_arguments(home, _name_of(unpacked.slice)):
            own = own_defaults.get(name, shared.default)
            parameters[name] = shared._replace(default=own, text=texts.get(name, shared.text))

    def flag(match: re.Match[str]) -> str:
        return f"--{match[1].replace('_', '-')}" if match[1] in parameters else match[0]

    return {name: each._replace(text=_QUOTED.sub(flag, each.text)) for name, each in parameters.items()}


def description_of(module: str, function: str) -> str:
    """The docstring of a public function, up to its arguments."""
    node, _ = source(module).statement(function) or (None, None)
    return (ast.get_docstring(node) or "").partition("\nArgs:")[0] if isinstance(node, ast.FunctionDef) else ""


def _read_shared_arguments(home: Source, name: str) -> Iterator[tuple[str, Argument]]:
    """The keys of a TypedDict and of those that it extends."""
    node, home = home.statement(name) or (None, home)
    if not isinstance(node, ast.ClassDef):
        return
    for base in node.bases:
        yield from _read_shared_arguments(home, _name_of(base))
    for field in node.body:
        if isinstance(field, ast.AnnAssign):
            annotation, place = field.annotation, home
            if isinstance(annotation, ast.Name):  # such as ``Lenient``
                annotation, place = home.assigned(annotation.id) or (annotation, home)
            match annotation:
                case ast.Subscript(slice=ast.Tuple(elts=[kind, *_, ast.Call(args=[default, text])])) if not isinstance(
                    default, ast.Lambda
                ):
                    key = _name_of(field.target)
                    yield key, Argument(key, place.kind(kind), place.value(default), str(place.value(text)))


def argument_texts(doc: str) -> dict[str, str]:
    """The descriptions below ``Args:`` of a docstring, each on one line."""
    section = doc.partition("\nArgs:\n")[2].partition("\n\n")[0]
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}

"""HOO data converted to M2, JSONL and corrected texts, and back: what ``convert`` does where either side is HOO."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.edit import Fragment
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.standoff_reading import text_edits
from errorbar.edits.standoff_texts import apply_standoff
from errorbar.edits.standoff_tokens import check_sentences, fragment_sentences, note_spacing
from errorbar.formats.catalog import HOO, find_format, is_hoo, is_xml
from errorbar.formats.hoo_edits import sentences_fragments
from errorbar.formats.hoo_folder import list_run, read_gold, read_source, read_text
from errorbar.formats.hoo_xml import save_fragments, save_texts
from errorbar.formats.jsonl import has_standoff, read_standoff, write_standoff
from errorbar.formats.opening import Lines, display_name, rereadable
from errorbar.formats.reference import NamedFile, reference_chunks
from errorbar.formats.saving import save_lines

ANNOTATOR = "0"
"""What the annotators of HOO are called in other formats: they worked as one."""


def convert_hoo(
    inputs: Sequence[NamedFile],
    to: str | None,
    out: str,
    *,
    source: str | None = None,
    annotators: Sequence[str] = (),
    lenient: bool = False,
) -> list[Problem]:
    """Convert HOO data to M2, JSONL or corrected text, or one of these to HOO.

    ``to`` is ``hoo``, ``m2``, ``jsonl`` or ``text`` (None: by the ending of ``out``); other arguments are those of
    ``convert``.

    Returns:
        Warnings and repairs.

    Raises:
        InputError: If a file is bad.
        UsageError: If the options do not fit together.
    """
    if len(inputs) != 1 or len(annotators) > 1:
        what = "HOO data is converted one set and one annotator at a time"
        raise UsageError(Problem("hoo-one-gold", what, fix="give one INPUT and at most one --annotator"))
    problems = Problems(lenient=lenient)
    path = inputs[0].path
    if is_hoo(path):
        _from_hoo(path, _target(to, out), out, source, annotators, problems)
    elif source is not None:
        fragments = read_source(source, problems)
        files = list_run(path, inputs[0].name, [one.name for one in fragments], problems)
        made = []
        for one in fragments:
            file = files.get(one.name)
            if file is None or is_xml(file.path):
                problems.note("hoo-missing", f"no corrected text of fragment {one.name}; not written", Place(path))
                continue
            edits = tuple(text_edits(one, read_text(file, problems), display_name(file.path), problems))
            made.append(Fragment(one.name, edits, one.text))
        save_fragments(made, out, problems)
    else:
        save_fragments(_from_corpus(inputs[0], annotators, problems), out, problems, texts=True)
    return problems.notes


def _target(to: str | None, out: str) -> str:
    endings = {".m2": "m2", ".jsonl": "jsonl", ".txt": "text", ".xml": HOO}
    found = to or next((name for ending, name in endings.items() if out.removesuffix(".gz").endswith(ending)), None)
    if found is None:
        raise UsageError(Problem("no-format", "no format to write was given", fix="give --to=m2|jsonl|text|hoo"))
    return found


def _from_hoo(path: str, to: str, out: str, source: str | None, annotators: Sequence[str], problems: Problems) -> None:
    fragments = read_gold(path, problems, source=source, need_text=True)
    problems.raise_errors()
    if to == HOO:
        save_fragments(fragments, out, problems)
        return
    if to == "text":
        texts = {
            one.name: apply_standoff(one.text or "", one.edits, problems=problems, place=Place(one.file))
            for one in fragments
        }
        problems.raise_errors()
        save_texts(texts, out)
        return
    annotator = annotators[0] if annotators else ANNOTATOR
    pairs = [(fragment, list(fragment_sentences(fragment, annotator, problems))) for fragment in fragments]
    if to == "jsonl":
        lines = list(write_standoff(pairs, annotator))
    else:
        target = find_format(to)
        assert target.write is not None  # every format but nucle can be written, and convert offers these alone
        lines = list(target.write((sentence for _, made in pairs for sentence in made), problems))
        note_spacing(pairs, problems)
    problems.raise_errors()
    save_lines(lines, out)


def _from_corpus(file: NamedFile, annotators: Sequence[str], problems: Problems) -> list[Fragment]:
    path = rereadable(file.path)
    if has_standoff(path):
        fragments, sentences, annotator = read_standoff(Lines(path, problems), problems)
        problems.raise_errors()
        if list(annotators) in ([], [annotator]):
            check_sentences(fragments, sentences, annotator, problems)
            return fragments
    file = NamedFile(str(path), file.name)
    sentences = []
    names: dict[str, None] = {}
    for chunk in reference_chunks([file], problems):
        sentences += chunk.sentences
        names.update(dict.fromkeys(chunk.annotators))
    wanted = annotators[0] if annotators else next(iter(names), ANNOTATOR)
    return sentences_fragments(sentences, wanted, problems, name=file.name)

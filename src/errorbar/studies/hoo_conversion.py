"""HOO data converted to M2, JSONL and corrected texts, and back: what ``convert`` does where either side is HOO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from errorbar.formats.look import Lines, display_name
from errorbar.formats.reference import NamedFile, reference_chunks
from errorbar.formats.saving import save_lines

ANNOTATOR = "0"
"""What the annotators of HOO are called in other formats: they worked as one."""
ENDINGS = {".m2": "m2", ".jsonl": "jsonl", ".txt": "text", ".xml": HOO}


@dataclass(frozen=True, slots=True)
class HooConversion:
    """What is converted into what; the attributes are arguments of ``convert``."""

    inputs: Sequence[NamedFile]
    to: str | None
    out: str
    source: str | None = None
    annotators: Sequence[str] = ()
    lenient: bool = False


def convert_hoo(asked: HooConversion) -> list[Problem]:
    """Convert HOO data to M2, JSONL or corrected text, or one of these to HOO; the result is warnings and repairs."""
    if len(asked.inputs) != 1 or len(asked.annotators) > 1:
        what = "HOO data is converted one set and one annotator at a time"
        raise UsageError(Problem("hoo-one-gold", what, fix="give one INPUT and at most one --annotator"))
    problems, (file,) = Problems(lenient=asked.lenient), asked.inputs
    if is_hoo(file.path):
        _from_hoo(asked, problems)
    elif asked.source is not None:
        fragments = read_source(asked.source, problems)
        texts = list_run(file.path, file.name, [one.name for one in fragments], problems)
        made = []
        for one in fragments:
            text = texts.get(one.name)
            if text is None or is_xml(text.path):
                what = f"no corrected text of fragment {one.name}; not written"
                problems.note("hoo-missing", what, Place(file.path))
                continue
            edits = tuple(text_edits(one, read_text(text, problems), display_name(text.path), problems))
            made.append(Fragment(one.name, edits, one.text))
        save_fragments(made, asked.out, problems)
    else:
        save_fragments(_from_corpus(file, asked.annotators, problems), asked.out, problems, texts=True)
    return problems.notes


def _from_hoo(asked: HooConversion, problems: Problems) -> None:
    name = asked.out.removesuffix(".gz")
    to = asked.to or next((known for ending, known in ENDINGS.items() if name.endswith(ending)), None)
    if to is None:
        raise UsageError(Problem("no-format", "no format to write was given", fix="give --to=m2|jsonl|text|hoo"))
    target = None if to == HOO else find_format(to)
    if target is not None and target.write is None:
        what = f"errorbar reads {to} and does not write it"
        raise UsageError(Problem("no-format", what, fix="give --to=m2|jsonl|text|hoo"))
    fragments = read_gold(asked.inputs[0].path, problems, source=asked.source, need_text=True)
    problems.raise_errors()
    if target is None or target.write is None:
        save_fragments(fragments, asked.out, problems)
        return
    if to == "text":
        texts = {
            one.name: apply_standoff(one.text or "", one.edits, problems=problems, place=Place(one.file))
            for one in fragments
        }
        problems.raise_errors()
        save_texts(texts, asked.out)
        return
    annotator = asked.annotators[0] if asked.annotators else ANNOTATOR
    pairs = [(fragment, list(fragment_sentences(fragment, annotator, problems))) for fragment in fragments]
    if to == "jsonl":
        lines = list(write_standoff(pairs, annotator))
    else:
        lines = list(target.write((sentence for _, made in pairs for sentence in made), problems))
        note_spacing(pairs, problems)
    problems.raise_errors()
    save_lines(lines, asked.out)


def _from_corpus(file: NamedFile, annotators: Sequence[str], problems: Problems) -> list[Fragment]:
    path = file.path
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

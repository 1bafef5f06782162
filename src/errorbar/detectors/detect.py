"""Detectors and correctors at work on a text: ``errorbar detect``, ``errorbar correct``, and the models they read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import isfinite, log, log1p
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack, cast

import numpy as np

from errorbar.api.arguments import Count, Lenient, Progress, Useless, public
from errorbar.api.installed_systems import SystemKind, TrainedSystem, correct_by, detect_by, find_system
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.core.spec import Parameter, Value, make_spec, read_parameters, split_spec, word_parameter
from errorbar.detectors.candidates import Classifiers, Proposer, Reader
from errorbar.detectors.chooser import TASKS, load_chooser
from errorbar.detectors.combined import KIND, CombinedDetectors, Combiner
from errorbar.detectors.corrector import Corrector, apply_changes
from errorbar.detectors.correctors import CORRECTORS, UNLEARNED, Name, load_learned
from errorbar.detectors.correctors import KIND as CORRECTOR_KIND
from errorbar.detectors.detection import PrepositionMargins, deletion_scores, detect_prepositions
from errorbar.detectors.learning import Sentences
from errorbar.detectors.model_asking import OF_MODELS, ModelAsking, ModelUse
from errorbar.detectors.model_file import Model, fingerprint, load_model
from errorbar.detectors.ngrams import KIND as NGRAMS
from errorbar.detectors.ngrams import NgramModel
from errorbar.detectors.selectors import PAPER, Classifier, Kind, Majority, load_selector
from errorbar.detectors.tagger import Tagger, load_any_tagger
from errorbar.detectors.text import KIND as WORDS
from errorbar.detectors.text import LearnedSentences, read_sentences, stored_counts, warn_of_learned
from errorbar.edits.items import ERROR, OK
from errorbar.formats.look import Source, display_name, note_input
from errorbar.formats.saving import save_lines
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

HERE = "models"
INSTALLED = "errorbar_models"


def models_folder(named: Source | None, problems: Problems) -> Path:
    """The folder of models that is used: the named one, ``models`` here, or else that of the package errorbar-models.

    A note says so where it is the package's.

    Raises:
        InputError: If none is named, there is no folder ``models`` and no package of models.
    """
    if named is not None:
        return Path(named)
    if any(Path(HERE).glob("*.model")):
        return Path(HERE)
    try:
        package = import_module(INSTALLED)
    except ImportError:
        message = f"there are no models: none in a folder '{HERE}' here, and errorbar-models is not installed"
        fix = (
            "train some: errorbar train TEXT... --treebank=FILE, and name their folder: --models=DIR; or, in a "
            "checkout of errorbar: make detect"
        )
        raise InputError(Problem("no-models", message, fix=fix)) from None
    message = f"the small models of errorbar-models {package.__version__} are used"
    fix = "--models=DIR names others, that errorbar train made"
    problems.note("models-small", message, Place(), fix=fix, severity="repaired")
    return Path(package.FOLDER)


def file_of(folder: Source, part: str) -> Path:
    """Where a folder of models has one."""
    return Path(folder) / f"{part}.model"


def read_tagger(folder: Source) -> Tagger:
    """The tagger of a folder of models; an ``InputError`` if there is none."""
    path = file_of(folder, "tagger")
    return load_any_tagger(load_model(path, "tagger"), str(path))


def read_selector(folder: Source, kind: Kind | Literal["majority"], tagger: Tagger) -> Classifier | Majority:
    """A classifier of a folder of models; an ``InputError`` if there is none, or it does not fit the tagger."""
    path = file_of(folder, kind)
    return load_selector(load_model(path, kind), str(path), tagger)


def read_ngrams(folder: Source) -> NgramModel:
    """The n-gram model of a folder of models; an ``InputError`` if there is none."""
    return NgramModel.load(file_of(folder, "ngrams"))


def read_reader(folder: Source, *, classifiers: bool = True) -> Reader:
    """The reader that finds changes by the models of a folder; an ``InputError`` if one is missing or does not fit."""
    hashes: dict[str, str] = {}

    def model(kind: str) -> tuple[Model, str]:
        path = file_of(folder, kind)
        result = load_model(path, kind)
        hashes[kind] = fingerprint(result)
        return result, str(path)

    tagger = load_any_tagger(*model("tagger"))
    result = Reader(NgramModel.stored(*model(NGRAMS)), tagger, Proposer(stored_counts(*model(WORDS))), hashes=hashes)
    if not classifiers:
        return result
    articles, forms = (load_chooser(*model(task), tagger) for task in TASKS)
    prepositions = cast("Classifier", load_selector(*model("me"), tagger))
    return replace(result, classifiers=Classifiers(articles, forms, prepositions))


def read_corrector(folder: Source, name: Name) -> Corrector:
    """A corrector of a folder of models, with what is learned from labels if it has that.

    Raises:
        InputError: If a model is missing, damaged or does not fit the others.
    """
    path = file_of(folder, CORRECTOR_KIND)
    reader = read_reader(folder, classifiers=name != "lm")
    learned = load_learned(load_model(path, CORRECTOR_KIND), str(path), reader) if path.exists() else UNLEARNED
    scorer = learned.scorer(name)
    if scorer is None:
        message = f"{name} is learned from labels, and there is none"
        fix = "errorbar train --labels=FILE.m2 --part=correctors"
        raise InputError(Problem("no-such-file", message, Place(str(path)), fix=fix))
    return Corrector(reader, scorer, learned.learned)


def read_combined(folder: Source, tagger: Tagger) -> CombinedDetectors:
    """The detectors of a folder of models that are combined; an ``InputError`` if one is missing or does not fit."""
    kinds: tuple[Kind, Kind] = ("me", "perc")
    me, perc = (cast("Classifier", read_selector(folder, kind, tagger)) for kind in kinds)
    return CombinedDetectors(me, perc, read_ngrams(folder))


def read_combiner(folder: Source, combined: CombinedDetectors) -> Combiner:
    """The combiner of a folder of models; an ``InputError`` if there is none, or it was fitted to other models."""
    path = file_of(folder, KIND)
    return combined.load(load_model(path, KIND), str(path))


THRESHOLDS = {"lm": 0.0, "me": 4.0, PAPER: 4.0, "perc": 20.0, "combined": -1.0, "majority": 0.0}
"""Of each detector, in the unit of its scores: nats, of ``perc`` sums of weights, of ``combined`` log odds.

That of ``lm`` is the paper's, 4 means that another preposition is 55 times as probable, and 20 votes flag one
preposition of learners' essays in seven: none of these was tuned. That of ``combined`` is where F0.5 is highest on
CoNLL-2013, each tenth of the text judged by a combiner of the others.
"""

USUAL_PRIOR = 252 / 3596
"""Share of wrong prepositions from which a prior moves the scores of a detector that has learned from no labels: that
of CoNLL-2013. ``combined`` has the share of the labels that it learned from."""

INFINITIVE = -1000.0
"""Score of a ``to`` that marks an infinitive: it has the form of a preposition, and of the detectors only
``combined``, which has seen what annotators do with it, may call it an error."""

EXTRANEOUS = 1000.0
"""Score of a word that a rule of ``me(features=paper)`` leaves out."""
NOTHING = "there is no preposition in it"


class Detection(NamedTuple):
    """The judgment of one word."""

    item: str  # ``sentence:start-end``, sentences from 1
    word: str
    flag: bool
    score: float
    suggestion: str  # what to write instead; empty: leave it out
    text: str  # the sentence, the word in brackets


@dataclass(frozen=True, slots=True, repr=False)
class Detections(Result):
    """A detector's judgments of every preposition of a text, in order.

    Attributes:
        detector: Its spec, which is the rater of its judgments.
        rows: A judgment each.
        notes: What was noted on the way.
        llm: What a language model was asked; None: it was none.
    """

    detector: str
    rows: Sequence[Detection]
    notes: Sequence[Problem] = ()
    llm: ModelUse | None = None

    @property
    def flagged(self) -> list[Detection]:
        """The words that it calls errors, the surest first."""
        return sorted((row for row in self.rows if row.flag), key=lambda row: -row.score)

    def to_dict(self) -> dict[str, object]:
        """Every judgment."""
        rows = [{**row._asdict(), "rater": self.detector, "label": _label(row)} for row in self.rows]
        return {"detector": self.detector, "rows": rows, **({} if self.llm is None else {"llm": self.llm.to_dict()})}

    def tables(self) -> list[Table]:
        """The words that it calls errors."""
        columns = [Column("item"), Column("word"), Column("suggestion"), Column("score", "number", digits=2)]
        body: list[list[Cell]] = [
            [row.item, row.word, row.suggestion or "–", row.score, row.text] for row in self.flagged
        ]
        notes = [f"{len(body):,} of {len(self.rows):,} prepositions; –: leave it out" if self.rows else NOTHING]
        notes += [] if self.llm is None else [self.llm.words()]
        return [Table([*columns, Column("text")], body, self.detector, "errors", notes)]

    def every(self) -> Table:
        """All judgments, as tables of judgments and of flags have them."""
        columns = [Column(name) for name in ("item", "rater", "label")] + [Column("flag", "count")]
        columns += [Column("score", "number"), *(Column(name) for name in ("word", "suggestion", "text"))]
        rows: list[list[Cell]] = [
            [row.item, self.detector, _label(row), int(row.flag), row.score, row.word, row.suggestion, row.text]
            for row in self.rows
        ]
        return Table(columns, rows, name="judgments")


def _label(row: Detection) -> str:
    return ERROR if row.flag else OK


class Detector(NamedTuple):
    """A detector as its spec says."""

    name: str  # of its model
    threshold: float
    prior: float | None  # expected share of wrong prepositions; None: scores are not moved
    spec: str


def read_detector(detector: str, prior: float | None = None) -> Detector:
    """The detector of a spec, maybe with a prior beside it; a ``UsageError`` if there is none such."""
    name, raw = split_spec(detector)
    known = [model for model in THRESHOLDS if model != PAPER]
    if name not in known:
        raise UsageError(Problem("unknown-detector", f"no detector is called '{name}'", fix=nearest(name, known)))
    message = "From which score on a word is an error."
    parameters = [
        Parameter("threshold", float, THRESHOLDS[name], message, _finite),
        Parameter("prior", float, 0.0, "Expected share of wrong prepositions; 0: scores are not moved.", _is_share),
    ]
    if name == "me":
        parameters.insert(0, word_parameter("features", "Those of the detector: all, or paper.", "all", "paper"))
    if prior is not None:
        if "prior" in raw:
            message = f"the detector is {detector}, and --prior is {prior:g}"
            raise UsageError(Problem("two-choices", message, fix="give one of them"))
        raw["prior"] = repr(float(prior))
    values = read_parameters(name, parameters, raw)
    if values["prior"] and name == "perc":
        message = "scores of perc are votes, which no prior moves as it moves log odds"
        raise UsageError(Problem("useless-option", message, fix="take combined, me or lm, or leave out the prior"))
    shown = [p._replace(default=float("nan")) if p.name == "threshold" else p for p in parameters]
    spec = str(make_spec(name, shown, values))
    model = PAPER if values.get("features") == "paper" else name
    return Detector(model, cast("float", values["threshold"]), cast("float", values["prior"]) or None, spec)


def _has_model(arguments: Mapping[str, object]) -> bool:
    return bool(arguments["llm"])


def _needs_model(names: str) -> Useless:
    why = "is about language models, and none is asked"
    return Useless(names, why, lambda arguments: not arguments["llm"], "add --llm=URL, or leave it out")


@public(_needs_model(f"{OF_MODELS} times"), Useless("detector prior models", "has no meaning with --llm", _has_model))
def detect(
    text: Source,
    detector: str = "me",
    *,
    prior: float | None = None,
    models: Source | None = None,
    retokenize: bool = False,
    lenient: Lenient = False,
    llm: str | None = None,
    times: Count = 1,
    **asking: Unpack[ModelAsking],
) -> Detections:
    """Judge every preposition of a text by a detector that ``train`` made, or by a language model.

    Args:
        text: One tokenized sentence per line, as systems' texts are.
        detector: ``lm``, ``me``, ``perc``, ``combined`` or ``majority``, with a threshold as in
            ``"me(threshold=4)"``: a word is an error if its score is at least that (of ``lm``: above it).
            ``"me(features=paper)"`` has the features of Tetreault and Chodorow alone and their rules for extraneous
            use; its model is ``train``'s part ``me-paper``. Or the name of a detector of another package.
        prior: Share of the text's prepositions that are expected to be wrong, between 0 and 1, as in
            ``"me(prior=0.01)"``: scores move by its log odds less those of 0.07, the share in CoNLL-2013, or of
            ``combined`` the share in the labels that it learned from; None: they stay. Not for ``perc``, whose scores
            are votes.
        models: The folder that ``train`` wrote; None: ``models``, or without that the package errorbar-models.
        retokenize: Cut each line into tokens first, as the text was cut that the models learned from.
        lenient: Repair what can be repaired of the text and note it; otherwise refuse it.
        llm: Ask a language model at this URL of OpenAI's interface, such as ``http://localhost:8000/v1``; its key is
            read from the environment alone, ERRORBAR_LLM_KEY or OPENAI_API_KEY.
        times: How often a language model is asked about each sentence; a score is the share that says error.
        asking: How a language model is asked.

    Raises:
        InputError: If the text is bad or empty, or a model is missing, damaged or does not fit the others.
        UsageError: If there is no such detector, or it takes no such prior.
    """
    other = None if llm else _other_system("detector", detector, {"--prior": prior, "--models": models})
    problems = Problems(lenient=lenient)
    sentences = [*read_sentences(text, problems, retokenize=retokenize)]
    problems.raise_errors()
    if not any(sentences):
        place = Place(display_name(text))
        raise UsageError(Problem("text-empty", "there is no word in it", place, "one tokenized sentence per line"))
    if llm:
        from errorbar.detectors.language_model import detect_by_model  # noqa: PLC0415 - loads SQLite

        flags_of_words, use = detect_by_model(sentences, llm, asking, times=times)
        rows = [_detection(sentences, *flag) for flag in flags_of_words]
        return Detections(use.rater.pseudonym, rows, (*problems.notes, *use.notes), use)
    if other is not None:
        rows = [_detection(sentences, *flag) for flag in detect_by(detector, other, sentences)]
        return Detections(detector, rows, tuple(problems.notes))
    name, threshold, prior, spec = read_detector(detector, prior)
    prepositions, suggestions, usual = _judge(
        name, models_folder(models, problems), sentences, Place(display_name(text)), problems
    )
    moved = prepositions.margin if prior is None else prepositions.margin + log_odds(prior) - log_odds(usual)
    scores = np.nan_to_num(moved, neginf=INFINITIVE, posinf=EXTRANEOUS).tolist()
    flags = [score > threshold if name == "lm" else score >= threshold for score in scores]
    places = prepositions.sentence.tolist(), prepositions.token.tolist()
    rows = [_detection(sentences, *row) for row in zip(*places, flags, scores, suggestions, strict=True)]
    return Detections(spec, rows, tuple(problems.notes))


def _other_system(kind: SystemKind, spec: str, options: Mapping[str, object]) -> Callable[..., Any] | None:
    """The corrector or detector of another package, which takes none of some options; None: it is ours."""
    system = find_system(kind, spec)
    if isinstance(system, TrainedSystem):
        return None
    for name, value in options.items():
        if value not in (None, False):
            message = f"{name} is about errorbar's own {kind}s, and {spec} is another package's"
            raise UsageError(Problem("useless-option", message, fix="leave it out"))
    return system


def log_odds(share: float) -> float:
    """The logarithm of a share's odds."""
    return log(share) - log1p(-share)


def _is_share(prior: Value) -> str:
    return "" if isinstance(prior, float) and 0 < prior < 1 else "a share between 0 and 1"


def _finite(threshold: Value) -> str:
    return "" if isinstance(threshold, float) and isfinite(threshold) else "a number, neither nan nor infinite"


def _detection(sentences: Sentences, s: int, t: int, flag: bool, score: float, suggestion: str) -> Detection:
    tokens = sentences[s]
    in_brackets = " ".join([*tokens[:t], f"[{tokens[t]}]", *tokens[t + 1 :]])
    return Detection(f"{s + 1}:{t}-{t + 1}", tokens[t], flag, float(score), suggestion, in_brackets)


def _judge(
    name: str, models: Path, sentences: Sentences, place: Place, problems: Problems
) -> tuple[PrepositionMargins, list[str], float]:
    """Every preposition with its score, what should stand there instead, and the share of errors without a prior."""
    tagger = read_tagger(models)
    if name == "combined":
        combined = read_combined(models, tagger)
        combiner = read_combiner(models, combined)
        warn_of_learned(combiner.learned, sentences, place, problems)
        prepositions = combined.detect(combiner, sentences)
        return prepositions, prepositions.suggestions(), combiner.error_share
    # Which words are prepositions does not depend on who judges them.
    prepositions = detect_prepositions(
        read_selector(models, "majority" if name == "lm" else cast("Kind", name), tagger), sentences
    )
    if name != "lm":
        return prepositions, prepositions.suggestions(), USUAL_PRIOR
    items = [*zip(prepositions.sentence.tolist(), prepositions.token.tolist(), strict=True)]
    scores = deletion_scores(read_ngrams(models), sentences, items)
    margins = replace(prepositions, margin=np.where(np.isneginf(prepositions.margin), -np.inf, scores))
    return margins, [""] * len(items), USUAL_PRIOR


@dataclass(frozen=True, slots=True, repr=False)
class CorrectionResult(Result):
    """The work of a corrector on a text.

    Attributes:
        corrector: Its spec.
        n_sentences: How many sentences there are.
        n_changed: In how many of them something was changed.
        types: Changes by type.
        lines: The corrected sentences, unless they were written to a file.
        notes: What was noted on the way.
        llm: What a language model was asked; None: it was none.
    """

    corrector: str
    n_sentences: int
    n_changed: int
    types: dict[str, int]
    lines: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[Problem, ...] = ()
    llm: ModelUse | None = None

    def to_dict(self) -> dict[str, object]:
        """The counts."""
        counts = {"sentences": self.n_sentences, "changed": self.n_changed, "types": self.types}
        return {"corrector": self.corrector, **counts, **({} if self.llm is None else {"llm": self.llm.to_dict()})}

    def tables(self) -> list[Table]:
        """Changes by type."""
        rows: list[list[Cell]] = [[kind, n] for kind, n in sorted(self.types.items(), key=lambda row: -row[1])]
        note = f"{self.n_changed:,} of {self.n_sentences:,} sentences changed by {self.corrector}"
        return [Table([Column("type"), Column("changes", "count")], rows, name="changes", notes=[note])]


def known_corrector(name: str) -> Name:
    """The corrector of a name; a ``UsageError`` if there is none."""
    corrector = next((known for known in CORRECTORS if known == name), None)
    if corrector is None:
        message = f"no corrector is called '{name}'"
        raise UsageError(Problem("unknown-corrector", message, fix=nearest(name, CORRECTORS)))
    return corrector


@public(
    _needs_model(f"{OF_MODELS} batch"),
    Useless("corrector models least explain", "has no meaning with --llm", _has_model),
)
def correct(
    text: Source,
    out: Source | None = None,
    *,
    corrector: str = "lm",
    models: Source | None = None,
    least: float | None = None,
    explain: bool = False,
    retokenize: bool = False,
    lenient: Lenient = False,
    llm: str | None = None,
    batch: Count = 1,
    progress: Progress = lambda _: None,
    **asking: Unpack[ModelAsking],
) -> CorrectionResult:
    """Correct a text by a corrector that ``train`` made, or by a language model.

    Args:
        text: One tokenized sentence per line.
        out: File to write, ``-`` for standard output; None: the result has the lines.
        corrector: ``lm``, ``lm+classifiers`` or ``ranked``, or that of another package.
        models: The folder that ``train`` wrote; None: ``models``, or without that the package errorbar-models.
        least: The score that a change needs, in the corrector's unit (nats, of ``ranked`` log odds); None: one above
            0. Above 0 there are fewer changes and surer ones, below 0 more.
        explain: Write a JSON object for each sentence instead: its source, the corrected text, and each change with
            its type and score.
        retokenize: Cut each line into tokens first, as the text was cut that the models learned from.
        lenient: Repair what can be repaired of the text and note it; otherwise refuse it.
        llm: Ask a language model at this URL of OpenAI's interface, such as ``http://localhost:8000/v1``; its key is
            read from the environment alone, ERRORBAR_LLM_KEY or OPENAI_API_KEY.
        batch: How many sentences a language model is asked about in one call.
        progress: Is told the number of sentences done.
        asking: How a language model is asked.

    Raises:
        InputError: If the text is bad, a model is missing or damaged, or the file cannot be written.
        UsageError: If there is no such corrector, or the least score is none.
    """
    other = (
        None
        if llm
        else _other_system("corrector", corrector, {"--models": models, "--least": least, "--explain": explain})
    )
    problems, types, n, n_changed = Problems(lenient=lenient), Counter[str](), 0, 0
    if least is not None and not isfinite(least):
        raise UsageError(Problem("bad-parameter", f"--least must be a finite number, got {least}"))
    note_input(text)  # which is read while the output is written
    sentences = read_sentences(text, problems, retokenize=retokenize)
    if llm or other is not None:
        tokens, use = [*sentences], None
        problems.raise_errors()
        if llm:
            from errorbar.detectors.language_model import correct_by_model  # noqa: PLC0415 - as above

            lines, use = correct_by_model(tokens, llm, asking, batch=batch, progress=progress)
            corrector, problems.notes = use.rater.pseudonym, [*problems.notes, *use.notes]
        elif other is not None:
            lines = correct_by(corrector, other, tokens)
        n_changed = sum(line.split() != words for line, words in zip(lines, tokens, strict=True))
        if out is not None:
            save_lines(lines, str(out))
        kept = tuple(lines) if out is None else ()
        return CorrectionResult(corrector, len(lines), n_changed, types, kept, tuple(problems.notes), use)
    own = replace(read_corrector(models_folder(models, problems), known_corrector(corrector)), least=least)
    seen = LearnedSentences(own.learned)

    def correct_all() -> Iterator[str]:
        nonlocal n, n_changed
        for tokens, changes in own.changes(sentences):
            n += 1
            seen.add(tokens)
            n_changed += bool(changes)
            types.update(change.type for change in changes)
            sentence = " ".join(apply_changes(tokens, changes))
            progress(n)
            if explain:
                listed = [{**change._asdict(), "replacement": " ".join(change.replacement)} for change in changes]
                yield json.dumps({"source": " ".join(tokens), "text": sentence, "changes": listed}, ensure_ascii=False)
            else:
                yield sentence
        problems.raise_errors()
        seen.warn(Place(display_name(text)), problems)

    kept = tuple(correct_all()) if out is None else ()
    if out is not None:
        save_lines(correct_all(), str(out))
    return CorrectionResult(corrector, n, n_changed, types, kept, tuple(problems.notes))

"""Train the pipeline on UD English-EWT: python train.py UD_FOLDER OUT, about 16 minutes of one core; seeded.

One sentence is one document: learner text comes sentence by sentence, and sentence boundaries are nobody's question
here. Penn tags are the treebank's own (XPOS). Dependency labels are renamed to those of ClearNLP, which ERRANT's rules
were written against; heads stay as Universal Dependencies have them. Lemmas come by rule from tags and the English
tables of spacy-lookups-data, which also serve auxiliaries.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.lookups import Lookups, load_lookups
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

SEED = 0
STEPS = 2_700
WORDS = 1_000
"""Words of a batch."""
WIDTH, DEPTH = 96, 4
TOK2VEC: Mapping[str, Any] = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": WIDTH,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "rows": [5000, 1000, 2500, 2500],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": WIDTH,
        "depth": DEPTH,
        "window_size": 1,
        "maxout_pieces": 3,
    },
}
SHARED: Mapping[str, Any] = {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"}
TAGGER: Mapping[str, Any] = {"model": {"@architectures": "spacy.Tagger.v2", "nO": None, "tok2vec": SHARED}}
PARSER: Mapping[str, Any] = {
    "model": {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "nO": None,
        "tok2vec": SHARED,
    },
    "min_action_freq": 20,
}
CLEARNLP: Mapping[str, str] = {
    "aux:pass": "auxpass",
    "case": "prep",
    "cc:preconj": "preconj",
    "compound:prt": "prt",
    "csubj:pass": "csubjpass",
    "det:predet": "predet",
    "discourse": "intj",
    "iobj": "dative",
    "nmod:poss": "poss",
    "nsubj:pass": "nsubjpass",
    "obj": "dobj",
    "obl": "pobj",
    "nmod": "pobj",
    "obl:agent": "pobj",
    "obl:unmarked": "npadvmod",
    "nmod:unmarked": "npadvmod",
    "acl:relcl": "relcl",
    "root": "ROOT",
}


MORPH: Mapping[str, str] = {
    "NN": "Number=Sing",
    "NNP": "Number=Sing",
    "NNS": "Number=Plur",
    "NNPS": "Number=Plur",
    "VB": "VerbForm=Inf",
    "VBP": "Tense=Pres|VerbForm=Fin",
    "VBZ": "Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "JJ": "Degree=Pos",
    "RB": "Degree=Pos",
}
"""What the lemmatizer must know of a Penn tag to leave base forms alone: process is no plural of proces."""
EXCEPTIONS: Mapping[str, Mapping[str, str]] = {
    "verb": {
        **dict.fromkeys(
            ("'m", "’m", "m", "s", "'re", "’re", "'s", "’s", "am", "are", "is", "was", "were", "been", "being"), "be"
        ),
        **dict.fromkeys(("'ve", "’ve", "ve"), "have"),
        **dict.fromkeys(("'ll", "’ll", "wo"), "will"),
        **dict.fromkeys(("'d", "’d"), "would"),
        "ca": "can",
        "sha": "shall",
        "might": "might",
    },
    "pron": {"me": "I", "him": "he", "them": "they", "us": "we", "these": "this", "those": "that"},
    "det": {"an": "a", "these": "this", "those": "that"},
    "part": {"n't": "not", "n’t": "not", "nt": "not"},
}


@dataclass(frozen=True, slots=True)
class Token:
    """A line of the treebank."""

    form: str
    lemma: str
    pos: str
    tag: str
    head: int
    label: str


def label_of(relation: str, form: str, tag: str) -> str:
    """The label of ClearNLP for a relation of Universal Dependencies."""
    if relation == "case" and tag == "POS":
        return "case"
    if relation == "mark" and tag == "TO":
        return "aux"
    if relation == "advmod" and form.lower() in {"not", "n't", "n’t"}:
        return "neg"
    return CLEARNLP.get(relation, relation.partition(":")[0])


def read_conllu(path: Path) -> Iterator[list[Token]]:
    """The sentences of a CoNLL-U file; empty nodes and the lines of contractions as a whole are left out."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit()]
        yield [
            Token(form, lemma, pos, tag, int(head) - 1 if int(head) else at, label_of(relation, form, tag))
            for at, (_, form, lemma, pos, tag, _, head, relation, *_) in enumerate(rows)
        ]


def example(nlp: Language, tokens: Sequence[Token]) -> Example:
    """A sentence to learn from."""
    words = [token.form for token in tokens]
    target = Doc(
        nlp.vocab,
        words=words,
        tags=[token.tag for token in tokens],
        pos=[token.pos for token in tokens],
        lemmas=[token.lemma for token in tokens],
        heads=[token.head for token in tokens],
        deps=[token.label for token in tokens],
    )
    return Example(Doc(nlp.vocab, words=words), target)


def lemma_tables() -> Lookups:
    """The English tables, with the forms that the treebank's tokens have; verbs' also for auxiliaries."""
    tables = load_lookups("en", tables=["lemma_rules", "lemma_exc", "lemma_index"])
    for part, lemmas in EXCEPTIONS.items():
        known = tables.get_table("lemma_exc").get(part, {})
        tables.get_table("lemma_exc").set(part, {**known, **{form: [lemma] for form, lemma in lemmas.items()}})
    for name in ("lemma_rules", "lemma_exc", "lemma_index"):
        table = tables.get_table(name)
        table.set("aux", table.get("verb"))
        for part in EXCEPTIONS:
            table.set(part, table.get(part, [] if name != "lemma_exc" else {}))
    return tables


def add_lemmatizer(nlp: Language) -> None:
    """Lemmas by rule, after a ruler that says what tags mean."""
    ruler = nlp.add_pipe("attribute_ruler")
    special = sorted({form for lemmas in EXCEPTIONS.values() for form in lemmas})
    for tag, morph in MORPH.items():
        ruler.add(patterns=[[{"TAG": tag, "LOWER": {"NOT_IN": special}}]], attrs={"MORPH": morph})
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    lemmatizer.initialize(lookups=lemma_tables())


def blank() -> Language:
    """The pipeline before training."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    nlp.add_pipe("tagger", config=TAGGER)
    nlp.add_pipe("morphologizer", config={**TAGGER, "overwrite": True})
    nlp.add_pipe("parser", config=PARSER)
    return nlp


def batches(examples: list[Example], rng: random.Random) -> Iterator[list[Example]]:
    """Batches of about ``WORDS`` words, without end, in another order each time."""
    while True:
        rng.shuffle(examples)
        batch: list[Example] = []
        for one in examples:
            batch.append(one)
            if sum(len(each) for each in batch) >= WORDS:
                yield batch
                batch = []


def train(nlp: Language, examples: list[Example], steps: int) -> None:
    """Train all parts together; the weights that stay are the average over the steps."""
    fix_random_seed(SEED)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.001
    rng, started = random.Random(SEED), time.monotonic()
    losses: dict[str, float] = {}
    for step, batch in zip(range(1, steps + 1), batches(list(examples), rng), strict=False):
        nlp.update(batch, drop=0.1, sgd=optimizer, losses=losses)
        if step % 100 == 0:
            shown = " ".join(f"{name} {loss:.0f}" for name, loss in losses.items())
            print(f"{step} of {steps} steps, {time.monotonic() - started:.0f} s: {shown}", file=sys.stderr, flush=True)
            losses.clear()
    nlp.use_params(optimizer.averages).__enter__()  # for good


def evaluate(nlp: Language, sentences: Sequence[Sequence[Token]]) -> dict[str, float]:
    """Accuracies, and sentences' words per second, on sentences that were not learned from."""
    examples = [example(nlp, tokens) for tokens in sentences]
    started = time.process_time()
    for one, doc in zip(examples, nlp.pipe([one.predicted for one in examples], batch_size=256), strict=True):
        one.predicted = doc
    seconds = time.process_time() - started
    scores = Scorer(nlp).score(examples)
    lemmas = [
        mine.lemma_.lower() == theirs.lemma_.lower()
        for one in examples
        for mine, theirs in zip(one.predicted, one.reference, strict=True)
    ]
    return {
        "tag_acc": scores["tag_acc"],
        "pos_acc": scores["pos_acc"],
        "lemma_acc": sum(lemmas) / len(lemmas),
        "dep_uas": scores["dep_uas"],
        "dep_las": scores["dep_las"],
        "words_per_cpu_second": sum(len(one) for one in examples) / seconds,
    }


def main() -> None:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ud", type=Path, help="folder of UD_English-EWT")
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    asked = parser.parse_args()
    nlp = blank()
    (training,) = asked.ud.glob("en_ewt-ud-train*.conllu")
    train(nlp, [example(nlp, tokens) for tokens in read_conllu(training)], asked.steps)
    add_lemmatizer(nlp)
    figures = {
        part: evaluate(nlp, list(read_conllu(asked.ud / f"en_ewt-ud-{part}.conllu"))) for part in ("dev", "test")
    }
    print(json.dumps(figures, indent=1))
    nlp.meta.update(
        name="errorbar",
        version="0.1.0",
        license="CC BY-SA 4.0",
        description="Tags, lemmas and dependencies for ERRANT's rules, trained on UD English-EWT",
        author="The errorbar developers",
        performance={name: round(value, 4) for name, value in figures["test"].items() if name.endswith(("acc", "as"))},
        spacy_version=">=3.8,<3.9",
    )
    nlp.to_disk(asked.out)


if __name__ == "__main__":
    main()

"""The commands whose results are kept: each public command in its main ways, on two corpora.

A name is the file of the kept result. A word ``{x}`` is a file of the corpus. Commands run in the order given, in one
folder, so that a later one may read what an earlier one wrote.
"""

from __future__ import annotations

GOLD = ("--gold", "{gold}")
FEW = ("--resamples", "200")
ALL = ("{careful}", "{greedy}", "{articles}", "{copy}")
CROWD = ("{votes}", "s=flags.csv")
BUDGET = ("--budget", "100", "--floor", "10")

DEMO: dict[str, tuple[str, ...]] = {
    "score": ("score", *GOLD, "--no-ci", *ALL),
    "score-ci": ("score", *GOLD, "--ci", *FEW, *ALL),
    "score-closed": ("score", *GOLD, "--ci", "--ci-method", "closed", "{greedy}"),
    "score-specs": ("score", *GOLD, "--metric", "m2(beta=1)", "--metric", "m2(choose=sentence)", "--no-ci", *ALL),
    "score-one": ("score", *GOLD, "--metric", "m2(choose=1,max_unchanged=0)", "--no-ci", "{greedy}"),
    "score-types": ("score", *GOLD, "--by", "type", "--no-ci", "{greedy}"),
    "score-sentences": ("score", *GOLD, "--by", "sentence", "{greedy}"),
    "compare": ("compare", *GOLD, *FEW, *ALL),
    "ceiling": ("ceiling", *GOLD, "--no-ci", *ALL),
    "ceiling-intervals": ("ceiling", *GOLD, "--ci", "--resamples", "50", "{greedy}"),
    "agree": ("agree", "{gold}", *FEW),
    "agree-words": ("agree", "{gold}", "--items", "words", *FEW),
    "agree-votes": ("agree", "{votes}", *FEW),
    "check": ("check", *GOLD, "{greedy}"),
    "metrics": ("metrics",),
    "crowd-score": ("crowd", "score", *CROWD),
    "crowd-score-majority": ("crowd", "score", *CROWD, "--metric", "crowd(shares=trust,ties=unknown)"),
    "crowd-score-corpus": ("crowd", "score", "{gold}", "{greedy}"),
    "crowd-aggregate": ("crowd", "aggregate", "{votes}"),
    "crowd-raters": ("crowd", "raters", "{votes}", "--gold", "{truth}"),
    "crowd-howmany": ("crowd", "howmany", "{votes}", "--truth", "{truth}", "--draws", "50"),
    "curve": ("curve", *CROWD, *FEW),
    "sample-plan": ("sample", "plan", "{flags}", *BUDGET),
    "sample-compare": ("sample", "compare", "{flags}", *BUDGET),
    "sample-rehearse": ("sample", "rehearse", "{flags}", "--judged", "{votes}", *BUDGET, "--repetitions", "20"),
    "sample-estimate": (
        *("sample", "estimate", "--counts", "flagged:1000:750:600"),
        *("--counts", "unflagged:9000:1500:450"),
    ),
    "rank": ("rank", "{pairs}", "--method", "all", *FEW),
    "meta": ("meta", "{human}", "{scores}", "--show", "tests=200"),
    "attack": ("attack", *GOLD, "--metric", "m2", "--metric", "gleu", "--ci", *FEW, *ALL),
    "attack-alone": ("attack", *GOLD, "--only", "unchanged", "--only", "by-rote", "--no-ci"),
    "report": (
        *("report", *GOLD, "--judgments", "{votes}", "s=flags.csv", *FEW),
        *(*ALL, "-o", "-", "--page", "format=markdown"),
    ),
}
"""On the bundled corpus, and on votes, flags and rankings made for it: whole results are kept."""

SYSTEMS = ("{AMU}", "{CAMB}", "{CUUI}", "{NTHU}")
TWO = ("--gold", "{two}")
TEN = ("--gold", "{ten}", "--lenient")

SHARED: dict[str, tuple[str, ...]] = {
    "conll-score": ("score", *TWO, "--by", "type", "--no-ci", "{AMU}", "{CAMB}", "{NTHU}"),
    "conll-alternatives": ("score", "--gold", "{alternatives}", "--no-ci", "{AMU}", "{CAMB}"),
    "conll-ci": ("score", *TWO, "--documents", "{essays}", "--ci", *FEW, *SYSTEMS),
    "conll-compare": ("compare", *TWO, "--documents", "{essays}", *FEW, *SYSTEMS),
    "ten-score": ("score", *TEN, "--metric", "m2", "--metric", "m2(choose=sentence)", "--no-ci", *SYSTEMS),
    "ten-ceiling": ("ceiling", *TEN, "--no-ci", "--documents", "{essays}", "{CAMB}"),
    "ten-agree": ("agree", "{ten}", "--lenient", "--items", "sentences", *FEW),
    "ten-crowd": ("crowd", "score", "{ten}", "{CAMB}", "--lenient"),
    "conll-attack": ("attack", *TWO, "--metric", "m2", "--metric", "gleu", "--no-ci", *SYSTEMS),
    "conll13": ("convert", "{nucle}", "--to", "m2", "--lenient"),
    "hoo-score": ("score", "--metric", "hoo", "--gold", "{hoo}", "--lenient", "--ci", *FEW, "{hoo}"),
    "votes-agree": ("agree", "{workers}", *FEW),
    "rank": ("rank", "{rankings}", "--method", "all", *FEW),
    "meta": ("meta", "{rankings}", "{m2scores}", "{bleu}", "--show", "tests=200", *FEW),
    "meta-computed": (
        *("meta", "--human", "{rankings}", "--first-sentence", "0", *TWO, "--metric", "m2", "--metric", "gleu"),
        *("--scores", "{bleu}", "--show", "sentences", "--show", "tests=200", *FEW, "--lenient", *SYSTEMS),
    ),
    "reproduce-conll2014": ("reproduce", "conll2014", "--data", "corpora"),
    "reproduce-bryant-ng2015": ("reproduce", "bryant-ng2015", "--data", "corpora"),
    "reproduce-hoo2011": ("reproduce", "hoo2011", "--data", "corpora"),
    "reproduce-madnani2011": ("reproduce", "madnani2011", "--data", "corpora"),
    "reproduce-tetreault-chodorow2008": ("reproduce", "tetreault-chodorow2008", "--data", "corpora"),
}
"""On the research corpora: numbers and hashes are kept, no sentence."""

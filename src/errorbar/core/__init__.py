"""The nouns: sentences, edits, estimates, specs. Imports nothing of ours but the version."""

from errorbar.core.corpus import Annotation, Corpus, Hypothesis, Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import ErrorbarError, InputError, MissingExtraError, Place, Problem, UsageError
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.core.spec import Parameter, Spec

__all__ = [
    "Annotation",
    "Corpus",
    "Edit",
    "ErrorbarError",
    "Estimate",
    "Hypothesis",
    "InputError",
    "Interval",
    "MissingExtraError",
    "Parameter",
    "Place",
    "Problem",
    "Problems",
    "Sentence",
    "Signature",
    "Spec",
    "Undefined",
    "UsageError",
]

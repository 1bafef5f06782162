"""Sampling: plan what to judge, draw it blind, and estimate the scores of the whole corpus with intervals."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)

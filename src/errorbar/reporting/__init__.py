"""The report: sections as plain data, and the pages, texts and pictures that are made of them."""

from errorbar.core.public_names import lazy_names

__getattr__ = lazy_names(__spec__)

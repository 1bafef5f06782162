"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.datasets.cards import Archive as Archive
from errorbar.datasets.cards import CorpusFile as CorpusFile
from errorbar.datasets.cards import Dataset as Dataset
from errorbar.datasets.cards import Talk as Talk
from errorbar.datasets.cards import cache_root as cache_root
from errorbar.datasets.cards import catalog as catalog
from errorbar.datasets.cards import dataset as dataset
from errorbar.datasets.cards import is_cached as is_cached
from errorbar.datasets.cards import path as path
from errorbar.datasets.fetching import FetchedCorpus as FetchedCorpus
from errorbar.datasets.fetching import fetch as fetch

"""Public corpora: what there is, where it comes from, and a verified copy in a cache folder."""

from errorbar.datasets.cards import Archive, CorpusFile, Dataset, Talk, cache_root, catalog, dataset, is_cached, path
from errorbar.datasets.fetching import FetchedCorpus, fetch

__all__ = [
    "Archive",
    "CorpusFile",
    "Dataset",
    "FetchedCorpus",
    "Talk",
    "cache_root",
    "catalog",
    "dataset",
    "fetch",
    "is_cached",
    "path",
]

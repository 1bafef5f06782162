"""Metrics: one file each, a map over sentences and a fold over what it keeps."""

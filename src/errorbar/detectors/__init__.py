"""Detectors and correctors of the papers: small, transparent, trained from plain text in minutes."""

"""Receipts: which data, options and versions gave which numbers, so that anybody can compute them again and compare."""

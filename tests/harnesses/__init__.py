"""Tests of the adapters to evaluation harnesses; those of a harness need it: ``make test-harness``."""

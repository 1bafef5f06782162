"""Thin adapters to evaluation harnesses: inspect_ai and lm-evaluation-harness. Nothing else imports them."""

"""Shared tasks on servers of others: what a host unpacks, and what it runs on each submission."""

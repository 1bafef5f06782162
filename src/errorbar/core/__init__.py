"""The nouns: sentences, edits, estimates, specs. Imports nothing of ours but the version."""

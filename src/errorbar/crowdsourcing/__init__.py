"""Crowds: from many judgments to answers, from gold items to what a rater is worth, and what to ask next."""

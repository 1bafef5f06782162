"""Crowds: from many judgments to answers, and from answers to what a rater is worth.

``answers``: majority and trust; ``rater_models``: Dawid and Skene, one coin (by ``em``); ``methods``: all of them next
to each other; ``error_labels``: which labels mean an error; ``gold``: rules that keep or drop raters; ``rater_table``:
what is known of each; ``howmany``: how many equal an expert; ``mining``: what to ask.
"""

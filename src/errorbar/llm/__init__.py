"""Language models as raters and as systems: what is asked, a ledger of every call, and the client that sends it.

Nothing here knows what a judging study or a corrector is: both make calls, and read the answers that the ledger keeps.
"""

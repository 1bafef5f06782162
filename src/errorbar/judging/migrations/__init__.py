"""How the schema of a store came about, step by step; a test compares what they make with ``store_tables``."""

"""The sections of a report, each a function that makes words, tables and charts of a study."""

"""What a report shows, in words, tables and charts: a function from a study to a section each."""

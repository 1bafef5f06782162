"""One page that people look at: sections as plain data, and what they are turned into."""

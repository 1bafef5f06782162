"""Files to nouns and back; never scores anything."""

"""errorbar."""

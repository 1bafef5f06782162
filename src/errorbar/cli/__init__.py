"""The command line: one file per command, each calls one library function and renders what it returns."""

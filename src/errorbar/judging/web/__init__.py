"""The web server: pages for raters, the protocol over HTTP, pages for the manager. Needs the extra ``judge``."""

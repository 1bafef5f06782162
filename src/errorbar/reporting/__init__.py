"""The report: sections as plain data, and the pages, texts and pictures that are made of them."""

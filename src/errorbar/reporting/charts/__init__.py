"""Charts as Vega-Lite specifications: plain data, its numbers inside, colors outside (see ``vega``)."""

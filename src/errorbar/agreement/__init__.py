"""Agreement of raters: coefficients as functions of label counts that any resample can be put into."""

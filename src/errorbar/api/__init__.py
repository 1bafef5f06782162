"""What each command computes, as one public function each, and everything that a report shows of some data."""

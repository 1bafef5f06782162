"""A fuzzer that knows the formats: ``make fuzz``, described in docs/design/fuzzing.md."""

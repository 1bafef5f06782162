"""A fuzzer that knows the formats: ``make fuzz``, described in docs/design/fuzzing.md."""

from tests.fuzz.checked import use_checked_kernels

use_checked_kernels()

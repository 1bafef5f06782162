"""Data with a known truth, made from a seed, for testing methods: errorbar's own and yours."""

from errorbar.testing.raters import (
    SimulatedRater,
    Simulation,
    accurate,
    biased,
    constant,
    simulate,
    sleepy,
    spammer,
)

__all__ = ["SimulatedRater", "Simulation", "accurate", "biased", "constant", "simulate", "sleepy", "spammer"]

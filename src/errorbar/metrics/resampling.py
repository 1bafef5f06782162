from errorbar.stats.resampling import Resampling

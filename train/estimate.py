"""A mean with its 95% confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Two-sided 95% points of Student's distribution with 1 to 5 degrees of freedom (any table of it).
_SMALL = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)
_Z = 1.959964
_EXPANSION = (
    (_Z**3 + _Z) / 4,
    (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96,
    (3 * _Z**7 + 19 * _Z**5 + 17 * _Z**3 - 15 * _Z) / 384,
)
"""Abramowitz and Stegun 26.7.5."""


def student(df: int) -> float:
    """The 97.5% quantile of Student's distribution with ``df`` degrees of freedom, to 0.002; the normal one's in the limit."""
    if df < 1:
        raise ValueError(f"df={df}: expected at least 1")
    if df <= len(_SMALL):
        return _SMALL[df - 1]
    return _Z + sum(term / df**power for power, term in enumerate(_EXPANSION, start=1))


@dataclass(frozen=True)
class Estimate:
    """A mean over independent units, and where the true one lies with 95% confidence.

    ``low`` and ``high`` are None where a single unit leaves them open.
    """

    mean: float
    low: float | None
    high: float | None
    standard_error: float | None
    units: int

    @classmethod
    def of(cls, values: Sequence[float] | np.ndarray, *, bounds: tuple[float, float] | None = None) -> Estimate:
        """The mean of ``values``, one a unit, with Student's interval from their own spread.

        ``bounds`` are the least and greatest possible value: the interval keeps to them, and where all units equal one of them
        (which shows no spread at all) it is that of an event which happened n times out of n (Clopper and Pearson 1934).
        """
        values = np.asarray(values, np.float64)
        n = len(values)
        if n == 0:
            raise ValueError("no values to estimate a mean from")
        mean = float(values.mean())
        if n == 1:
            return cls(mean, *(bounds or (None, None)), None, 1)
        error = float(values.std(ddof=1) / np.sqrt(n))
        half = student(n - 1) * error
        low, high = mean - half, mean + half
        if bounds is not None:
            least, most = bounds
            gap = (most - least) * (1 - 0.025 ** (1 / n))
            if (values == most).all():
                low = most - gap
            elif (values == least).all():
                high = least + gap
            low, high = max(low, least), min(high, most)
        return cls(mean, low, high, error, n)

    def text(self, scale: float = 1.0, digits: int = 1) -> str:
        """``"62.3 [61.5, 63.1]"``."""
        if self.low is None or self.high is None:
            return f"{scale * self.mean:.{digits}f} [?]"
        return f"{scale * self.mean:.{digits}f} [{scale * self.low:.{digits}f}, {scale * self.high:.{digits}f}]"

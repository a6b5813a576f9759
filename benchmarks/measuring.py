"""How things are measured: one core, short repetitions of everything in turn, so that a busy moment meets them all alike."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Measure = Callable[[float], float]
"""Works for about so many seconds and returns how much was done per second."""


def repeated(work: Callable[[], int | None], done: int = 0) -> Measure:
    """``work`` over and over; it does ``done`` each time, or returns how much it did."""

    def measure(seconds: float) -> float:
        total, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            total += work() or done
        return total / spent

    return measure


def timed_calls(prepare: Callable[[], None], work: Callable[[], None], done: int) -> Measure:
    """``work`` after ``prepare``, of which only the former is timed."""

    def measure(seconds: float) -> float:
        total, spent = 0, 0.0
        while spent < seconds:
            prepare()
            start = time.perf_counter()
            work()
            spent += time.perf_counter() - start
            total += done
        return total / spent

    return measure


@dataclass
class Subject:
    """One thing to measure."""

    name: str
    unit: str
    """What is counted per second."""
    make: Callable[[], Measure]
    """Prepares it (and compiles what it needs); ImportError where a library is missing."""
    cores: int = 1
    measure: Measure | None = None
    figures: list[float] = field(default_factory=list)


@contextlib.contextmanager
def on_cores(count: int) -> Iterator[None]:
    """This thread, and threads that it starts, stay on ``count`` cores (where the system can pin at all)."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure_all(subjects: list[Subject], repeats: int, seconds: float) -> dict[str, str]:
    """Fill the subjects' ``figures``, interleaved; returns what could not be measured, with the reason."""
    missing: dict[str, str] = {}
    for subject in subjects:
        print(f"preparing {subject.name}", file=sys.stderr)
        try:
            with on_cores(subject.cores):
                subject.measure = subject.make()
                subject.measure(seconds / 4)
        except ImportError as error:
            missing[subject.name] = f"not installed: {error.name or error}"
    for number in range(repeats):
        for subject in subjects:
            if subject.measure is not None:
                with on_cores(subject.cores):
                    subject.figures.append(subject.measure(seconds))
        print(f"repetition {number + 1} of {repeats}", file=sys.stderr)
    return missing

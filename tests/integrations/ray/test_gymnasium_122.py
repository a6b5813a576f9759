"""Gymnasium 1.2.2, which Ray pins: its checker, its registry, and `UnoVectorEnv` in step with its ``SyncVectorEnv``.

What it finds is what `tests/env` finds with the newest Gymnasium: the same tests run here.
"""

from __future__ import annotations

import gymnasium

from tests.env.test_single_agent import (
    test_check_env,
    test_copies_go_on_identically,
    test_made_with_its_checks,
    test_registration_is_silent_and_idempotent,
)
from tests.env.test_vector_env import (
    test_ends_and_infos_by_hand,
    test_in_step_with_single_environments,
    test_made_by_gymnasium,
    test_made_by_gymnasium_without_a_mode,
)

__all__ = [
    "test_check_env",
    "test_copies_go_on_identically",
    "test_ends_and_infos_by_hand",
    "test_in_step_with_single_environments",
    "test_made_by_gymnasium",
    "test_made_by_gymnasium_without_a_mode",
    "test_made_with_its_checks",
    "test_registration_is_silent_and_idempotent",
]


def test_this_is_the_older_gymnasium() -> None:
    assert gymnasium.__version__ == "1.2.2"

"""`agents.load`: every kind of name, and what it says to a wrong one."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import agents
from uno_env.view import Agent, View


class Cautious:
    """An agent of one's own: the first legal action."""

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.action_mask)[0])


class Nobody:
    """No agent at all."""


@pytest.mark.parametrize("name", agents.NAMES)
def test_scripted(name):
    agent = agents.load(name)
    assert isinstance(agent, Agent)
    assert name in repr(agent)


def test_own_class():
    agent = agents.load(f"{__name__}:Cautious")
    assert type(agent).__name__ == "Cautious"
    assert isinstance(agent, Agent)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("clever", r"unknown agent 'clever': there are random, uniform, rule, actions_first, highest_points, strategist"),
        ("", r"unknown agent ''"),
        ("runs/nowhere/best.safetensors", r"no such checkpoint"),
        ("no_such_module_here:Thing", r"no module 'no_such_module_here'"),
        ("agents.nothing:Thing", r"no module 'agents.nothing'"),
        ("agents.base:Thing", r"module 'agents.base' has no 'Thing'"),
        (f"{__name__}:Nobody", r"Nobody has no method act"),
    ],
)
def test_errors(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.load(spec)


def test_scripted_agents_need_no_torch():
    code = "import sys; sys.modules['torch'] = None; import agents; [agents.load(name) for name in agents.NAMES]; print('done')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "done", done.stderr

"""`uno_env.testing.check_agent` passes what is right and names what is wrong."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import agents
from uno_env.rules import Rules, RulesError
from uno_env.testing import check_agent
from uno_env.view import View


class First:
    """The first legal action that is neither draw nor pass, if there is one: correct, and the base of what is not."""

    def act(self, view: View) -> int:
        return self.choose(view.action_mask)

    def act_batch(self, observations, action_masks, rng):
        return np.array([self.choose(mask) for mask in action_masks])

    @staticmethod
    def choose(mask) -> int:
        legal = np.flatnonzero(mask)
        return int(next((action for action in legal if action not in (72, 73)), legal[0]))


class Illegal(First):
    def act(self, view):
        return int(np.flatnonzero(view.action_mask == 0)[0])


class Outside(First):
    def act(self, view):
        return 91


class Text(First):
    def act(self, view):
        return view.legal_texts()[0]


class Raises(First):
    def act(self, view):
        raise KeyError("lost")


class Scribbles(First):
    def act(self, view):
        view.observation[0] += 1
        return super().act(view)


class Unmasks(First):
    def act(self, view):
        action = super().act(view)
        view.action_mask[:] = 1
        return action


class Moody(First):
    """Decides by a generator of its own instead of the view's."""

    rng = np.random.default_rng(0)

    def act(self, view):
        return int(self.rng.choice(np.flatnonzero(view.action_mask)))


class BatchIllegal(First):
    def act_batch(self, observations, action_masks, rng):
        return np.full(len(action_masks), 90)


class BatchList(First):
    def act_batch(self, observations, action_masks, rng):
        return super().act_batch(observations, action_masks, rng).tolist()


class BatchFloat(First):
    def act_batch(self, observations, action_masks, rng):
        return super().act_batch(observations, action_masks, rng).astype(float)


class BatchScribbles(First):
    def act_batch(self, observations, action_masks, rng):
        actions = super().act_batch(observations, action_masks, rng)
        action_masks[:] = 0
        return actions


class BatchMoody(First):
    turn = itertools.count()

    def act_batch(self, observations, action_masks, rng):
        pick = next(self.turn)
        return np.array([legal[pick % len(legal)] for legal in map(np.flatnonzero, action_masks)])


class BatchRaises(First):
    def act_batch(self, observations, action_masks, rng):
        raise RuntimeError("too many")


def test_a_correct_agent_passes():
    check_agent(First(), rules=("official", "party"), num_players=(2, 3), episodes=1)
    check_agent(First(), rules=Rules.preset("mini"), num_players=None, episodes=3)


@pytest.mark.parametrize("name", agents.NAMES)
@pytest.mark.compiled_only
def test_scripted_agents_pass(name):
    check_agent(agents.load(name), rules="research", num_players=2, episodes=1)
    check_agent(agents.load(name), rules="party", num_players=4, episodes=1)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (object(), "object has no method act"),
        (Illegal(), "which is not legal, in round .*'research' of 2.*seed 0, decision 0; legal: "),
        (Outside(), "act returned 91, which is not legal"),
        (Text(), "not an int"),
        (Raises(), r"act raised KeyError\('lost'\)"),
        (Scribbles(), "act changed view.observation"),
        (Unmasks(), "act changed view.action_mask"),
        (Moody(), "for the same view and an equal rng"),
        (BatchIllegal(), r"act_batch returned 90 in row 0, where \["),
        (BatchList(), "act_batch returned list, not an integer array"),
        (BatchFloat(), r"act_batch returned float64 \["),
        (BatchScribbles(), "act_batch changed its observations or action_masks"),
        (BatchMoody(), "act_batch returned other actions"),
        (BatchRaises(), r"act_batch raised RuntimeError\('too many'\)"),
    ],
)
def test_names_what_is_wrong(agent, message):
    with pytest.raises(AssertionError, match=message):
        check_agent(agent, rules="research", num_players=2, episodes=2)


def test_arguments():
    with pytest.raises(ValueError, match="episodes=0"):
        check_agent(First(), episodes=0)
    with pytest.raises(ValueError, match="at least one of each"):
        check_agent(First(), rules=[])
    with pytest.raises(RulesError, match=r"unheard_of.*neither"):
        check_agent(First(), rules="unheard_of")

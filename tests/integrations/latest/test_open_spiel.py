"""`uno_env.open_spiel` in OpenSpiel's own hands, and its trees against those that `tests.core.test_enumeration` counts."""

from __future__ import annotations

import itertools
import pickle
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

import uno_env.open_spiel
from tests.core.test_enumeration import COUNTS
from uno_env import PRESETS, Game
from uno_env.cards import KIND_TEXTS

ROOT = Path(__file__).parents[3]
SMALL = "python_uno(rules=mini,deck=r0 r1 y0 yS W)"
"""Five cards, 364 information sets."""


def test_page(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/integrations/openspiel.md").read_text(), re.MULTILINE | re.DOTALL)
    exec(compile(code, "openspiel.md", "exec"), {})
    assert f"# {float(capsys.readouterr().out):.3f};" in code  # what the page says that it prints


def test_missing_library_names_the_extra() -> None:
    script = "import sys; sys.modules['pyspiel'] = None; import uno_env; import uno_env.open_spiel"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "ImportError: uno_env.open_spiel needs OpenSpiel: pip install 'uno-env[openspiel]'" in told.stderr


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("python_uno_mini", 2),
        ("python_uno_mini_bluff", 2),
        ("python_uno(rules=mini_bluff,num_players=3,deck=r0 r0 rD rR y0 y0 yD g0 W W4 W4,reward=points)", 3),
    ],
)
def test_random_simulations(name: str, players: int) -> None:
    game = pyspiel.load_game(name)
    assert game.num_players() == players
    assert pyspiel.load_game(str(game)) == game
    pyspiel.random_sim_test(game, 8, True, False)


def play_out(state: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize("seed", range(5))
def test_copies_go_on_alike(seed: int) -> None:
    game = pyspiel.load_game("python_uno_mini_bluff")
    state = game.new_initial_state()
    rng = np.random.default_rng(seed)
    while not state.is_terminal():
        copies = [state.clone(), pickle.loads(pickle.dumps(state)), game.deserialize_state(state.serialize())]
        before = str(state), state.history()
        ends = {(str(play_out(copy, 7)), tuple(copy.returns())) for copy in copies}
        assert len(ends) == 1
        assert (str(state), state.history()) == before  # copies share nothing with it
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert sum(state.returns()) == 0
    assert len(state.history()) <= game.max_game_length() + game.max_chance_nodes_in_history()


def test_rules_without_a_finite_tree_are_refused() -> None:
    with pytest.raises(ValueError, match="reshuffle=True"):
        pyspiel.load_game("python_uno(rules=research)")
    with pytest.raises(ValueError, match="unknown card 'q5'"):
        pyspiel.load_game("python_uno(deck=r0 q5)")
    with pytest.raises(ValueError, match="reward='fame': expected one of 'win', 'points'"):
        pyspiel.load_game("python_uno(reward=fame)")
    with pytest.raises(ValueError, match="Wild Shuffle Hands"):
        pyspiel.load_game("python_uno(deck=r0 r1 r2 y0 y1 WS)")


class Walk:
    """The whole tree: nodes, information sets with their legal actions, and how likely chance makes each deal."""

    def __init__(self, name: str, *, deal_only: bool = False) -> None:
        self.nodes: Counter[str] = Counter()
        self.sets: dict[tuple[int, str], list[int]] = {}
        self.deals: defaultdict[tuple[str, ...], float] = defaultdict(float)
        self._deal_only = deal_only
        self._walk(pyspiel.load_game(name).new_initial_state(), 1.0, dealing=True)

    def _walk(self, state: Any, chance: float, dealing: bool) -> None:
        if state.is_chance_node():
            self.nodes["deal" if dealing else "draw"] += 1
            outcomes = state.chance_outcomes()
            assert sum(probability for _, probability in outcomes) == pytest.approx(1)
            for kind, probability in outcomes:
                self._walk(state.child(kind), chance * probability, dealing)
            return
        if dealing:
            game = state.at.game
            self.deals[" ".join(game.hand(0)), " ".join(game.hand(1)), game.position()["discard_pile"][0]] += chance
            if self._deal_only:
                return
        if state.is_terminal():
            self.nodes["end"] += 1
            return
        self.nodes["decision"] += 1
        legal = state.legal_actions()
        key = state.current_player(), state.information_state_string()
        assert self.sets.setdefault(key, legal) == legal
        for action in legal:
            self._walk(state.child(action), chance, dealing=False)


def expected_deals(name: str) -> dict[tuple[str, ...], float]:
    """By `rules.md` 2.3 and 2.4: two hands of two, then a starter, but for a Wild Draw Four, which is shuffled back."""
    deck = list(PRESETS[name]["deck"])
    found = {}
    for first in itertools.combinations(deck, 2):
        left = [card for card in deck if card not in first]
        pairs = list(itertools.combinations(left, 2))
        for second in pairs:
            starters = [card for card in left if card not in second and card != "W4"]
            for starter in starters:
                share = len(list(itertools.combinations(deck, 2))) * len(pairs) * len(starters)
                found[" ".join(first), " ".join(second), starter] = 1 / share
    return found


def test_whole_tree_of_mini() -> None:
    walk = Walk("python_uno_mini")
    expected = COUNTS["mini"]
    # The same information, however chance is placed.
    assert len(walk.sets) == expected["information sets"]
    assert sum(len(legal) > 1 for legal in walk.sets.values()) == expected["with a choice"]
    # Fewer nodes, since orders of the draw pile coincide until they are seen: the figures in the docstring over there.
    assert walk.nodes["decision"] + walk.nodes["end"] == 36_386
    assert walk.nodes["decision"] + walk.nodes["end"] + walk.nodes["draw"] == 41_690
    # The deal: a node before each of 2 + 2 + 1 cards, hands in ascending order (of 7 cards 6 can be a hand's lower one).
    assert walk.nodes["deal"] == (1 + 6) + 21 * (1 + 4) + 21 * 10
    assert dict(walk.deals) == pytest.approx(expected_deals("mini"))


def test_deals_of_mini_bluff() -> None:
    assert dict(Walk("python_uno_mini_bluff", deal_only=True).deals) == pytest.approx(expected_deals("mini_bluff"))


def test_hands_of_equal_cards() -> None:
    """Three r0 and two y0: of the 10 hands of two, 3 are r0 r0, 6 are r0 y0, 1 is y0 y0; the second is of the rest."""
    game = pyspiel.load_game("python_uno(rules=mini,deck=r0 r0 r0 y0 y0)")
    hands: Counter[tuple[str, ...]] = Counter()

    def walk(state: Any, chance: float) -> None:
        if len(state.history()) == 4:
            hands[tuple(KIND_TEXTS[kind] for kind in state.history())] += chance  # type: ignore[assignment]
            return
        for kind, probability in state.chance_outcomes():
            walk(state.child(kind), chance * probability)

    walk(game.new_initial_state(), 1.0)
    expected: Counter[tuple[str, ...]] = Counter()
    for order in itertools.permutations(["r0", "r0", "r0", "y0", "y0"], 4):
        expected[(*sorted(order[:2]), *sorted(order[2:]))] += 1 / 120  # type: ignore[assignment]
    assert dict(hands) == pytest.approx(dict(expected))


def test_value_of_random_play_is_that_of_dealt_games() -> None:
    """Uniform play on both sides, exactly: the chance nodes below the deal, and every order of the pile under a settled deal."""
    deck = ["r0", "r1", "y0", "yS", "W"]
    rules = PRESETS["mini"] | {"deck": dict.fromkeys(deck, 1)}

    def value(game: Game) -> float:
        if game.over:
            return float(game.rewards()[0])
        return float(np.mean([value(pushed(game, action)) for action in game.legal_actions()]))

    def pushed(game: Game, action: int) -> Game:
        child = game.copy()
        child.push(action)
        return child

    values = []
    for order in itertools.permutations(deck):
        starter = order[4]
        position = {"rules": rules, "num_players": 2, "hands": [list(order[:2]), list(order[2:4])], "draw_pile": []}
        position |= {"discard_pile": [starter]} | {"W": {"phase": "COLOUR"}, "yS": {"turn": 1}}.get(starter, {})
        values.append(value(Game.from_position(position)))
    game = pyspiel.load_game(SMALL)
    uniform = policy.UniformRandomPolicy(game)
    ours = expected_game_score.policy_value(game.new_initial_state(), [uniform, uniform])
    assert ours == pytest.approx([np.mean(values), -np.mean(values)])


def test_observers() -> None:
    game = pyspiel.load_game("python_uno_mini")
    now, recall = make_observation(game), make_observation(game, INFO_STATE_OBS_TYPE)
    assert recall.tensor is None
    state = game.new_initial_state()
    rng = np.random.default_rng(3)
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
        for seat in (0, 1):
            now.set_from(state, seat)
            recall.set_from(state, seat)
            assert recall.string_from(state, seat) == state.information_state_string(seat)
            assert now.string_from(state, seat) == state.observation_string(seat)
            if state.at.dealt:
                assert np.array_equal(now.tensor, state.at.game.observe(seat))
                hand = " ".join(state.at.game.hand(seat))
                assert now.string_from(state, seat).startswith(f"seat {seat}: {hand} on ")
                assert now.dict["hand"].sum() == len(state.at.game.hand(seat))
            assert len(state.observation_tensor(seat)) == game.observation_tensor_size()
    with pytest.raises(ValueError, match="what one seat sees"):
        game.make_py_observer(pyspiel.IIGObservationType(True, True, pyspiel.PrivateInfoType.ALL_PLAYERS))


def test_learning_environment() -> None:
    environment = rl_environment.Environment("python_uno_mini_bluff")
    rng = np.random.default_rng(0)
    environment.seed(0)
    for _ in range(20):
        step = environment.reset()
        while not step.last():
            player = step.observations["current_player"]
            assert len(step.observations["info_state"][player]) == uno_env.open_spiel.OBS_SIZE
            step = environment.step([int(rng.choice(step.observations["legal_actions"][player]))])
        assert sum(step.rewards) == 0


def test_cfr_plus_becomes_hard_to_exploit() -> None:
    game = pyspiel.load_game(SMALL)
    solver = cfr.CFRPlusSolver(game)
    found = []
    for iteration in range(1, 17):
        solver.evaluate_and_update_policy()
        if iteration in (1, 2, 4, 8, 16):
            found.append(exploitability.exploitability(game, solver.average_policy()))
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0] / 20

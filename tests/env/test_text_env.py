"""Uno in text: the same game as `UnoEnv` and `uno_v0`, told without leaks; answers are carried out, refused or ended as asked."""

from __future__ import annotations

import copy
import importlib
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.wrappers import BaseWrapper

from tests.env.play import pick
from tests.positions import at
from uno_env import PRESETS, Game, IllegalAction, Rules, UnoEnv, UnoTextEnv, text_env, uno_text_v0, uno_v0
from uno_env.game import Event
from uno_env.notation import ACTION_TEXTS
from uno_env.render.description import describe, names_for
from uno_env.render.refusal import why_not
from uno_env.state import Phase
from uno_env.text_env import CHARACTERS, MAX_OBSERVATION, QUESTIONS, Conversation, text_space

ROOT = Path(__file__).resolve().parents[2]


def answer(game: Game, rng: random.Random) -> str:
    return game.action_text(pick(game.action_mask(), rng))


# What is told -----------------------------------------------------------------------------------------------------------


def test_a_decision_is_told_in_full() -> None:
    game = Game.from_position(
        {
            "hands": [["r5", "W"], ["b1", "b2", "gS"], ["y9"]],
            "draw_pile": ["b7", "rS", "g3", "g4"],
            "discard_pile": ["y1", "r9"],
            "declared": [False, False, True],
            "scores": [120, 0, 45],
            "direction": -1,
            "drew_on": [None, "y", None],
            "known": [{"seat": 0, "holder": 1, "cards": ["b1", "gS"]}],
        }
    )
    assert describe(game, 0) == "\n".join(
        [
            "Uno, official rules, 3 players, round 1. You are player_0.",
            "Top card: r9 (red 9). Colour in force: red.",
            "Draw pile: 4 cards. Discard pile: 2 cards.",
            "Other players in order of play (counter-clockwise):",
            "- player_2: 1 card; has called Uno",
            "- player_1: 3 cards; last drew or passed when yellow was in force; you know it holds gS b1",
            "Your hand (2 cards): r5 W.",
            "Points: You 120, player_1 0, player_2 45; 500 end the match.",
            "Your turn: play a card or draw.",
            "Legal actions: r5, W:r, W:y, W:g, W:b, draw, uno",
        ]
    )
    assert describe(game, 1).endswith("\nIt is the turn of player_0.")
    assert "Your hand (3 cards): gS b1 b2." in describe(game, 1)
    game.push("uno")
    assert "You have called Uno." in describe(game, 0)
    assert "You have called Uno." not in describe(game, 1)


def test_a_challenge_is_told_with_what_it_would_mean() -> None:
    game = at([["r1", "W4", "b1"], ["y1", "y2"], ["g1", "g2"]], top="r9", n=3)
    event = game.push("W4:g")
    told = describe(game, 1, [event])
    assert "Since your last decision:\n- player_0 plays Wild Draw Four and names green.\n" in told
    assert "Due to be drawn: 4 cards." in told
    assert "player_0 played Wild Draw Four while red was in force. Is it a bluff?\nLegal actions: accept, challenge\n" in told
    assert "\n- accept: Draw 4 cards. You lose your turn.\n" in told
    assert "\n- challenge: Challenge. If player_0 held red when playing it, player_0 draws 4 cards and you play on" in told
    assert "Is it a bluff" not in describe(game, 2, [event])
    verdict = game.push("challenge")
    assert "- You challenge: a bluff; player_0 draws 4 cards." in describe(game, 1, [event, verdict], first=True)
    assert "Since the start:" in describe(game, 1, [event, verdict], first=True)
    assert "player_0: 6 cards; you know it holds r1 b1" in describe(game, 1)


def test_the_end_is_told() -> None:
    game = at([["r5"], ["b1", "W"], ["y9"]], top="r9", n=3, rules={"target": 100}, scores=[90, 0, 0])
    event = game.push("r5")
    assert describe(game, 0, [event]).splitlines()[-2:] == [
        "Points: You 150, player_1 0, player_2 0; 100 end the match.",
        "You win the round. You win the match.",
    ]
    assert "- player_0 plays red 5; the round is over: player_0 +60." in describe(game, 1, [event])


def test_long_news_are_cut_and_everything_fits_the_space() -> None:
    deck = {card: 3 for card in ("WX", "WS", "WC", "W4", "W")} | {f"{c}{s}": 3 for c in "rygb" for s in "0579SRD"} | {"r1": 29}
    rules = Rules(num_players=10, deck=deck, seven_zero="both", jump_in=True, stacking="any", uno_on_received=True)
    game = Game(rules, 1)
    events = [Event(1, "draw", Phase.PLAY, ((1, ("r5",)),))] * 500
    told = describe(game, 0, events)
    assert told.count("- player_1 draws 1 card.") > 100
    assert "earlier events are left out)" in told
    talk, rng, longest = Conversation("ask", None, "always"), random.Random(0), 0
    for _ in range(60):
        if game.over:
            game.next_round()
        talk.hear(game, (), "unseen")
        for seat in {game.actor, rng.randrange(10)}:
            text = talk.tell(game, seat, events)
            assert text_space().contains(text)
            longest = max(longest, len(text))
        game.push(pick(game.action_mask(), rng))
    assert longest < MAX_OBSERVATION - 4000  # room for hands of half the deck that all know


# What must not be told --------------------------------------------------------------------------------------------------


def refusals(game: Game) -> list[str]:
    """What the seat that decides is told on every action that is not legal, and on every question."""
    talk = Conversation("ask", None, "never")
    told = []
    for text in (*ACTION_TEXTS.values(), *(f"swap:{seat}" for seat in range(game.num_players)), "nonsense", *QUESTIONS):
        if talk.hear(game, (), text) is None:  # "draw" is read as "accept" where that is what is asked
            told.append(talk.tell(game, game.actor, ()))
    return told


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_never_show(preset: str) -> None:
    rng = random.Random(5)
    rules = Rules.preset(preset)
    changed = decisions = 0
    for seed in range(4):
        game = Game(rules, seed)
        while not game.over and decisions < 25 * (seed + 1):
            for seat in range(game.num_players):
                other = game.resample(seat, rng.randrange(2**32))
                changed += other.position()["hands"] != game.position()["hands"]
                assert describe(other, seat) == describe(game, seat)
                if seat == game.actor and decisions % 10 == 0:
                    assert refusals(other) == refusals(game)
            game.push(pick(game.action_mask(), rng))
            decisions += 1
    assert changed > decisions // 2, "the redrawn games hardly differ: nothing was tested"


@pytest.mark.parametrize("preset", ["official", "party", "team"])
def test_news_tell_no_hidden_cards_and_no_hidden_choices(preset: str) -> None:
    rng, hidden, drawn = random.Random(6), 0, 0
    for seed in range(4):
        game = Game(preset, seed)
        while not game.over:
            game.push(pick(game.action_mask(), rng))
        for seat in range(game.num_players):
            told = describe(game, seat, game.history)
            events = []
            for event in game.history:
                secret = (event.action == "pass" and event.phase in (Phase.JUMP, Phase.DRAWN, Phase.CATCH)) or (
                    event.action == "uno" and event.phase is Phase.JUMP
                )
                if secret and event.seat != seat:
                    hidden += 1
                    continue
                cards = tuple((who, held if who == seat else ("y8",) * len(held)) for who, held in event.drawn)
                drawn += cards != event.drawn
                events.append(Event(event.seat, event.action, event.phase, cards, event.verdict, event.points))
            assert describe(game, seat, events) == told
    assert hidden > 0
    assert drawn > 0


def test_a_refusal_is_told_to_the_offender_alone() -> None:
    env = uno_text_v0.raw_env(num_players=3)
    env.reset(seed=1)
    others = [env.observe(agent)["observation"] for agent in ("player_1", "player_2")]
    env.step("hello")
    assert "Refused: 'hello': this names no action." in env.observe("player_0")["observation"]
    assert [env.observe(agent)["observation"] for agent in ("player_1", "player_2")] == others


# Why an action is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "action", "why"),
    [
        (at([["r5", "b7", "gS"]]), "y1", "you do not hold yellow 1"),
        (at([["r5", "b7", "gS"]]), "b7", "blue 7 does not fit: red is in force, and the top card is red 5"),
        (at([["r5", "b7", "gS"]]), "pass", "nobody may pass without drawing"),
        (at([["r5", "b7", "gS"]]), "accept", "you need not draw cards now"),
        (at([["r5", "b7", "gS"]]), "challenge", "there is no Wild Draw Four that you can challenge now"),
        (at([["r5", "b7", "gS"]]), "catch", "there is nobody whom you can catch now"),
        (at([["r5", "b7", "gS"]]), "swap:1", "hands are swapped"),
        (at([["r5", "b7", "gS"]]), "colour:r", "a colour is named by itself only for a Wild that was turned up"),
        (at([["r5", "b7", "gS"]]), "uno", "Uno is called by itself, by the rules in force"),
        (at([["r5", "b7", "gS"]], rules={"uno_call": "declare"}), "uno", "Uno is called while holding two cards"),
        (at([["b8", "b7"]], rules={"uno_call": "declare"}), "uno", "you can play none now"),
        (
            at([["r5", "b7"]], rules={"uno_call": "declare"}, declared=[True, False, False, False]),
            "uno",
            "you have called Uno already",
        ),
        (at([["r5", "b7", "gS"]], rules={"voluntary_draw": False}), "draw", "who can play must play"),
        (at([["r5", "W4"]], rules={"wild_draw_four": "enforced"}), "W4:b", "you hold red"),
        (at([["r5", "W4"]], rules={"wild_draw_four": "enforced"}), "challenge", "no Wild Draw Four can be challenged"),
        (at([["r5", "r7"]], phase="DRAWN", drawn="r7"), "r5", "only the drawn card, red 7, may be played"),
        (at([["r5", "r7"]], phase="DRAWN", drawn="r7"), "draw", "you have drawn already"),
        (at([["r5", "r7"]], phase="DRAWN", drawn="r7", rules={"drawn_card": "must"}), "pass", "must be played"),
        (at([["r7", "b1"]], top="W", phase="COLOUR"), "r7", "no card is played now. The starter is a Wild: name the colour"),
        (at([["r7", "b1"]], top="W", phase="COLOUR"), "draw", "no card is drawn now"),
    ],
)
def test_reasons(game: Game, action: str, why: str) -> None:
    assert why in why_not(game, names_for(game, game.actor), action)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_refusal_has_a_reason(preset: str) -> None:
    rng, phases = random.Random(2), set()
    game = Game(preset, 2)
    for _ in range(150):
        if game.over:
            game = Game(preset, rng.randrange(1000))
        phases.add(game.phase)
        legal, names = game.legal_texts(), names_for(game, game.actor)
        for text in ACTION_TEXTS.values():
            if text in legal:
                with pytest.raises(ValueError, match="is legal"):
                    why_not(game, names, text)
            else:
                reason = why_not(game, names, text)
                assert reason
                assert not reason.endswith(".")
        game.push(pick(game.action_mask(), rng))
    assert Phase.PLAY in phases


# Gymnasium --------------------------------------------------------------------------------------------------------------

CASES = [
    pytest.param({}, id="default"),
    pytest.param({"illegal_action": "end"}, id="end"),
    pytest.param({"max_retries": None, "tell_rules": "always", "num_players": 10, "seat": "random"}, id="ten"),
    pytest.param({"rules": "party", "episode": "match", "reward": "points", "tell_rules": "first", "seat": "rotate"}, id="match"),
    pytest.param({"rules": "mini", "render_mode": "ansi"}, id="mini"),
]


@pytest.mark.parametrize("options", CASES)
def test_check_env(options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(gymnasium.make("uno_env:Uno-text-v0", **options).unwrapped, skip_render_check=True)
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize("options", CASES)
def test_the_same_game_as_uno_v0(options: dict[str, Any]) -> None:
    """Same seeds and actions: same masks, same rewards, same ends; and what is said fits the space."""
    told = gymnasium.make("uno_env:Uno-text-v0", **options)
    plain = UnoEnv(
        **{name: value for name, value in options.items() if name not in ("illegal_action", "max_retries", "tell_rules")}
    )
    rng = random.Random(1)
    for seed in (4, None):
        text, info = told.reset(seed=seed)
        _, plain_info = plain.reset(seed=seed)
        end: tuple[bool, bool] = (False, False)
        assert ("The rules in force" in text) == ("tell_rules" in options)
        while not any(end):
            assert np.array_equal(info["action_mask"], plain_info["action_mask"])
            assert told.observation_space.contains(text)
            legal = plain.game().legal_texts()
            assert info["legal_actions"] == legal
            assert info["refusal"] is None
            assert f"\nLegal actions: {', '.join(legal)}\n" in text
            action = pick(info["action_mask"], rng)
            text, reward, *end, info = told.step(plain.game().action_text(action))  # type: ignore[assignment]
            _, *expected, plain_info = plain.step(action)
            assert [reward, *end] == expected
        assert told.observation_space.contains(text)
        assert "the round" in text or "The round" in text
        assert told.get_wrapper_attr("game")().to_bytes() == plain.game().to_bytes()
        assert info["legal_actions"] == []


def test_news_begin_with_the_own_decision() -> None:
    env = UnoTextEnv(rules={"drawn_card": "never", "wild_draw_four": "enforced"}, num_players=3)
    env.reset(seed=3)
    for _ in range(3):
        news = env.step("draw")[0].split("Since your last decision:\n")[1].split("\nTop card")[0].splitlines()
        assert news[0].startswith("- You draw 1 card (")
        assert not any("You draw 1 card" in line for line in news[1:])
        assert any(line.startswith(("- player_1 ", "- player_2 ")) for line in news[1:])


def test_asked_again() -> None:
    env = UnoTextEnv(rules="official", num_players=4)
    first, _ = env.reset(seed=3)
    before = env.game().to_bytes()
    assert "Top card: g4" in first
    assert "Your hand (7 cards): y4 y7 g8 gD b2 b4 W4." in first
    text, reward, terminated, truncated, info = env.step("play red 5")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["refusal"] == (
        "'play red 5', read as red 5 (r5): you do not hold red 5. Legal: y4, g8, gD, b4, W4:r, W4:y, W4:g, W4:b, draw."
    )
    assert text == f"Refused: {info['refusal']}\n\n{first}"
    text, *_, info = env.step("y7")
    assert info["refusal"].startswith(
        "'y7', read as yellow 7 (y7): yellow 7 does not fit: green is in force, and the top card is green 4."
    )
    text, *_, info = env.step("Wild Draw Four!")
    assert "name a colour with it: W4:r" in text
    assert env.game().to_bytes() == before
    text, _, terminated, _, info = env.step("b4")
    assert not terminated
    assert info["refusal"] is None
    assert "Refused" not in text
    for _ in range(3):  # the count begins anew with every decision
        assert not env.step("hello")[2]
    text, reward, terminated, truncated, info = env.step("\u2603" * 200)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert text_space().contains(text)
    assert text.endswith("The episode has ended: an answer was no legal action.")
    with pytest.raises(ResetNeeded):
        env.step("draw")
    assert env.reset(seed=3)[0] == first


def test_questions() -> None:
    env = UnoTextEnv(rules="party", num_players=3)
    first, _ = env.reset(seed=3)
    before = env.game()
    assert env.step("rules")[0] == f"{env.rules_text()}\n\n{first}"
    top = before.position()["discard_pile"][-1]
    assert env.step("Discards?")[0].startswith(f"In the discard pile: 1 {top}.\n\n")
    unseen = env.step("[unseen]")[0].split("not seen by you: ")[1].split(".")[0]
    assert sum(int(entry.split()[0]) for entry in unseen.split(", ")) == 108 - 7 - 1
    assert env.game().to_bytes() == before.to_bytes()
    _, reward, terminated, *_ = env.step("rules")  # a fourth answer in a row that is no action
    assert (reward, terminated) == (-1.0, True)
    patient = UnoTextEnv(max_retries=None)
    patient.reset(seed=0)
    for _ in range(50):
        assert patient.step("rules")[1:4] == (0.0, False, False)


def test_an_illegal_answer_ends_or_raises_on_demand() -> None:
    env = UnoTextEnv(illegal_action="end")
    env.reset(seed=0)
    assert not env.step("rules")[2]
    text, reward, terminated, _, info = env.step("challenge")
    assert (reward, terminated) == (-1.0, True)
    assert info["refusal"] is not None
    assert text.startswith("Refused: 'challenge': there is no Wild Draw Four")
    env = UnoTextEnv(illegal_action="raise")
    env.reset(seed=0)
    before = env.game().to_bytes()
    for said in ("challenge", "hello", "", "#91", 75, np.int64(91), -1):
        with pytest.raises(IllegalAction, match="Legal: "):
            env.step(said)  # type: ignore[arg-type]
    assert env.game().to_bytes() == before


def test_numbers_are_read_and_other_things_are_no_answers() -> None:
    env = UnoTextEnv()
    _, info = env.reset(seed=0)
    twin = copy.deepcopy(env)
    legal = int(np.flatnonzero(info["action_mask"])[0])
    assert env.step(np.int64(legal))[0] == twin.step(f" #{legal} ")[0]  # type: ignore[arg-type]
    for said in (None, 1.0, True, ["r5"]):
        with pytest.raises(TypeError, match="a text or an action's number"):
            env.step(said)  # type: ignore[arg-type]


def test_reset_comes_first() -> None:
    env = UnoTextEnv()
    for call in (lambda: env.step("draw"), env.game, env.action_masks):
        with pytest.raises(ResetNeeded, match="reset"):
            call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"illegal_action": "again"}, "illegal_action='again': expected 'ask', 'end' or 'raise'"),
        ({"max_retries": -1}, "max_retries=-1"),
        ({"max_retries": True}, "max_retries=True"),
        ({"tell_rules": True}, "tell_rules=True"),
        ({"num_players": 11}, "num_players"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    for make in (UnoTextEnv, uno_text_v0.raw_env):
        with pytest.raises(ValueError, match=message):
            make(**options)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_identically(copied: Callable[[Any], Any]) -> None:
    env = UnoTextEnv(rules="party", num_players=3)
    env.reset(seed=9)
    rng = random.Random(9)
    for _ in range(3):
        if not env.game().over:
            env.step(answer(env.game(), rng))
    env.step("hello")
    twin = copied(env)
    for _ in range(30):
        said = answer(env.game(), rng)
        here, there = env.step(said), twin.step(said)
        assert here[:4] == there[:4]
        if here[2]:
            assert env.reset()[0] == twin.reset()[0]


def test_registration_is_silent_and_idempotent() -> None:
    before = gymnasium.registry["Uno-text-v0"]
    text_env.register()
    assert gymnasium.registry["Uno-text-v0"] is before
    script = "import gymnasium; env = gymnasium.make('uno_env:Uno-text-v0'); env.reset(seed=0); env.step('draw')\nimport sys\n"
    script += "assert not {'agents', 'torch', 'pygame'} & set(sys.modules)\n"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_tells_the_arguments() -> None:
    page = text_env.__doc__
    assert page is not None
    assert 'UnoTextEnv(*, illegal_action="ask", max_retries=3, tell_rules="never", **options)' in page


# PettingZoo -------------------------------------------------------------------------------------------------------------


class Numbered(BaseWrapper):
    """Texts as arrays of their characters: `api_test` asks every observation for a dtype, which a text has not."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        box = gymnasium.spaces.Box(0, 127, (MAX_OBSERVATION,), np.int8)
        self.spaces = {
            agent: gymnasium.spaces.Dict({"observation": box, "action_mask": env.observation_space(agent)["action_mask"]})
            for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        return self.spaces[agent]

    def observe(self, agent: str) -> Any:
        seen: Any = super().observe(agent)
        characters = np.zeros(MAX_OBSERVATION, np.int8)
        characters[: len(seen["observation"])] = [ord(character) for character in seen["observation"]]
        return {"observation": characters, "action_mask": seen["action_mask"]}


@pytest.mark.parametrize("options", [{}, {"num_players": 2, "rules": "party", "episode": "match"}, {"num_players": 10}])
def test_api(options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(Numbered(uno_text_v0.env(**options)), num_cycles=100)  # type: ignore[arg-type]
    told = {str(warning.message) for warning in caught}
    assert told <= {
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
        "Action space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    }


def test_seed() -> None:
    seed_test(lambda: uno_text_v0.env(num_players=3), num_cycles=60)  # samples actions with the mask


@pytest.mark.parametrize(
    "options", [{"num_players": 3}, {"rules": "party", "episode": "match", "reward": "points"}, {"rules": "team"}]
)
def test_the_same_game_as_the_aec_environment(options: dict[str, Any]) -> None:
    told, plain = uno_text_v0.env(**options), uno_v0.env(**options)
    told.reset(seed=5)
    plain.reset(seed=5)
    rng, ends = random.Random(5), []
    for agent in told.agent_iter():
        assert agent == plain.agent_selection
        seen, *here, info = told.last()
        expected, *there, _ = plain.last()
        assert here == there
        assert told.observation_space(agent).contains(seen)
        assert expected is not None
        assert seen is not None
        assert np.array_equal(seen["action_mask"], expected["action_mask"])
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        if any(here[1:]):
            ends.append(agent)
            told.step(None)
            plain.step(None)
        else:
            action = pick(expected["action_mask"], rng)
            told.step(plain.unwrapped.game().action_text(action))  # type: ignore[attr-defined]
            plain.step(action)
    assert ends == told.possible_agents
    for agent in told.possible_agents:  # after removal
        assert set(told.observe(agent)["observation"]) <= CHARACTERS  # type: ignore[index]


def test_rewards_are_told_once_also_when_asked_again() -> None:
    env = uno_text_v0.raw_env(num_players=2, episode="match", max_retries=None)
    env.reset(seed=5)
    rng = random.Random(5)
    while not any(env.rewards.values()):
        env.step(answer(env._uno.game(), rng))
    agent = env.agent_selection
    assert abs(env.last()[1]) == 1.0
    env.step("hello")
    assert env.agent_selection == agent
    assert env.last()[1] == 0.0
    assert not any(env.rewards.values())
    assert "the round is over" in env.last()[0]["observation"]


@pytest.mark.parametrize("retries", [0, 2])
def test_the_offender_gets_minus_one(retries: int) -> None:
    env = uno_text_v0.env(num_players=3, max_retries=retries)
    env.reset(seed=1)
    env.step("draw")
    offender = env.agent_selection
    for _ in range(retries + 1):
        assert env.agent_selection == offender
        assert not any(env.terminations.values())
        env.step("challenge")
    totals = {}
    for agent in env.agent_iter():
        seen, reward, termination, _, _ = env.last()
        assert termination
        assert seen is not None
        assert ("Refused" in seen["observation"]) == (agent == offender)
        assert "The episode has ended" in seen["observation"]
        assert not seen["action_mask"].any()
        totals[agent] = reward
        env.step(None)
    assert totals == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}


def test_aec_raises_on_demand() -> None:
    env = uno_text_v0.env(illegal_action="raise")
    env.reset(seed=1)
    before = env.unwrapped.game().to_bytes()  # type: ignore[attr-defined]
    with pytest.raises(IllegalAction, match="there is no Wild Draw Four"):
        env.step("challenge")
    assert env.unwrapped.game().to_bytes() == before  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry since 1.27")
def test_registered_with_pettingzoo() -> None:
    for _ in range(2):
        importlib.reload(uno_text_v0)
    env = pettingzoo.make("aec", "uno_env/uno-text-v0", num_players=3, tell_rules="first")
    env.reset(seed=5)
    assert env.last()[0]["observation"].startswith("The rules in force (official):")  # type: ignore[index]
    assert "uno_text_v0" in str(env)
    assert env.metadata["name"] == "uno_text_v0"


def test_the_page_for_language_models_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "integrations" / "text-agents.md").read_text(encoding="utf-8")
    shown = page.split("```text\n")[1].split("\n```")[0]
    game = Game("official", seed=3, num_players=4)
    for action in ("draw", "W4:y", "challenge", "W:r", "r7"):
        game.push(action)
    talk = Conversation("ask", 3, "never")
    talk._decided_at[0] = 0
    assert talk.tell(game, 0, game.history) == shown
    blocks = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, "block", "exec"), {"__name__": "block"})

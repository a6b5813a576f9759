"""`Game`: transcripts, illegal actions, events, rewards, and what one can look at."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from tests.positions import at, play, position_at
from tests.strategies import choose, every_rules
from uno_env import NUM_ACTIONS, Event, Game, IllegalAction, Phase, cards, engine
from uno_env.jit import COMPILED
from uno_env.state import State, new_states

GAMES = 60 if COMPILED else 6

# Transcripts ----------------------------------------------------------------------------------------------------------


def test_transcripts_replay_to_the_same_bytes() -> None:
    for rules, rng in every_rules(GAMES // 2):
        game = Game(rules, rng.getrandbits(40))
        for number in range(120):
            if game.over:
                if game.match_winners is not None:
                    break
                game.next_round()
                continue
            game.push(choose(game, rng))
            if number == 15:  # go on from a position, which starts a transcript of its own
                game = Game.from_position(game.position(), rng.getrandbits(66))
            if number == 30 and not game.over:  # ... and from a redrawn game
                game = game.resample(rng.randrange(game.num_players), rng.getrandbits(66))
        told = game.transcript()
        assert "\n" not in told
        again = Game.replay(told)
        assert again.to_bytes() == game.to_bytes()
        assert again.history == game.history
        assert again.rules == game.rules
        assert again.transcript() == told


def test_transcripts_across_rounds() -> None:
    game = play(at([["r1"]], seed=3), "r1")
    game.next_round()
    game.push(game.legal_texts()[0])
    assert json.loads(game.transcript())["actions"][:2] == ["r1", "next_round"]
    assert Game.replay(game.transcript()).to_bytes() == game.to_bytes()


@pytest.mark.parametrize(
    ("transcript", "error"),
    [
        ("not json", "one line of JSON"),
        ("[]", "has the keys"),
        ('{"rules": "official", "num_players": 4, "actions": []}', "has the keys"),
        ('{"rules": "official", "seed": 1, "actions": []}', "has the keys"),
        ('{"rules": "offical", "num_players": 4, "seed": 1, "actions": []}', "neither a preset"),
        ('{"rules": "official", "num_players": 4, "seed": 1, "actions": ["accept"]}', "action 0 of the transcript: 'accept'"),
        ('{"rules": "official", "num_players": 4, "seed": 1, "actions": ["next_round"]}', "action 0 of the transcript: .*not over"),
        ('{"rules": "official", "num_players": 4, "seed": 1, "actions": [true]}', "action 0 of the transcript"),
    ],
)
def test_bad_transcripts(transcript: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        Game.replay(transcript)


# Illegal actions ------------------------------------------------------------------------------------------------------


def test_illegal_actions_change_nothing() -> None:
    for rules, rng in every_rules(GAMES // 4):
        game = Game(rules, rng.getrandbits(40))
        for _ in range(60):
            legal = set(game.legal_actions())
            before = game.to_bytes()
            wrong = [*sorted(set(range(NUM_ACTIONS)) - legal), -1, NUM_ACTIONS, 10**9, 2.0, None, True, "nonsense", ""]
            for action in rng.sample(wrong, 12):
                with pytest.raises(IllegalAction) as caught:
                    game.push(action)
                text = str(caught.value)
                if game.over:
                    assert "the round is over" in text
                else:
                    assert text.endswith(f"legal: {', '.join(game.legal_texts())}")
                    assert f"phase {game.phase.name} of seat {game.actor}" in text
                    assert str(action) in text or repr(action) in text
            assert game.to_bytes() == before
            assert len(game.history) == len(game.transcript().split('"actions": [')[1].split(",")) or not game.history
            if game.over:
                break
            game.push(choose(game, rng))


def test_illegal_action_says_why() -> None:
    game = at([["r5", "gS", "W"]], "r9")
    with pytest.raises(IllegalAction) as caught:
        game.push("gS")
    assert str(caught.value) == "'gS' (36) in phase PLAY of seat 0: colour r, top r9; legal: r5, W:r, W:y, W:g, W:b, draw"
    with pytest.raises(IllegalAction, match=r"^'gS' \(36\) in phase PLAY"):
        game.push(36)
    with pytest.raises(IllegalAction, match=r"^'gs' \(unknown action 'gs': actions are cards .*\) in phase PLAY of seat 0"):
        game.push("gs")
    with pytest.raises(IllegalAction, match=r"^91 \(ids are 0 to 90\) in phase PLAY"):
        game.push(91)
    with pytest.raises(IllegalAction, match=r"^None \(neither a text nor an id\)"):
        game.push(None)  # type: ignore[arg-type]
    with pytest.raises(IllegalAction, match="colour none, top none"):
        Game("crash_course", 0).push("draw")
    assert isinstance(caught.value, ValueError)


def test_the_engine_refuses_too() -> None:
    game = at([["r5", "gS", "W"]], "r9")
    states, params = game._states, game.rules.params
    before = states.tobytes()
    for action in [-1, 91, 1000, 36]:
        assert not engine.act(states, params, 0, action)
        assert states.tobytes() == before


def test_ids_and_texts_are_the_same_actions() -> None:
    one, two = Game("party", 5), Game("party", 5)
    rng = random.Random(1)
    while not one.over and len(one.history) < 100:
        ids, texts = one.legal_actions(), two.legal_texts()
        assert [one.action_text(i) for i in ids] == texts
        assert [one.action_id(text) for text in texts] == ids == np.flatnonzero(one.action_mask()).tolist()
        k = rng.randrange(len(ids))
        assert one.push(np.int64(ids[k])) == two.push(texts[k])
    assert one.to_bytes() == two.to_bytes()


# Events ---------------------------------------------------------------------------------------------------------------


def test_events() -> None:
    game = at([["r1", "W4"], ["b1", "b2"]], n=2, next_cards=["g1", "g2", "g3", "g4"], rules={"uno_call": "declare"})
    assert game.push("uno") == Event(seat=0, action="uno", phase=Phase.PLAY)
    assert game.push("W4:b") == Event(seat=0, action="W4:b", phase=Phase.PLAY)
    event = game.push("challenge")
    assert event == Event(1, "challenge", Phase.CHALLENGE, ((0, ("g1", "g2", "g3", "g4")),), "guilty")
    assert str(event) == "1 challenge (guilty); 0 draws g1 g2 g3 g4"
    assert game.history[-1] is event
    assert str(game.push("b1")) == "1 b1"
    game = play(at([["rD"], ["b1"]], n=2, next_cards=["g1", "W"]), "rD")
    assert game.history == [Event(0, "rD", Phase.PLAY, ((1, ("g1", "W")),), None, (52, 0))]
    assert str(game.history[0]) == "0 rD; 1 draws g1 W; points 52 0"


def test_events_of_several_drawers_and_catches() -> None:
    rules = {"uno_call": "declare", "challenger": "any"}
    game = at([["b1", "W4"]], rules=rules, next_cards=["g1", "g2", "g3", "g4", "g6", "g8", "g9", "y9"])
    assert game.push("W4:b").drawn == ()
    assert game.push("catch") == Event(1, "catch", Phase.CATCH, ((0, ("g1", "g2")),))
    game.push("accept")
    event = game.push("challenge")
    assert event == Event(2, "challenge", Phase.CHALLENGE, ((2, ("g3", "g4")), (1, ("g6", "g8", "g9", "y9"))), "innocent")


# Game, looking and copying --------------------------------------------------------------------------------------------


def test_text_of_a_game() -> None:
    game = at([["r1", "b9"], ["g1"]], n=2, rules={"uno_call": "declare"}, declared=[False, True], scores=[12, 3], draw_pile=["y1"])
    assert str(game) == (
        "round 1, turn 1, clockwise; draw pile 1, discards 1\n"
        "top r5, colour red\n"
        "> 0    12  r1 b9\n"
        "  1     3  g1  (Uno)\n"
        "PLAY: r1, draw, uno"
    )
    assert repr(game) == "<Game 'official' of 2, PLAY, actor 0>"
    over = play(at([["r1"], ["g1"]], n=2), "r1")
    assert str(over).endswith("over (out): winners [0], points [1, 0]")
    assert "4 cards due" in str(play(at([["b1", "b2", "W4"]]), "W4:b"))
    assert "counter-clockwise" in str(at([["r1"]], direction=-1))
    assert "top -, colour -" in str(Game("crash_course", 1))


def test_seats_are_checked() -> None:
    game = Game("official", 1)
    for seat in (-1, 4):
        for call in (game.observe, game.hand, lambda seat: game.resample(seat, 0)):
            with pytest.raises(ValueError, match="expected 0 to 3"):
                call(seat)
    with pytest.raises(ValueError, match="reward='gold': expected one of 'win', 'points', 'match'"):
        game.rewards("gold")


def test_seeds() -> None:
    assert Game("official", 7).to_bytes() == Game("official", 7).to_bytes() != Game("official", 8).to_bytes()
    assert Game("official", -1).to_bytes() == Game("official", 2**64 - 1).to_bytes()
    fresh = Game("official")
    assert Game("official", fresh.seed).to_bytes() == fresh.to_bytes()
    assert Game("official").seed != fresh.seed


def test_rewards() -> None:
    game = at([["r1"], ["b5"], ["b9"], ["WC"]], rules={"deck": "swap"})
    assert game.rewards().tolist() == [0, 0, 0, 0]
    play(game, "r1")
    third = np.float32(-1 / 3)
    assert game.rewards("win").tolist() == [1, third, third, third]
    assert game.rewards("points").tolist() == pytest.approx([0.54, -0.05, -0.09, -0.4])
    assert game.rewards("match").tolist() == [0, 0, 0, 0]
    won = play(at([["r1"], ["b5"], ["b9"], ["W"]], scores=[499, 0, 0, 0]), "r1")
    assert won.rewards("match").tolist() == [1, third, third, third]
    team = play(at([["r1"], ["b5"], ["b9"], ["g2"]], rules={"teams": 2}), "r1")
    assert team.rewards("win").tolist() == [0.5, -0.5, 0.5, -0.5]
    assert team.rewards("points").tolist() == pytest.approx([0.035, -0.05, 0.035, -0.02])
    void = play(at([["b1"], ["b2"]], n=2, draw_pile=[], discard_pile=["r5"]), "pass", "pass")
    assert [void.rewards(scheme).tolist() for scheme in ("win", "points", "match")] == [[0, 0]] * 3
    shared = play(
        at([["r1"], ["b5"], ["r2"]], n=3, rules={"scoring": "keep_own", "target": 10}, scores=[2, 5, 0], draw_pile=["g1"]), "r1"
    )
    assert shared.scores == [2, 10, 2]
    assert shared.rewards("match").tolist() == [0.5, -1, 0.5]


def test_state_view() -> None:
    game = at([["r1", "b9"]], below=["g1"], draw_pile=["y1", "y2"])
    state = game.state
    assert (state.draw_size, state.discard_size, state.current_phase) == (2, 2, Phase.PLAY)
    assert [cards.KIND_TEXTS[k] for k in state.draw_pile] == ["y1", "y2"]
    assert [cards.KIND_TEXTS[k] for k in state.discard_pile] == ["g1", "r5"]
    with pytest.raises(AttributeError, match="no field 'draws'"):
        _ = state.draws
    with pytest.raises(AttributeError, match=r"use row\('hands'\)"):
        _ = state.hands
    row = state.row("scores")
    row[0] = 9
    assert game.scores[0] == 0
    assert State(new_states(3), 2).phase == 0


def test_a_position_is_not_kept() -> None:
    """What a caller does with its position afterwards changes neither the game nor its transcript."""
    position = position_at([["r1", "b9"]])
    game = Game.from_position(position)
    told = game.transcript()
    position["hands"][0].append("W")
    position["draw_pile"].clear()
    assert game.transcript() == told
    assert Game.replay(told).to_bytes() == game.to_bytes()
    game.position()["hands"][0].clear()
    assert game.hand(0) == ["r1", "b9"]

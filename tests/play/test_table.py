"""The table as a state machine: who may act, undo, the end of rounds and matches, agents that fail."""

from __future__ import annotations

import random

import pytest

from agents import load
from tests.play.seating import a_table, act_at_random, at_position, let_agents_play
from tests.positions import position_at
from train.play import find_adviser
from train.playing.table import Player, Refused, Table, human_seats, seat_players, think
from uno_env import Game, Rules
from uno_env.rules import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("people", [1, 2])
def test_every_preset_is_played_to_the_end_of_its_rounds(preset: str, people: int) -> None:
    rng = random.Random(preset)
    table = a_table(preset, people=people, seed=3)
    for round_number in range(1, 4):
        assert table.game.state.round == round_number
        while not table.game.over:
            let_agents_play(table)
            if not table.game.over:
                assert table.asks(table.game.actor)
                assert table.game.actor in table.people
                act_at_random(table, rng)
        if table.match_over:
            break
        table.next_round(table.people[-1])
    if not table.match_over:
        with pytest.raises(Refused, match="between its rounds"):
            table.stop(0)
        while not table.game.over:
            let_agents_play(table)
            if not table.game.over:
                act_at_random(table, rng)
        if not table.match_over:
            table.stop(0)
    # What is saved is the match, byte for byte.
    assert Game.replay(table.transcript(0)).to_bytes() == table.game.to_bytes()
    table.new_match(0)
    assert table.game.state.round == 1
    assert not table.match_over


def test_only_the_seat_that_decides_may_act_and_only_legally() -> None:
    table = a_table(people=2)
    before = table.game.to_bytes()
    assert table.people == [0, 2]
    actor = table.game.actor
    assert actor in table.people  # seed 1
    legal = table.game.legal_texts()[0]
    for seat in set(range(4)) - {actor}:
        with pytest.raises(Refused, match="not for you" if seat in table.people else "not a person's"):
            table.act(seat, legal)
    for nonsense in ("", "r55", "swap:1", "\0", "x" * 10_000):
        with pytest.raises(Refused, match="not possible now"):
            table.act(actor, nonsense)
    assert table.decision() is None
    assert table.game.to_bytes() == before


def test_undo_takes_back_a_decision_and_all_that_followed() -> None:
    table = a_table("party", practice=True, seed=8)
    rng = random.Random(0)
    let_agents_play(table)
    states = []
    for _ in range(10):
        states.append((table.game.to_bytes(), list(table.log)))
        act_at_random(table, rng)
        let_agents_play(table)
        if table.game.over:
            table.next_round(0)
            let_agents_play(table)
    for record, log in reversed(states):
        table.undo(0)
        assert (table.game.to_bytes(), table.log) == (record, log)
    with pytest.raises(Refused, match="nothing to take back"):
        table.undo(0)


def test_undo_while_an_agent_thinks_drops_its_answer() -> None:
    table = a_table(practice=True, num_players=2)
    let_agents_play(table)
    table.act(0, "draw")
    while table.asks(0):
        table.act(0, table.game.legal_texts()[-1])
    decision = table.decision()
    assert decision is not None
    action = think(decision)
    table.undo(0)
    now = table.game.to_bytes()
    assert table.answer(decision, action) is None
    assert table.game.to_bytes() == now


def test_undo_is_refused_outside_practice_and_practice_with_two_people() -> None:
    table = a_table(num_players=2)
    let_agents_play(table)
    table.act(0, table.game.legal_texts()[0])
    with pytest.raises(Refused, match="practice mode only"):
        table.undo(0)
    with pytest.raises(ValueError, match="one person"):
        a_table(people=2, practice=True)


def test_a_match_tells_its_cards_only_when_it_is_over() -> None:
    table = a_table(practice=True)
    with pytest.raises(Refused, match="hidden cards"):
        table.transcript(0)
    table.stop(0)
    assert Game.replay(table.transcript(0)).to_bytes() == table.game.to_bytes()
    assert table.decision() is None
    for step in (table.undo, table.next_round, table.stop):
        with pytest.raises(Refused):
            step(0)
    with pytest.raises(Refused, match="not for you"):
        table.act(0, "draw")


def test_a_person_can_forget_to_call_and_is_caught() -> None:
    position = position_at([["r1", "r2"]], top="r5", rules="official")
    table = at_position(a_table(vs="rule"), position)
    table.act(0, "r1")
    let_agents_play(table)
    assert len(table.game.hand(0)) == 3
    called = at_position(a_table(vs="rule"), position)
    called.act(0, "uno")
    called.act(0, "r1")
    let_agents_play(called)
    assert len(called.game.hand(0)) == 1


class Broken:
    """An agent that raises, or answers nonsense."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, view: object) -> int:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize("answer", [RuntimeError("boom"), 90, -3, "r5", None, 10**30])
def test_an_agent_that_fails_does_not_end_the_game(answer: object, capsys: pytest.CaptureFixture[str]) -> None:
    rules = Rules.preset("research", num_players=2)
    table = Table(rules, seat_players(rules, [0], [("broken", Broken(answer))]), seed=4)
    rng = random.Random(1)
    while not table.game.over:
        let_agents_play(table)
        if not table.game.over:
            act_at_random(table, rng)
    assert "broken" in capsys.readouterr().err.lower()


def test_people_are_spread_and_agents_seated() -> None:
    assert [human_seats(k, 4) for k in (1, 2, 3, 4)] == [[0], [0, 2], [0, 1, 2], [0, 1, 2, 3]]
    for wrong in (0, 5):
        with pytest.raises(ValueError, match="expected 1 to 4"):
            human_seats(wrong, 4)
    rule, rand = load("rule"), load("random")
    players = seat_players(Rules.preset("official"), [0, 2], [("rule", rule), ("random", rand)])
    assert [player.spec for player in players] == ["", "rule", "", "random"]
    assert [player.name for player in players] == ["Player 1", "Ada", "Player 2", "Ben"]
    with pytest.raises(ValueError, match="2 opponents: expected 1, or 3"):
        seat_players(Rules.preset("official"), [0], [("rule", rule), ("random", rand)])
    with pytest.raises(ValueError, match="3 players for 4 seats"):
        Table(Rules.preset("official"), [Player("a"), Player("b"), Player("c")])


def test_an_agent_for_another_size_of_table_is_refused() -> None:
    agent = Broken(0)
    agent.num_players = 2  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="plays with 2 players; this table has 4"):
        seat_players(Rules.preset("official"), [0], [("champion", agent)])


def test_the_champion_plays_everywhere() -> None:
    champion = load("champion")
    rules = Rules.preset("party", num_players=6)
    assert seat_players(rules, [0], [("champion", champion)])[1].spec == "champion"
    adviser = find_adviser(None, rules)
    assert adviser is not None
    assert adviser[0] == "champion"
    assert find_adviser("none", Rules.preset("official")) is None

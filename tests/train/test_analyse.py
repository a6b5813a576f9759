"""What agents think of a position: probabilities and win rates against games played one by one."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
import torch

import agents
from agents.network import Actor, NetworkConfig
from agents.torch_policy import TorchPolicy
from train.analyse import analyse, main, picture, text_table
from train.drawing import render
from uno_env.game import Game
from uno_env.notation import IllegalAction, PositionError
from uno_env.rules import Rules
from uno_env.state import DRAW
from uno_env.view import View

PILE = ["y1", "g2", "b4", "r9", "y9", "g8", "b1", "y4"]
WON: dict[str, Any] = {
    "rules": "research",
    "hands": [["r5"], ["b3", "b9", "g6"]],
    "discard_pile": ["r7"],
    "draw_pile": PILE,
}
"""The next card wins the round."""
OPEN: dict[str, Any] = WON | {"hands": [["r5", "rS", "g5", "W"], ["b3", "b9", "g6"]]}


class First:
    """The legal action with the least id: deterministic."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return masks.argmax(axis=1)


class Dice:
    """Without a batch: the first legal action nine times in ten, else the last."""

    def act(self, view: View) -> int:
        legal = np.flatnonzero(view.action_mask)
        return int(legal[0] if view.rng.random() < 0.9 else legal[-1])


class Wrong:
    """Draws, whether it may or not."""

    def act(self, view: View) -> int:
        return DRAW


def network(players: int = 2) -> TorchPolicy:
    torch.manual_seed(5)
    config = NetworkConfig(num_players=players, width=8, layers=1)
    return TorchPolicy(Actor(config), config, Rules.preset("research", num_players=players))


def test_a_winning_card_wins() -> None:
    found = analyse(WON, {"rule": agents.load("rule"), "first": First()}, rollouts=60, asks=50)
    assert found.actions == ("r5", "draw")
    for opinion in found.opinions:
        assert opinion.wins is not None
        wins, draws = opinion.wins
        # 60 of 60: the true rate p with p^60 = 0.025 is the least that is not refuted.
        assert (wins.mean, wins.low, wins.high) == (1, pytest.approx(0.025 ** (1 / 60)), 1)
        assert draws.mean < 1
        assert draws.high is not None
        assert opinion.probabilities[0].mean == 1
        assert opinion.close() == [True, False]


def test_win_rates_are_those_of_games_played_one_by_one() -> None:
    rollouts, seed = 25, 3
    found = analyse(OPEN, {"first": First()}, rollouts=rollouts, asks=5, seed=seed)
    (opinion,) = found.opinions
    assert opinion.wins is not None
    worlds = np.random.SeedSequence(seed, spawn_key=(0,)).generate_state(rollouts, np.uint64)
    for action, wins in zip(found.actions, opinion.wins, strict=True):
        won = 0
        for world in worlds:
            game = Game.from_position(OPEN).resample(0, int(world))
            game.push(action)
            while not game.over:
                game.push(game.legal_actions()[0])
            assert game.outcome is not None
            won += 0 in game.outcome.winners
        assert wins.mean == pytest.approx(won / rollouts), action


def test_what_the_player_cannot_know_changes_nothing() -> None:
    players = {"rule": agents.load("rule"), "dice": Dice(), "network": network()}
    shown = OPEN | {"hands": [OPEN["hands"][0], ["y1", "g2", "b4"]], "draw_pile": ["b3", "b9", "g6", *PILE[:2:-1]]}
    one, other = (analyse(position, players, rollouts=5, asks=20) for position in (OPEN, shown))
    assert one.opinions[0].probabilities == other.opinions[0].probabilities
    for mine, theirs in zip(one.opinions, other.opinions, strict=True):
        assert (mine.probabilities, mine.wins) == (theirs.probabilities, theirs.wins)


def test_probabilities_of_agents_that_tell_and_of_agents_that_do_not() -> None:
    policy, asks = network(), 400
    found = analyse(OPEN, {"network": policy, "dice": Dice()}, rollouts=0, asks=asks)
    told, asked = found.opinions
    game = Game.from_position(OPEN)
    weights = np.exp(policy.logits(game.observe(0)[None])[0][game.legal_actions()].astype(np.float64))
    assert told.exact
    assert [p.mean for p in told.probabilities] == pytest.approx((weights / weights.sum()).tolist())
    assert told.probabilities[0].low is None
    assert not asked.exact
    assert told.wins is None
    first, *middle, last = asked.probabilities
    assert first.low is not None
    assert first.high is not None
    assert first.mean + last.mean == pytest.approx(1)
    assert all(p.mean == 0 for p in middle)
    assert abs(first.mean - 0.9) < 5 * np.sqrt(0.9 * 0.1 / asks)
    assert first.low < first.mean < first.high
    policy.greedy = True
    greedy = analyse(OPEN, {"network": policy}, rollouts=0, asks=10).opinions[0]
    assert sorted(p.mean for p in greedy.probabilities)[-2:] == [0, 1]


def test_the_same_seed_gives_the_same_result_whoever_else_is_asked() -> None:
    dice, rule = Dice(), agents.load("rule")
    both = analyse(OPEN, {"dice": dice, "rule": rule}, rollouts=10, asks=30, seed=4)
    alone = analyse(OPEN, {"rule": rule}, rollouts=10, asks=30, seed=4)
    assert (both.opinions[1].probabilities, both.opinions[1].wins) == (alone.opinions[0].probabilities, alone.opinions[0].wins)
    played = analyse(OPEN, {"dice": dice}, rollouts=10, asks=30, seed=4, playout=("rule", rule))
    assert played.opinions[0].probabilities == both.opinions[0].probabilities
    assert played.opinions[0].wins == alone.opinions[0].wins
    other = analyse(OPEN, {"rule": rule}, rollouts=10, asks=30, seed=5)
    assert other.opinions[0].wins != alone.opinions[0].wins


@pytest.mark.parametrize(("teams", "rate"), [(2, 1.0), (None, 0.0)])
def test_a_team_wins_together(teams: int | None, rate: float) -> None:
    # Seat 0 plays r1; seat 1 can only draw the r7, the one card there is to draw, and plays it; seat 2 goes out with its r2.
    known = [{"seat": 0, "holder": holder, "cards": cards} for holder, cards in ((1, ["b3", "b9"]), (2, ["r2"]), (3, ["y3", "y9"]))]
    position = {
        "rules": {"teams": teams, "uno_call": "auto", "target": None},
        "hands": [["r1", "b5"], ["b3", "b9"], ["r2"], ["y3", "y9"]],
        "discard_pile": ["r7"],
        "known": known,
    }
    found = analyse(position, {"first": First()}, rollouts=5, asks=5)
    assert found.opinions[0].wins is not None
    assert found.opinions[0].wins[found.actions.index("r1")].mean == rate


@pytest.mark.parametrize(
    ("position", "players", "options", "kind", "message"),
    [
        (OPEN | {"colour": "x"}, {"first": First()}, {}, PositionError, "colour"),
        ({"hands": [["r5"]]}, {"first": First()}, {}, PositionError, "num_players"),
        (OPEN, {"network": network(4)}, {}, ValueError, "plays with 4 players; this position has 2"),
        (OPEN, {}, {}, ValueError, "none given"),
        (OPEN, {"first": First()}, {"rollouts": -1}, ValueError, "rollouts=-1"),
        (OPEN, {"first": First()}, {"asks": 0}, ValueError, "asks=0"),
        (OPEN, {"first": First()}, {"seed": -1}, ValueError, "seed=-1"),
        (
            {"rules": {"voluntary_draw": False}, **{k: v for k, v in OPEN.items() if k != "rules"}},
            {"wrong": Wrong()},
            {},
            IllegalAction,
            "agent wrong",
        ),
    ],
)
def test_refusals(position: Any, players: Any, options: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        analyse(position, players, **options)


def test_a_round_that_is_over_has_no_decision() -> None:
    game = Game.from_position(WON)
    game.push("r5")
    with pytest.raises(PositionError, match="over"):
        analyse(game.position(), {"first": First()})


@pytest.mark.parametrize("rollouts", [0, 8])
def test_the_picture(rollouts: int) -> None:
    found = analyse(OPEN, {"rule": agents.load("rule"), "network": network()}, rollouts=rollouts, asks=20)
    figure = picture(found, np.full((80, 120, 3), 99, np.uint8))
    panels = figure.axes
    assert len(panels) == 1 + 2 * (2 if rollouts else 1)
    assert [label.get_text() for label in panels[1].get_yticklabels()] == list(found.actions)
    assert [bar.get_width() for bar in panels[1].patches] == pytest.approx(  # type: ignore[attr-defined]
        [100 * p.mean for p in found.opinions[0].probabilities]
    )
    files = render(figure)
    assert matplotlib.image.imread(io.BytesIO(files["png"]))[..., :3].std() > 0.05
    assert ElementTree.fromstring(files["svg"]).tag.endswith("svg")
    assert text_table(found).row_count == len(found.actions)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = tmp_path / "position.json", tmp_path / "new" / "analysis.png"
    path.write_text(json.dumps(WON))
    arguments = ["rule", f"{__name__}:Dice", "--rollouts", "10", "--asks", "20", "--seed", "2"]
    assert main([str(path), *arguments, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "seat 0 of 2 decides in PLAY: top r7, colour r" in printed
    line = next(line for line in printed.splitlines() if "r5" in line)
    assert "100.0 [69.2, 100.0] *" in line, "10 of 10, and 0.025^(1/10) = 0.6915"
    assert "asked 20 times" in printed
    assert matplotlib.image.imread(out).ndim == 3
    assert [file.name for file in out.parent.iterdir()] == ["analysis.png"]
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(WON)))
    assert main(["-", *arguments, "--playout", "rule", "--out", str(tmp_path / "analysis.svg")]) == 0
    assert "rule in all seats" in capsys.readouterr().out
    assert ElementTree.parse(tmp_path / "analysis.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, ["rule"], "No such file"),
        ("{", ["rule"], "not JSON"),
        ("[]", ["rule"], "a position is a mapping"),
        (json.dumps(WON | {"hands": [["r5"], ["r10"]]}), ["rule"], "hands: unknown card 'r10'"),
        (json.dumps(WON), ["nobody"], "unknown agent 'nobody'"),
        (json.dumps(WON), ["rule", "--playout", "nobody"], "unknown agent 'nobody'"),
        (json.dumps(WON), ["rule", "rule"], "given twice"),
        (json.dumps(WON), ["rule", "--rollouts", "-3"], "rollouts=-3"),
        (json.dumps(WON), ["rule", "--threads", "0"], "--threads 0"),
        (json.dumps(WON), ["rule", "--out", "x.bmp"], ".png, .svg, .pdf"),
    ],
)
def test_a_mistake_writes_nothing(
    text: str | None, arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "position.json", tmp_path / "analysis.png"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit) as stopped:
        main([str(path), "--out", str(out), *arguments])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ([] if text is None else ["position.json"])

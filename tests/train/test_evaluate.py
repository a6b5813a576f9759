"""Cross-play: each game of the batch is the game that was asked for, and the figures made of them are right."""

from __future__ import annotations

import json
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from train import evaluate as evaluation
from train.arena import MAX_VOID_ROUNDS, deal_seeds, play, rotations
from train.bluffs import WildDrawFours
from train.estimate import Estimate, student
from train.evaluate import deal_sets, default_rules, evaluate, main
from uno_env.game import Game
from uno_env.notation import IllegalAction
from uno_env.rules import Rules
from uno_env.state import CHALLENGE, DRAW, Phase

RESEARCH = Rules.preset("research", num_players=2)
ZEROS = {"r0": 6, "y0": 6, "rS": 2, "y1": 2, "W": 1}
"""A deck in which hands often count nothing, so that matches are shared."""


class Batched:
    """What all agents with batches share: one decision is a batch of one."""

    def act(self, view: Any) -> int:
        return int(self.act_batch(view.observation[None], view.action_mask[None], view.rng)[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        raise NotImplementedError


class First(Batched):
    """The legal action with the least id: deterministic."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return action_masks.argmax(axis=1)


class Hashed(Batched):
    """A legal action that depends on the whole observation, and a draw only when nothing else is legal: deterministic."""

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        weights = np.random.default_rng(self.seed).integers(1, 1000, observations.shape[1])
        masks = action_masks.copy()
        masks[:, DRAW] *= masks.sum(axis=1) == 1
        place = (observations.astype(np.int64) @ weights) % masks.sum(axis=1)
        return (masks.cumsum(axis=1) > place[:, None]).argmax(axis=1)


class Coin(Batched):
    """Any legal action but a needless draw, at random."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        noise = rng.random(action_masks.shape) * action_masks
        noise[:, DRAW] *= 1e-9
        return noise.argmax(axis=1)


class Looks:
    """`First` for agents without a batch."""

    def act(self, view: Any) -> int:
        return int(np.flatnonzero(view.action_mask)[0])


class Trained(First):
    """An agent that says what it was trained for."""

    rules = Rules.preset("digital", num_players=3)
    num_players = 3


def one_by_one(agents: list[Any], seating: list[int], rules: Rules, seed: int, episode: str) -> tuple[Game, np.ndarray, int]:
    """The same game played in a `Game`: its end, the points of all its rounds, and the number of decisions."""
    game = Game(rules, seed=seed)
    points, length = np.zeros(rules.num_players), 0
    rng = np.random.default_rng(0)
    while True:
        while not game.over:
            agent = agents[seating[game.actor]]
            game.push(int(agent.act_batch(game.observe(game.actor)[None], game.action_mask()[None], rng)[0]))
            length += 1
        points += 100 * game.rewards("points").astype(np.float64)
        if episode == "round" or game.match_winners is not None:
            return game, points, length
        game.next_round()


@pytest.mark.parametrize(
    ("rules", "episode"),
    [
        (RESEARCH, "round"),
        (Rules.preset("official", num_players=3), "round"),
        (Rules.preset("party", num_players=4, teams=2), "round"),
        (Rules.preset("team", num_players=6, teams=3, scoring="keep_own"), "round"),
        (Rules.preset("official", num_players=2, target=150), "match"),
        (Rules.preset("official", num_players=3, target=80, scoring="keep_own"), "match"),
        (Rules.preset("team", target=100), "match"),
        (Rules(num_players=3, deck=ZEROS, hand_size=3, target=2, scoring="keep_own", voluntary_draw=False), "match"),
        (Rules(num_players=3, deck=ZEROS, hand_size=3, target=2, voluntary_draw=False), "match"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_every_game_is_the_game_that_was_asked_for(rules: Rules, episode: Any) -> None:
    deals, agents = 12, [First(), Hashed()]
    seatings = rotations(rules)
    # A small batch, so that games follow each other in a place and the batch shrinks at the end.
    games = play(agents, seatings, rules, deals=deals, seed=3, episode=episode, batch=5)
    for d, seed in enumerate(deal_seeds(3, deals)):
        for r, seating in enumerate(seatings.tolist()):
            game, points, length = one_by_one(agents, seating, rules, int(seed), episode)
            assert game.outcome is not None
            won = game.match_winners if episode == "match" else game.outcome.winners
            credit = [1 / len(won) if won and seat in won else 0 for seat in range(rules.num_players)]
            assert games.wins[d, r].tolist() == credit
            np.testing.assert_allclose(games.points[d, r], points, atol=1e-3)
            assert games.scores[d, r].tolist() == game.scores
            assert games.lengths[d, r] == length
            assert not games.truncated[d, r]
            assert games.void[d, r] == (not won)
    if rules.deck == ZEROS and rules.scoring == "keep_own":
        assert ((games.wins > 0) & (games.wins < 1)).any(), "no shared match: the test shows less than it should"


def test_each_side_gives_every_place_once() -> None:
    assert rotations(RESEARCH).tolist() == [[0, 1], [1, 0]]
    three = Rules.preset("research", num_players=3)
    assert rotations(three).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert rotations(Rules.preset("team")).tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    assert rotations(Rules.preset("team", num_players=6, teams=3)).tolist() == [
        [0, 1, 1, 0, 1, 1],
        [1, 0, 1, 1, 0, 1],
        [1, 1, 0, 1, 1, 0],
    ]


@pytest.mark.parametrize("agent", [First, Hashed])
@pytest.mark.parametrize(
    "rules", [RESEARCH, Rules.preset("official"), Rules.preset("team"), Rules.preset("digital", num_players=7)]
)
def test_a_deterministic_agent_against_itself_wins_its_share_of_every_deal(agent: type, rules: Rules) -> None:
    games = play([agent(), agent()], rotations(rules), rules, deals=40, seed=1)
    decided = ~games.void.any(axis=1)
    assert decided.sum() > 30
    sides = rules.teams or rules.num_players
    np.testing.assert_allclose(games.of(0, games.wins)[decided], 1 / sides)
    np.testing.assert_allclose(games.of(0, games.points), 0, atol=1e-9)
    if sides == 2:
        own = Estimate.of(games.of(0, games.wins)[decided], bounds=(0, 1))
        assert (own.mean, own.low, own.high) == (0.5, 0.5, 0.5)


def test_an_agent_that_draws_lots_wins_its_share_against_itself() -> None:
    agent = Coin()
    for rules in (RESEARCH, Rules.preset("research", num_players=4)):
        games = play([agent, agent], rotations(rules), rules, deals=4000 // rules.num_players, seed=2)
        rate = Estimate.of(games.of(0, games.wins), bounds=(0, 1))
        assert rate.standard_error is not None
        assert abs(rate.mean - 1 / rules.num_players) < 4 * rate.standard_error
        assert games.wins.sum() == pytest.approx((~games.void).sum())


def test_the_same_arguments_give_the_same_games() -> None:
    def points(**changes: Any) -> list[float]:
        agents = changes.pop("agents", [Coin(), Hashed()])
        return (
            play(agents, rotations(RESEARCH), RESEARCH, **({"deals": 60, "seed": 5, "batch": 50} | changes)).points.ravel().tolist()
        )

    assert points() == points() == points(threads=2)
    assert points(seed=6) != points()
    deterministic = [First(), Hashed()]
    plain = points(agents=deterministic)
    assert plain == points(agents=deterministic, batch=1) == points(agents=deterministic, batch=5000)
    assert plain == points(agents=deterministic, deals=90)[: len(plain)], "more deals go on where fewer ended"


def test_an_agent_without_batches_plays_as_well() -> None:
    seatings = rotations(RESEARCH)
    watched = play([Looks(), Hashed()], seatings, RESEARCH, deals=10, seed=4)
    assert watched.points.tolist() == play([First(), Hashed()], seatings, RESEARCH, deals=10, seed=4).points.tolist()


def test_games_cut_off_are_won_by_nobody() -> None:
    short = Rules.preset("research", num_players=2, max_turns=2)
    games = play([First(), Hashed()], rotations(short), short, deals=10)
    assert games.truncated.all()
    assert not games.void.any()
    assert not games.wins.any()
    result = evaluate({"a": First(), "b": Hashed()}, rules=short, games=20)
    assert [p.win_rate.mean for p in result.pairings] == [0, 0]
    assert [p.truncated for p in result.pairings] == [1, 1]
    assert "100.00% cut off" in result.table()


def test_a_match_without_end_is_cut_off() -> None:
    short = Rules.preset("official", num_players=2, max_turns=2)
    rounds = []

    def watch(vector: Any, rows: np.ndarray, who: np.ndarray, chosen: np.ndarray) -> None:
        rounds.append(int(vector.states["round"][rows].max()))

    games = play([First(), Hashed()], rotations(short), short, deals=3, episode="match", batch=1, watch=watch)
    assert games.truncated.all()
    assert not games.wins.any()
    assert max(rounds) == MAX_VOID_ROUNDS
    assert (games.lengths >= 2 * MAX_VOID_ROUNDS).all(), "each game has its own count of rounds"


def test_void_rounds_are_counted_apart() -> None:
    rules = Rules.preset("mini", hand_size=3)
    games = play([First(), Hashed()], rotations(rules), rules, deals=300)
    assert games.void.any(), "no stalemate: the test shows less than it should"
    assert (games.wins.sum(axis=2) == ~games.void).all()


def test_errors_name_the_agent() -> None:
    class Wrong(First):
        answer: Any = np.array([72.5])

        def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            return np.repeat(self.answer, len(observations))

    def run(answer: Any) -> None:
        wrong = Wrong()
        wrong.answer = answer
        play([First(), wrong], [[1, 0]], RESEARCH, deals=1, names=("first", "wrong"))

    with pytest.raises(ValueError, match=r"agent wrong: expected integer actions \[1\], got float64 \[1\]"):
        run(np.array([0.5]))
    with pytest.raises(ValueError, match=r"agent wrong: expected integer actions \[1\], got int64 \[2\]"):
        run(np.array([1, 2]))
    with pytest.raises(IllegalAction, match=r"agent wrong: action 77 \(catch\); legal: .*draw"):
        run(np.array([77]))
    with pytest.raises(IllegalAction, match=r"agent wrong: action -1 \(no action\)"):
        run(np.array([-1]))
    with pytest.raises(ValueError, match=r"seatings \[1, 3\]: expected \[R, 2\]"):
        play([First()], [[0, 0, 0]], RESEARCH, deals=1)
    with pytest.raises(ValueError, match="seatings name agents 0 to 1: there are 1"):
        play([First()], [[0, 1]], RESEARCH, deals=1)
    with pytest.raises(ValueError, match="deals=0"):
        play([First()], [[0, 0]], RESEARCH, deals=0)
    with pytest.raises(ValueError, match="batch=0"):
        play([First()], [[0, 0]], RESEARCH, deals=1, batch=0)


# Intervals ------------------------------------------------------------------------------------------------------------


def test_the_interval_is_that_of_the_mean_over_deals() -> None:
    games = play([Coin(), Hashed()], rotations(RESEARCH), RESEARCH, deals=400, seed=7)
    result = evaluate({"coin": Coin(), "hashed": Hashed()}, rules=RESEARCH, games=800, seed=7).pairing("coin", "hashed")
    # By hand: the first agent sits in seat 0, then in seat 1 of the same deal.
    per_deal = [(deal[0][0] + deal[1][1]) / 2 for deal in games.wins.tolist()]
    mean = sum(per_deal) / 400
    variance = sum((x - mean) ** 2 for x in per_deal) / 399
    half = student(399) * (variance / 400) ** 0.5
    assert result.deals == 400
    assert result.games == 800
    assert result.win_rate.units == 400
    assert result.win_rate.mean == pytest.approx(mean)
    assert result.win_rate.low == pytest.approx(mean - half)
    assert result.win_rate.high == pytest.approx(mean + half)
    gained = [(deal[0][0] + deal[1][1]) / 2 for deal in games.points.tolist()]
    assert result.points.mean == pytest.approx(sum(gained) / 400)
    assert result.score.mean == pytest.approx(sum((deal[0][0] + deal[1][1]) / 2 for deal in games.scores.tolist()) / 400)


def test_student_agrees_with_tables() -> None:
    # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, 0.975
    known = {1: 12.706, 2: 4.303, 5: 2.571, 6: 2.447, 7: 2.365, 10: 2.228, 20: 2.086, 30: 2.042, 100: 1.984}
    for df, quantile in known.items():
        assert student(df) == pytest.approx(quantile, abs=0.002)
    assert student(10**9) == pytest.approx(1.96, abs=1e-3)
    with pytest.raises(ValueError, match="df=0"):
        student(0)


@pytest.mark.parametrize("deals", [10, 40, 500])
def test_intervals_cover_the_truth_95_times_in_100(deals: int) -> None:
    """Deals of four games that share their luck: the interval over deals holds, one over games as if independent would not."""
    rng = np.random.default_rng(deals)
    covered = naive = 0
    repeats, truth = 1500, 0.4
    for _ in range(repeats):
        luck = rng.uniform(-0.2, 0.2, (deals, 2)).sum(axis=1, keepdims=True)
        games = truth + luck + rng.uniform(-0.1, 0.1, (deals, 4))
        interval = Estimate.of(games.mean(axis=1), bounds=(0, 1))
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= truth <= interval.high
        half = student(games.size - 1) * games.std(ddof=1) / games.size**0.5
        naive += abs(games.mean() - truth) <= half
    assert 0.93 < covered / repeats < 0.97  # three standard errors are 0.017
    assert naive / repeats < 0.8


def test_an_interval_at_the_edge() -> None:
    everything = Estimate.of(np.ones(20), bounds=(0, 1))
    # Clopper and Pearson for 20 of 20: 0.025 ** (1 / 20)
    assert everything.low == pytest.approx(0.8316, abs=1e-4)
    assert everything.high == 1
    nothing = Estimate.of(np.zeros(20), bounds=(0, 1))
    assert (nothing.low, nothing.high) == pytest.approx((0, 1 - 0.8316), abs=1e-4)
    assert Estimate.of([0.5], bounds=(0, 1)) == Estimate(0.5, 0, 1, None, 1)
    assert Estimate.of([12.0]).text() == "12.0 [?]"
    assert Estimate.of([0.0, 1.0], bounds=(0, 1)).text(100) == "50.0 [0.0, 100.0]"
    with pytest.raises(ValueError, match="no values"):
        Estimate.of([])


# Cross-play -----------------------------------------------------------------------------------------------------------


def test_two_sides_play_each_pair_once_and_read_it_both_ways() -> None:
    result = evaluate({"first": First(), "coin": Coin(), "hashed": Hashed()}, rules="research", num_players=2, games=200)
    assert [(p.agent, p.opponent) for p in result.pairings] == [
        ("first", "coin"),
        ("first", "hashed"),
        ("coin", "first"),
        ("coin", "hashed"),
        ("hashed", "first"),
        ("hashed", "coin"),
    ]
    assert result.games == 600
    assert result.games_per_second > 0
    matrix = result.win_rates()
    assert np.isnan(np.diag(matrix)).all()
    for one in result.pairings:
        other = result.pairing(one.opponent, one.agent)
        assert one.win_rate.mean + other.win_rate.mean + one.void + one.truncated == pytest.approx(1)
        assert one.points.mean == pytest.approx(-other.points.mean)
        assert matrix[result.agents.index(one.agent), result.agents.index(one.opponent)] == one.win_rate.mean
    with pytest.raises(KeyError, match="'first' against 'nobody'"):
        result.pairing("first", "nobody")


def test_more_sides_play_one_against_copies_of_the_other() -> None:
    rules = Rules.preset("research", num_players=3)
    agents = {"first": First(), "hashed": Hashed()}
    result = evaluate(agents, rules=rules, games=300, seed=9)
    assert result.games == 600
    assert result.sides == 3
    for name, opponent in (("first", "hashed"), ("hashed", "first")):
        games = play([agents[name], agents[opponent]], rotations(rules), rules, deals=100, seed=9)
        alone = np.mean([games.wins[:, r, r].mean() for r in range(3)])
        assert result.pairing(name, opponent).win_rate.mean == pytest.approx(alone)
        score = np.mean([games.scores[:, r, r].mean() for r in range(3)])
        assert result.pairing(name, opponent).score.mean == pytest.approx(score)


def test_teams_play_a_side_against_a_side() -> None:
    result = evaluate({"first": First(), "hashed": Hashed()}, rules="team", games=200)
    assert result.sides == 2
    assert result.games == 200
    one, other = result.pairings
    assert one.win_rate.mean + other.win_rate.mean + one.void == pytest.approx(1)
    assert one.points.mean == pytest.approx(-other.points.mean)


def test_opponents_are_met_without_meeting_each_other() -> None:
    result = evaluate({"first": First()}, opponents={"coin": Coin(), "hashed": Hashed()}, rules=RESEARCH, games=20)
    assert [(p.agent, p.opponent) for p in result.pairings] == [("first", "coin"), ("first", "hashed")]
    head, row = result.table().splitlines()[1:3]
    assert head.split() == ["coin", "hashed"]
    assert row.startswith("first")


def test_an_agent_plays_by_the_rules_it_is_told() -> None:
    class Told(First):
        told: Rules | None = None

        def for_rules(self, rules: Rules) -> First:
            self.told = rules
            return First()

        def act_batch(self, *_: Any) -> Any:
            raise AssertionError("asked before it knew the rules")

    agent = Told()
    evaluate({"told": agent, "first": First()}, rules=RESEARCH, games=4)
    assert agent.told == RESEARCH


def test_games_are_rounded_up_to_whole_deals() -> None:
    assert [deal_sets(games, RESEARCH) for games in (1, 2, 3, 20_000)] == [1, 1, 2, 10_000]
    assert deal_sets(1001, Rules.preset("research", num_players=4)) == 251
    assert deal_sets(10, Rules.preset("team")) == 5
    assert evaluate({"first": First(), "hashed": Hashed()}, rules=RESEARCH, games=3).games == 4
    with pytest.raises(ValueError, match="games=0"):
        deal_sets(0, RESEARCH)


def test_what_can_not_be_evaluated_is_refused() -> None:
    with pytest.raises(ValueError, match="it takes two"):
        evaluate({"first": First()})
    with pytest.raises(ValueError, match="'First' is given twice"):
        evaluate([First(), First()])
    with pytest.raises(ValueError, match="expected a list"):
        evaluate("random")
    with pytest.raises(ValueError, match=r"first: among the agents and the opponents"):
        evaluate({"first": First()}, opponents={"first": First()})
    with pytest.raises(ValueError, match="'trained' plays with 3 players; this table has 2"):
        evaluate({"trained": Trained(), "first": First()}, rules=RESEARCH)
    with pytest.raises(ValueError, match="needs rules with a target"):
        evaluate({"first": First(), "hashed": Hashed()}, rules=RESEARCH, episode="match")
    with pytest.raises(ValueError, match="no_such_agent"):
        evaluate(["random", "no_such_agent"], rules=RESEARCH)


# Wild Draw Fours ------------------------------------------------------------------------------------------------------


def test_bluffs_and_challenges_are_counted_as_the_engine_judges_them() -> None:
    rules = Rules.preset("research", num_players=2)
    agents, names, deals = [Hashed(1), Hashed(2)], ["one", "two"], 100
    counter = WildDrawFours(names)
    play(agents, rotations(rules), rules, deals=deals, seed=8, batch=30, watch=counter.watch(names))
    expected = {name: dict.fromkeys(("bluffs", "honest", "asked", "guilty", "challenges", "right"), 0) for name in counter.counts}
    rng = np.random.default_rng(0)
    for seed in deal_seeds(8, deals):
        for seating in ([0, 1], [1, 0]):
            game = Game(rules, seed=int(seed))
            while not game.over:
                who = seating[game.actor]
                count = expected[names[who]]
                action = int(agents[who].act_batch(game.observe(game.actor)[None], game.action_mask()[None], rng)[0])
                if game.phase is Phase.CHALLENGE:
                    guilty = game.state.guilty == 1
                    count["asked"] += 1
                    count["guilty"] += guilty
                    count["challenges"] += action == CHALLENGE
                    count["right"] += guilty and action == CHALLENGE
                colour, hand = "rygb"[max(game.state.colour, 0)], game.hand(game.actor)
                text = game.push(action).action
                if text.startswith("W4:"):
                    bluff = any(card[0] == colour for card in hand)
                    count["bluffs" if bluff else "honest"] += 1
                    if game.phase is Phase.CHALLENGE:
                        assert (game.state.guilty == 1) == bluff
    for name, count in expected.items():
        told = counter.to_dict()[name]
        assert {key: told[key] for key in count} == count
        assert told["could_bluff"] >= told["bluffs"]
        assert min(count.values()) > 5, "too few to show anything"
    assert "challenges if asked" in counter.table()


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_writes_table_json_and_heat_map(tmp_path: Any, capsys: Any) -> None:
    out = tmp_path / "deep" / "result"
    hashed = f"{__name__}:Hashed"
    main(["random", "rule", hashed, "--players", "2", "--games", "39", "--seed", "5", "--out", str(out)])
    printed = capsys.readouterr()
    assert "--games 39 rounded up to 40: 20 deals, each played 2 times" in printed.err
    assert "Wins in % of rounds" in printed.out
    assert "games per second" in printed.out
    assert "Wild Draw Four" in printed.out

    report = json.loads((out / "evaluation.json").read_text())
    assert report["agents"] == ["random", "rule", hashed]
    assert report["rules"] == RESEARCH.to_dict() | {"num_players": 2}
    assert Rules.from_dict(report["rules"]) == RESEARCH
    assert (report["seed"], report["episode"], report["games"]) == (5, "round", 120)
    assert report["games_per_second"] > 0
    assert report["expected_between_equals"] == 0.5
    assert len(report["pairings"]) == 6
    assert report["win_rates"][0][0] is None
    first = report["pairings"][0]
    assert (first["agent"], first["opponent"], first["games"], first["deals"]) == ("random", "rule", 40, 20)
    assert first["win_rate"]["low"] <= first["win_rate"]["mean"] <= first["win_rate"]["high"]
    assert report["win_rates"][0][1] == first["win_rate"]["mean"]
    assert {"points", "score", "truncated", "void", "mean_length"} <= set(first)
    assert set(report["wild_draw_four"]) == set(report["agents"])
    assert report["command"]
    assert report["time"]
    assert {"numpy", "numba", "git_commit"} <= set(report["versions"])

    picture = matplotlib.image.imread(out / "matrix.png")
    assert picture.ndim == 3
    assert min(picture.shape[:2]) > 300
    assert picture[..., :3].std() > 0.05, "an empty picture"


def test_the_command_takes_the_rules_of_a_trained_agent(tmp_path: Any, capsys: Any) -> None:
    trained = f"{__name__}:Trained"
    result = main([trained, "random", "--games", "6", "--out", str(tmp_path)])
    assert result.rules == Trained.rules
    assert "one side of row's against 2 of column's" in capsys.readouterr().out
    said = main([trained, "random", "--games", "6", "--rules", "official", "--players", "3", "--out", str(tmp_path)])
    assert said.rules == Rules.preset("official", num_players=3)


def test_trained_agents_of_different_rules_need_to_be_told() -> None:
    other = First()
    other.rules = RESEARCH  # type: ignore[attr-defined]
    assert default_rules({"first": First()}) == evaluation.DEFAULT_RULES
    assert default_rules({"first": First(), "a": Trained(), "b": Trained()}) == Trained.rules
    with pytest.raises(ValueError, match="say which by --rules"):
        default_rules({"a": Trained(), "b": other})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "no_such_agent"], "no_such_agent"),
        (["random"], "it takes two"),
        (["random", "random"], "given twice"),
        (["random", "rule", "--rules", "whist"], "whist"),
        (["random", "rule", "--players", "11"], "num_players=11"),
        (["random", "rule", "--games", "0"], "games=0"),
        (["random", "rule", "--threads", "0"], "--threads 0"),
        (["random", "rule", "--rules", "research", "--episode", "match"], "target"),
    ],
)
def test_the_command_says_what_is_wrong(arguments: list[str], message: str, tmp_path: Any, capsys: Any) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--out", str(tmp_path)])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# Saved games ----------------------------------------------------------------------------------------------------------


class Told(Hashed):
    """One that tells the likelihood of its actions."""

    def logits(self, observations: np.ndarray) -> np.ndarray:
        return np.tile(np.arange(91, dtype=np.float32) / 10, (len(observations), 1))


@pytest.mark.parametrize("episode", ["round", "match"])
def test_saved_games_are_the_games_that_were_played(episode: Any) -> None:
    rules = Rules.preset("party", num_players=3, target=100)
    saved: list[str] = []
    told = Told(2)
    result = play(
        [Hashed(1), told],
        [[0, 1, 1], [1, 0, 1]],
        rules,
        deals=6,
        seed=3,
        episode=episode,
        batch=5,
        names=["one", "two"],
        save=saved.append,
    )
    assert len(saved) == 12
    lengths = []
    for line in saved:
        game, transcript = Game.replay(line), json.loads(line)
        assert game.over
        assert (game.match_winners is not None) or episode == "round"
        assert game.seed in deal_seeds(3, 6).tolist()
        lengths.append(len(game.history))
        assert sorted(name.split(" ")[0] for name in transcript["names"]) == ["one", "two", "two"]
        again = Game(rules, game.seed)
        for action, note in zip(transcript["actions"], transcript["notes"], strict=True):
            if action == "next_round":
                assert note is None
                again.next_round()
                continue
            assert (note is not None) == transcript["names"][again.actor].startswith("two")
            if note is not None:
                assert set(note["probabilities"]) <= set(again.legal_texts())
                assert sum(note["probabilities"].values()) == pytest.approx(1, abs=0.01)
            again.push(action)
    assert sorted(lengths) == sorted(result.lengths.ravel().tolist())


def test_the_command_saves_games(tmp_path: Any) -> None:
    path = tmp_path / "games.jsonl"
    main(["random", "rule", "--players", "2", "--games", "6", "--out", str(tmp_path / "out"), "--save-games", str(path)])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6
    assert all(Game.replay(line).over for line in lines)

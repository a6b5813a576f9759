"""# Uno for one learner.

| Creation          | ``gymnasium.make("uno_env:Uno-v0")``, no other import is needed |
|-------------------|------------------------------------------------------------------|
| Action Space      | Discrete(91)                                                     |
| Observation Space | Box(-1, 127, (950,), int8)                                       |
| Legal actions     | ``info["action_mask"]`` (int8), ``action_masks()`` (bool)        |
| Players           | the learner and 1-9 opponents                                    |

One player of the game that `uno_env.uno_v0` describes learns; the environment plays the others, so that every step answers one
decision of the learner and comes back with the next one, or with the end. Observation, mask and actions are those of
`uno_env.uno_v0`, whose pages tell of each; here the observation is the flat vector alone.

### Arguments

``UnoEnv(*, rules="research", num_players=None, opponents=None, seat=0, episode="round", reward="win", illegal_action="end",
render_mode=None, viewpoint="learner", render_width=..., ansi_colour=False, save_games=None)``

* ``rules``: a preset's name, a `Rules`, a mapping of fields, or a YAML file's path.
* ``num_players``: 2-10, outranks the number in ``rules``.
* ``opponents``: who plays the other seats, see below.
* ``seat``: where the learner sits: a number, ``"random"`` (drawn for every episode) or ``"rotate"`` (the next seat with every
  `reset`; after ``reset(seed=s)`` it begins with seat ``s % num_players``). The round begins with seat 0 whatever ``seat`` is.
* ``episode``: ``"round"`` ends with the round, ``"match"`` plays rounds until a player reaches ``rules.target`` points.
* ``reward``: ``"win"``, ``"points"`` or ``"match"``: the learner's share of what `uno_env.uno_v0` pays. Several rounds of a match
  may end between two decisions of the learner: their rewards come together, those before its first decision with its first step.
* ``illegal_action``: ``"end"``: it ends the episode with reward -1, terminated; ``"raise"``: it raises `uno_env.IllegalAction` and
  changes nothing. What is no integer raises either way.
* ``render_mode``: ``"human"``, ``"rgb_array"``, ``"ansi"`` or None, as in `uno_env.uno_v0`; the window shows opponents too.
* ``viewpoint``: ``"learner"``: other hands lie face down; ``"all"``: all cards are shown.
* ``save_games``: a file that gets the transcript of every game that ends.

### Opponents

| ``opponents``             | Who plays                                                                                          |
|---------------------------|----------------------------------------------------------------------------------------------------|
| ``None``                  | `RandomCard`: a random playable card, built in                                                     |
| a name, a path            | what ``agents.load`` of the checkout makes of it: ``"random"``, a checkpoint, ...                  |
| ``"package.module:Name"`` | that class or function, called without arguments                                                   |
| an agent                  | any object with ``act(view)`` (`uno_env.view.Agent`); its ``act_batch`` and ``for_rules`` are used |
| ``{"pool": [...]}``       | one of these, drawn anew for each seat and episode; what stands there twice comes twice as often   |
| a list or tuple           | one of the above for each other seat, clockwise from the learner's left                            |

In a team game partners are among them: with two teams of two the partner is the second of three. Opponents are given a
`uno_env.view.View`, or copies of their observation and mask: they see no more than a player at their seat may.

### Randomness

``reset(seed=s)`` deals the game of ``Game(rules, seed=s)``; `reset` without a seed goes on with all generators, from a fresh seed
the first time. Each seat's opponent has a generator of its own, made from ``s``: the same seeds and actions give the same episodes.
A game that ends before the learner has decided anything is dealt again with the generator of the game.

### Version History

* v0: initial version (0.1.0)

"""

from __future__ import annotations

import importlib
import operator
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from uno_env.aec import UnoAEC, observation_space
from uno_env.cards import NUM_COLOURED, NUM_COLOURS
from uno_env.game import Game
from uno_env.observe import LAYOUT
from uno_env.render import table
from uno_env.rules import Rules
from uno_env.state import CATCH, CHALLENGE, DRAW, NUM_ACTIONS, PASS, UNO
from uno_env.view import Agent, View

ENV_ID = "Uno-v0"
"""Name in Gymnasium's registry; the version moves when behaviour moves."""

Player: TypeAlias = "str | Path | Agent | Mapping[str, Any] | None"
Opponents: TypeAlias = "Player | Sequence[Player]"

MAX_DEALS = 1000
"""So many games in a row may end before the learner decides anything; rules under which it never does are refused then."""


# Opponents --------------------------------------------------------------------------------------------------------------


class RandomCard:
    """The built-in opponent: any playable card of its hand, any colour, a coin for a challenge.

    It plays as the checkout's ``random`` does: it calls Uno, catches whoever did not, and draws, passes or accepts only when
    no card can be played.
    """

    def act(self, view: View) -> int:
        """A legal action of ``view``."""
        return self.choose(view.observation, view.action_mask, view.rng)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Legal actions, ``int64[M]``."""
        return np.array([self.choose(*pair, rng) for pair in zip(observations, action_masks, strict=True)], np.int64)

    @staticmethod
    def choose(observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        """One legal action."""
        for action in (UNO, CATCH):
            if mask[action]:
                return action
        cards = observation[LAYOUT["hand"].slice] * observation[LAYOUT["playable"].slice]
        held = np.repeat(np.arange(len(cards)), cards)
        if len(held):
            kind = int(held[rng.integers(len(held))])
            if kind < NUM_COLOURED:
                return kind
            return NUM_COLOURED + (kind - NUM_COLOURED) * NUM_COLOURS + int(rng.integers(NUM_COLOURS))
        if mask[CHALLENGE] and rng.integers(2):
            return CHALLENGE
        legal = np.flatnonzero(mask)
        others = legal[(legal != CHALLENGE) & (legal != PASS)]
        if mask[DRAW]:
            return DRAW
        return int(rng.choice(others if len(others) else legal))

    def __repr__(self) -> str:
        return "<agent RandomCard>"


def _imported(spec: str) -> Any:
    module, _, name = spec.partition(":")
    try:
        return getattr(importlib.import_module(module), name)()
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, something that it imports is not
        raise ValueError(f"opponents={spec!r}: there is no module {error.name!r}") from None
    except AttributeError:
        if hasattr(importlib.import_module(module), name):
            raise
        raise ValueError(f"opponents={spec!r}: module {module!r} has no {name!r}") from None


def _named(spec: str) -> Any:
    module, colon, name = spec.partition(":")
    if colon and name.isidentifier() and all(part.isidentifier() for part in module.split(".")):
        return _imported(spec)
    try:
        agents: Any = importlib.import_module("agents")
    except ModuleNotFoundError as error:
        if error.name != "agents":
            raise
        agents = None
    load: Callable[[str], Any] | None = getattr(agents, "load", None)
    if load is None:
        raise ImportError(
            f"opponents={spec!r}: names need the package agents of the uno-env checkout, which can not be imported here; "
            "give opponents=None (a random card), an agent object, or 'package.module:Class'"
        )
    return load(spec)


def _player(spec: Any, rules: Rules) -> Agent:
    """The agent that one entry tells of, as it plays under ``rules``."""
    if spec is None:
        return RandomCard()
    agent = _named(str(spec)) if isinstance(spec, (str, Path)) else spec
    if callable(getattr(agent, "for_rules", None)):
        agent = agent.for_rules(rules)
    if isinstance(agent, type) or not (callable(getattr(agent, "act", None)) or callable(getattr(agent, "act_batch", None))):
        raise ValueError(f"opponents: {spec!r} is neither None, a name, an agent with act(view), nor {{'pool': [...]}}")
    return agent


def _candidates(spec: Any, rules: Rules) -> list[Agent]:
    """Who may sit on one seat."""
    if not isinstance(spec, Mapping):
        return [_player(spec, rules)]
    pool = spec.get("pool")
    if set(spec) != {"pool"} or not isinstance(pool, (list, tuple)) or not pool:
        raise ValueError(f"opponents={spec!r:.200}: a pool is {{'pool': [...]}} with at least one player")
    return [_player(entry, rules) for entry in pool]


# The environment --------------------------------------------------------------------------------------------------------


class UnoEnv(gymnasium.Env[np.ndarray, int]):
    """Uno for one learner against opponents; see the module `uno_env.single_agent` for spaces, opponents and version history.

    Observations and infos are fresh objects: what was returned once never changes. Copies (``copy.deepcopy``, ``pickle``) go on
    identically.

    Attributes:
        rules: the rules of the game.
        seat: where the learner sits in this episode.
        table: who plays in this episode, the agents of the other seats, clockwise from the learner's left.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium's own way)
        "render_modes": list(UnoAEC.metadata["render_modes"]),
        "render_fps": UnoAEC.metadata["render_fps"],
    }

    def __init__(
        self,
        *,
        rules: Rules | str | Path | Mapping[str, Any] = "research",
        num_players: int | None = None,
        opponents: Opponents = None,
        seat: int | Literal["random", "rotate"] = 0,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        illegal_action: Literal["end", "raise"] = "end",
        render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
        viewpoint: Literal["learner", "all"] = "learner",
        render_width: int = table.WIDTH,
        ansi_colour: bool | None = False,
        save_games: str | Path | None = None,
    ) -> None:
        """Make the environment; `reset` deals. The arguments are told in the module's page.

        Raises:
            ValueError: for a value that can not be played with.
            ImportError: for an opponent's name outside the checkout, or where pictures are asked for without pygame-ce.
            uno_env.render.window.NoDisplay: (a `RuntimeError`) where a window is asked for without a screen.
        """
        if illegal_action not in ("end", "raise"):
            raise ValueError(f"illegal_action={illegal_action!r}: expected 'end' or 'raise'")
        if viewpoint not in ("learner", "all"):
            raise ValueError(f"viewpoint={viewpoint!r}: expected 'learner' or 'all'")
        self.rules = Rules.of(rules, num_players)
        n = self.rules.num_players
        if seat not in ("random", "rotate") and (isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < n):
            raise ValueError(f"seat={seat!r}: expected 0 to {n - 1}, 'random' or 'rotate'")
        if isinstance(opponents, (list, tuple)):
            if len(opponents) != n - 1:
                raise ValueError(f"opponents: {len(opponents)} players for {n - 1} other seats; a choice is {{'pool': [...]}}")
            self._candidates = [_candidates(spec, self.rules) for spec in opponents]
        else:
            self._candidates = [_candidates(opponents, self.rules)] * (n - 1)
        self._game = UnoAEC(
            self.rules,
            episode=episode,
            reward=reward,
            render_mode=render_mode,
            render_width=render_width,
            ansi_colour=ansi_colour,
            save_games=save_games,
        )
        self.render_mode = render_mode
        self.illegal_action = illegal_action
        self.viewpoint = viewpoint
        self.observation_space = observation_space()["observation"]
        self.action_space = gymnasium.spaces.Discrete(NUM_ACTIONS)  # type: ignore[assignment]

        self._seating = seat
        self.seat = seat if isinstance(seat, int) else 0
        self.table: list[Agent] = [candidates[0] for candidates in self._candidates]
        self._next_seat = 0  # of "rotate"
        self._generators: list[np.random.Generator] = []
        self._carried = 0.0  # rewards of rounds that ended before the learner's first decision

    @property
    def game_seed(self) -> int | None:
        """The seed of the last seeded `reset`: ``Game(rules, seed=game_seed)`` plays the same cards; None before."""
        return self._game.game_seed

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a new game and play on to the learner's first decision.

        Args:
            seed: any integer from 0. The game is then that of ``Game(rules, seed=seed)``. None: the generators go on, from a fresh
                seed the first time.
            options: none are known; taken because the API asks for it.
        """
        if seed is not None:
            seed = operator.index(seed)
        elif self.game_seed is None:
            seed = secrets.randbits(63)
        super().reset(seed=seed)
        game, n = self._game, self.rules.num_players
        if seed is not None:
            self._generators = [np.random.default_rng([seed, place]) for place in range(n)]
            self._next_seat = seed % n
        if self._seating == "random":
            self.seat = int(self.np_random.integers(n))
        elif self._seating == "rotate":
            self.seat = self._next_seat
            self._next_seat = (self.seat + 1) % n
        self.table = [
            candidates[int(self.np_random.integers(len(candidates)))] if len(candidates) > 1 else candidates[0]
            for candidates in self._candidates
        ]
        game._viewpoint = self.seat if self.viewpoint == "learner" else None
        for _ in range(MAX_DEALS):
            game.reset(seed=seed)
            seed = None
            self._carried = self._play_on()
            if game._acting is not None:
                return self._told()
        raise RuntimeError(f"seat {self.seat} decided nothing in {MAX_DEALS} games: under these rules there is nothing to learn")

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action and play on to its next decision, or to the end.

        Raises:
            IllegalAction: (a `ValueError`) for what is no integer; with ``illegal_action="raise"`` for whatever is not legal. It
                names what is, and nothing has changed. Also when an opponent chooses an illegal action.
            ResetNeeded: before the first `reset`, and when the episode is over.
        """
        game, me = self._game, self._learner
        if game._acting != me:
            raise ResetNeeded("no decision is due: call reset() first")
        number = game._number(action)
        reward, self._carried = self._carried, 0.0
        if not 0 <= number < NUM_ACTIONS or not game._mask[number]:
            if self.illegal_action == "raise":
                self._carried = reward
                game._refuse(number)
            game.terminations = dict.fromkeys(game.agents, True)
            game._deads_step_first()
            return self._with_end(reward - 1.0, True, False)
        game.step(number)
        reward += game.rewards[me]
        reward += self._play_on()
        return self._with_end(reward, game.terminations[me], game.truncations[me])

    def action_masks(self) -> np.ndarray:
        """The actions that are legal now, a fresh ``bool[91]``, as sb3-contrib asks for it; all False when the episode is over."""
        if self.game_seed is None:
            raise ResetNeeded("action_masks: call reset() first")
        return self._game._mask.astype(bool) if self._game._acting is not None else np.zeros(NUM_ACTIONS, bool)

    def game(self) -> Game:
        """The game as it stands, hidden cards and all, as a `Game` of its own: for search and tests."""
        return self._game.game()

    def render(self) -> np.ndarray | str | None:
        """The table: text with ``render_mode="ansi"``, fresh ``uint8[H, W, 3]`` with ``"rgb_array"``; ``"human"`` has a window."""
        return self._game.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._game.close()

    # Help -------------------------------------------------------------------------------------------------------------

    @property
    def _learner(self) -> str:
        return self._game.possible_agents[self.seat]

    def _play_on(self) -> float:
        """Let the opponents decide until the learner must, or the episode ends; returns what the learner earns meanwhile."""
        game, me = self._game, self._learner
        earned = 0.0
        while game._acting is not None and game._acting != me:
            seat = game._seats[game._acting]
            game.step(self._ask(self.table[(seat - self.seat - 1) % self.rules.num_players], self._generators[seat]))
            earned += game.rewards[me]
        return earned

    def _ask(self, agent: Any, rng: np.random.Generator) -> int:
        """What the agent at the seat that acts chooses; it is given nothing but copies of what it may see."""
        if hasattr(agent, "act_batch"):
            return int(agent.act_batch(self._game._row[None].copy(), self._game._mask[None].copy(), rng)[0])
        return agent.act(View(self._game.game(), rng))

    def _told(self) -> tuple[np.ndarray, dict[str, Any]]:
        seen = self._game.observe(self._learner)
        return seen["observation"], {"action_mask": seen["action_mask"]}

    def _with_end(self, reward: float, terminated: bool, truncated: bool) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        observation, info = self._told()
        return observation, reward, terminated, truncated, info


def register() -> None:
    """Put `ENV_ID` into Gymnasium's registry, where it is not in yet."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(id=ENV_ID, entry_point="uno_env.single_agent:UnoEnv")


register()

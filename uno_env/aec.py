"""`UnoAEC`: one game as a PettingZoo AEC environment. `uno_env.uno_v0` is its entry; the engine decides every rule."""

from __future__ import annotations

import operator
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from uno_env import engine, observe
from uno_env.cards import MAX_DECK, NUM_COLOURS, NUM_KINDS, NUM_TOP_SYMBOLS
from uno_env.game import Event, Game
from uno_env.jit import lean, scratch
from uno_env.notation import IllegalAction, action_text
from uno_env.observe import NUM_PHASES, OBS_SIZE, Part, lay_out
from uno_env.render import ansi, raster, table, text
from uno_env.render.window import Window
from uno_env.rules import MAX_PLAYERS, Rules
from uno_env.state import NUM_ACTIONS, ROW, Phase, State, Termination, new_states
from uno_env.transcripts import append_transcript

Observation: TypeAlias = dict[str, np.ndarray]
OVER, TRUNCATED = int(Phase.OVER), int(Termination.TRUNCATED)

# What `carry_out` returns: these flags; `advance` adds the actor in the low bits.
SEAT_BITS = 15
ROUND_ENDED, EPISODE_ENDED, CUT_OFF = 16, 32, 64


@lean
def look(states, rules, row, mask):
    """Write the observation (``int8[OBS_SIZE]``) and mask (``int8[91]``) of the decision that is due; returns the actor."""
    state = states[0]
    params = rules[0]
    playable = scratch(ROW, np.int8)
    engine.fill_mask(state, params, playable, mask)
    observe.fill(state, params, np.int64(state.actor), playable, row)
    return np.int64(state.actor)


@lean
def carry_out(states, rules, i, action, scheme, whole_match, rewards):
    """Carry out a legal action in game ``i``, and deal the next round of a match; returns flags.

    ``rewards`` (``float32[P]``) are written when a round ends.
    """
    state = states[i]
    params = rules[0]
    flags = np.int64(0)
    engine.apply(state, params, action)
    if state.phase == OVER:
        engine.fill_rewards(state, params, scheme, rewards)
        flags = ROUND_ENDED
        if whole_match and engine.match_winners(state, params) < 0:
            engine.deal_next(states, rules, i)
        else:
            flags |= EPISODE_ENDED
            if state.termination == TRUNCATED:
                flags |= CUT_OFF
    return flags


@lean
def advance(states, rules, action, scheme, whole_match, row, mask, rewards):
    """`carry_out` a legal action and `look`."""
    flags = carry_out(states, rules, 0, action, scheme, whole_match, rewards)
    return look(states, rules, row, mask) | flags


# The full state, for critics that see everything ------------------------------------------------------------------------


def _state_layout() -> dict[str, Part]:
    parts: list[tuple[str, tuple[int, ...], str]] = [
        ("hands", (MAX_PLAYERS, NUM_KINDS), "for each seat: its cards, count per kind"),
        ("draw_pile", (MAX_DECK,), "kind + 1 of each card of the draw pile, the next card first; 0 past its end"),
        ("discard_pile", (MAX_DECK,), "kind + 1 of each card of the discard pile, the top card first; 0 past its end"),
        ("colour", (NUM_COLOURS,), "colour in force, one-hot; all 0 before it is named"),
        ("symbol", (NUM_TOP_SYMBOLS,), "symbol of the top card, one-hot: 0-9, Skip, Reverse, Draw Two, W, W4, WX, WS, WC"),
        ("phase", (NUM_PHASES,), "phase, one-hot"),
        ("actor", (MAX_PLAYERS,), "seat that decides, one-hot"),
        ("turn", (MAX_PLAYERS,), "seat whose turn it is, one-hot"),
        ("dealer", (MAX_PLAYERS,), "seat that dealt, one-hot"),
        ("at_table", (MAX_PLAYERS,), "1 for each seat that plays"),
        ("team", (MAX_PLAYERS,), "number of each seat's team; its own number without teams"),
        ("declared", (MAX_PLAYERS,), "1 for each seat that has called Uno"),
        ("owing", (MAX_PLAYERS,), "1 for each seat that left one card without a call and has not been judged yet"),
        ("received", (MAX_PLAYERS,), "1 for each seat to whom a single card moved and that may still call"),
        ("offender", (MAX_PLAYERS,), "seat that can be caught now, one-hot"),
        ("drew_on", (MAX_PLAYERS, NUM_COLOURS), "for each seat: colour in force when it last drew or passed, one-hot"),
        ("score", (MAX_PLAYERS,), "match score of each seat in percent of the target, at most 127"),
        ("target", (1,), "target in tens of points, at most 127; 0 without one"),
        ("direction", (1,), "1 clockwise, -1 counter-clockwise"),
        ("pending", (1,), "cards due, at most 127"),
        ("drawn", (1,), "kind + 1 of the card just drawn, while its player decides whether to play it; else 0"),
        ("guilty", (1,), "the Wild Draw Four on top: 1 a bluff, 0 honest, -1 not open to a challenge"),
        ("colour_before", (NUM_COLOURS,), "colour in force before a Wild Draw Four that can still be challenged, one-hot"),
        ("passes", (1,), "forced passes in a row"),
    ]
    return lay_out(parts)


#: The parts of `UnoAEC.state`, by name, in order. Seats are absolute. Left out: who knows which cards, and the generator.
STATE_LAYOUT = _state_layout()
#: Length of the full state.
STATE_SIZE = sum(part.size for part in STATE_LAYOUT.values())


_SEATS = np.arange(MAX_PLAYERS)


def full_state(states: np.ndarray, rules: Rules) -> np.ndarray:
    """Everything about the game ``states[0]``, ``int8[STATE_SIZE]`` as `STATE_LAYOUT` says."""
    state: Any = states[0]
    n, target = rules.num_players, rules.target or 0
    vector = np.zeros(STATE_SIZE, np.int8)

    def put(name: str, values: Any) -> None:
        part = STATE_LAYOUT[name]
        vector[part.start : part.start + len(values)] = values

    pile, draw_size, discard_size = state["pile"] + 1, int(state["draw_size"]), int(state["discard_size"])
    put("hands", state["hands"][:, :NUM_KINDS].ravel())
    put("draw_pile", pile[:draw_size][::-1])
    put("discard_pile", pile[MAX_DECK - discard_size :])
    for name in ("colour", "symbol", "phase", "actor", "turn", "dealer", "offender", "colour_before"):
        if state[name] >= 0:
            vector[STATE_LAYOUT[name].start + state[name]] = 1
    put("at_table", _SEATS < n)
    put("team", [rules.team_of(seat) for seat in range(n)])
    put("declared", state["declared"])
    put("owing", state["owing"] >> _SEATS & 1)
    put("received", state["received"] >> _SEATS & 1)
    put("drew_on", (state["drew_on"][:, None] == np.arange(NUM_COLOURS)).ravel())
    if target:
        put("score", np.minimum(state["scores"].astype(np.int64) * 100 // target, 127))
    put("target", [min(target // 10, 127)])
    put("direction", [state["direction"]])
    put("pending", [min(int(state["pending"]), 127)])
    put("drawn", [state["drawn"] + 1])
    put("guilty", [state["guilty"]])
    put("passes", [state["passes"]])
    return vector


# Spaces -----------------------------------------------------------------------------------------------------------------

_COUNT = (0, 127)
_OTHERS_HIGH = np.ones(observe.OTHER_WIDTH, np.int8)
_OTHERS_HIGH[[observe.OTHER_CARDS, observe.OTHER_CARDS + 3]] = 127  # number of cards, score

_OBSERVATION_BOUNDS: dict[str, tuple[Any, Any]] = {
    **dict.fromkeys(("hand", "discarded", "unseen", "hand_size", "score", "target", "pending", "draw_pile"), _COUNT),
    **dict.fromkeys(("known_size", "known"), _COUNT),
    "direction": (-1, 1),
    "others": (0, _OTHERS_HIGH),
}
_STATE_BOUNDS: dict[str, tuple[Any, Any]] = {
    **dict.fromkeys(("hands", "score", "target", "pending", "passes"), _COUNT),
    **dict.fromkeys(("draw_pile", "discard_pile", "drawn"), (0, NUM_KINDS)),
    **dict.fromkeys(("direction", "guilty"), (-1, 1)),
    "team": (0, MAX_PLAYERS - 1),
}


def _box(layout: Mapping[str, Part], bounds: Mapping[str, tuple[Any, Any]]) -> gymnasium.spaces.Box:
    """The int8 space of a vector laid out so; the parts without bounds are 0 or 1."""
    size = sum(part.size for part in layout.values())
    low, high = np.zeros(size, np.int8), np.ones(size, np.int8)
    for name, (least, most) in bounds.items():
        part = layout[name]
        low[part.slice].reshape(part.shape)[...] = least
        high[part.slice].reshape(part.shape)[...] = most
    return gymnasium.spaces.Box(low, high, dtype=np.int8)


def observation_space() -> gymnasium.spaces.Dict:
    """A fresh space of what an agent observes."""
    mask = gymnasium.spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
    return gymnasium.spaces.Dict({"observation": _box(observe.LAYOUT, _OBSERVATION_BOUNDS), "action_mask": mask})


# What is shown ----------------------------------------------------------------------------------------------------------


def follow(game: Game, action: int, whole_match: bool) -> None:
    """Let a `Game` play along, so that it can tell of events; the next round of a match is dealt as in `carry_out`."""
    game.push(action)
    if whole_match and game.over and game.match_winners is None:
        game.next_round()


def as_text(game: Game, viewpoint: int | None, names: Sequence[str], colour: bool | None) -> str:
    """The table as text, as ``viewpoint`` sees it; colour None: where standard output is a terminal that shows it."""
    told = text.table(game, viewpoint, names)
    wanted = ansi.terminal_has_colour(sys.stdout) if colour is None else colour
    return ansi.coloured(told) if wanted else told


def as_picture(game: Game, viewpoint: int | None, names: Sequence[str], width: int) -> Any:
    """The table with what happened last, as a pygame surface."""
    lines = (text.event_line(event, names, viewpoint) for event in reversed(game.history))
    last = next((line for line in lines if line is not None), None)
    return raster.draw_table(game.position(), viewpoint, names=names, event=last, width=width)


# The environment --------------------------------------------------------------------------------------------------------

_NOTHING = np.zeros(NUM_ACTIONS, np.int8)
"""The mask of an agent that does not decide now."""
_RENDER_MODES = ["human", "rgb_array", "ansi"]


class UnoAEC(AECEnv[str, Observation, "int | None"]):
    """Uno as a PettingZoo AEC environment; see `uno_env.uno_v0` for spaces, rewards and version history.

    Observations and infos are fresh objects: what was returned once never changes. An illegal action raises `IllegalAction` and
    changes nothing. Copies (``copy.deepcopy``, ``pickle``) go on identically.

    Attributes:
        rules: the rules of the game.
        game_seed: the seed of the last seeded `reset`: ``Game(rules, seed=game_seed)`` plays the same cards; None before.
        state_space: the space of `state`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo's own way)
        "name": "uno_v0",
        "render_modes": _RENDER_MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Rules | str | Path | Mapping[str, Any] = "official",
        num_players: int | None = None,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
        *,
        viewpoint: str | int = "all",
        render_width: int = table.WIDTH,
        ansi_colour: bool | None = False,
        save_games: str | Path | None = None,
        keep_history: bool = False,
    ) -> None:
        """Make the environment; `reset` deals.

        Args:
            rules: a `Rules`, a preset's name, a mapping of fields, or a YAML file's path.
            num_players: outranks the number in ``rules``, which is 4 unless they say otherwise.
            episode: ``"round"``, or ``"match"``: rounds until the match is won.
            reward: see `uno_env.engine.fill_rewards`.
            render_mode: ``"human"``: every step is shown in a window, which may be closed; ``"rgb_array"``: `render` returns a
                picture, ``uint8[H, W, 3]``, and needs no screen; ``"ansi"``: it returns a table as text. The first two need the
                extra ``render``.
            viewpoint: whose cards the table shows: ``"all"``, or an agent's name or seat.
            render_width: width of the picture in pixels, 3 to each 2 of its height.
            ansi_colour: whether the text has colour; None: where standard output is a terminal that shows it (``NO_COLOR``).
            save_games: a file to which the transcript of every finished episode is added, a line each.
            keep_history: whether `history` tells what happened also where nothing is rendered or saved.

        Raises:
            ValueError: for a value that can not be played with.
            ImportError: where pictures are asked for without pygame-ce.
            uno_env.render.window.NoDisplay: (a `RuntimeError`) where a window is asked for without a screen.
        """
        super().__init__()
        if episode not in ("round", "match"):
            raise ValueError(f"episode={episode!r}: expected 'round' or 'match'")
        if reward not in engine.REWARDS:
            raise ValueError(f"reward={reward!r}: expected one of {', '.join(map(repr, engine.REWARDS))}")
        if reward == "match" and episode != "match":
            raise ValueError("reward='match' needs episode='match'")
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(f"render_mode={render_mode!r}: expected None, {', '.join(map(repr, _RENDER_MODES))}")
        self.rules = Rules.of(rules, num_players)
        self.episode = episode
        self.reward = reward
        if not 60 <= render_width <= 10_000:
            raise ValueError(f"render_width={render_width!r}: expected 60 to 10000 pixels")
        self.render_mode = render_mode
        self.render_width = render_width
        self.ansi_colour = ansi_colour
        self.save_games = None if save_games is None else Path(save_games)
        self.keep_history = keep_history
        self.game_seed: int | None = None

        n = self.rules.num_players
        self.possible_agents = [f"player_{seat}" for seat in range(n)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.viewpoint = viewpoint
        self._viewpoint = self._seat_to_show(viewpoint)
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}  # type: ignore[assignment]
        self.action_spaces = {agent: gymnasium.spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}  # type: ignore[assignment]
        self.state_space = _box(STATE_LAYOUT, _STATE_BOUNDS)

        self._params = self.rules.params
        self._scheme = engine.REWARDS.index(reward)
        self._whole_match = episode == "match"
        self._states = new_states(1)
        # The decision that is due: whose (None once the episode is over), what that agent sees, what it may do.
        self._acting: str | None = None
        self._row = np.zeros(OBS_SIZE, np.int8)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._earned = np.zeros(n, np.float32)
        self._paid = False  # whether `rewards` holds those of the last step
        self._shown: Game | None = None  # plays along to tell of events, where the environment renders or saves
        self._window: Window | None = None
        if render_mode == "human":
            self._window = Window()
        elif render_mode == "rgb_array":
            raster.load_pygame()

        self.agents = []
        self.rewards, self._cumulative_rewards = {}, {}
        self.terminations, self.truncations, self.infos = {}, {}, {}
        self.agent_selection = self.possible_agents[0]
        self._skip_agent_selection: str | None = None

    # Copies: `Rules.params` stays the read-only array that compiled code was compiled for, and the dtype of the states the very
    # object that numba knows.

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_params", "_window")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._params = self.rules.params
        self._window = None  # a copy opens its own when it renders
        self._states = new_states(1)
        self._states[:] = state["_states"]

    # PettingZoo -------------------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same `Dict` space at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same ``Discrete(91)`` at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: any integer. The game is then that of ``Game(rules, seed=seed)``. None: the generator goes on, from a fresh seed
                the first time.
            options: none are known; taken because the API asks for it.
        """
        if seed is None and self.game_seed is not None:
            engine.restart(self._states, self._params, 0)
        else:
            self.game_seed = secrets.randbits(63) if seed is None else operator.index(seed)
            engine.reset(self._states, self._params, 0, np.uint64(self.game_seed % 2**64))
        self._begin()

    def _begin(self) -> None:
        """The episode starts with the record as it stands."""
        agents = self.possible_agents
        self.agents = agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos = {agent: {"action_mask": _NOTHING.copy()} for agent in agents}
        self._paid = False
        self._skip_agent_selection = None
        self._acting = self.agent_selection = agents[look(self._states, self._params, self._row, self._mask)]
        self.infos[self._acting] = {"action_mask": self._mask.copy()}
        if self.render_mode is not None or self.save_games is not None or self.keep_history:
            self._shown = self.game()
            if self.render_mode == "human":
                self.render()

    def step(self, action: int | None) -> None:
        """Carry out the action of `agent_selection`; None for an agent whose episode is over.

        Raises:
            IllegalAction: (a `ValueError`) naming the action, the phase and what is legal; nothing has changed.
            ResetNeeded: before the first `reset`, or when no agent is left.
        """
        agent = self.agent_selection
        try:
            done = self.terminations[agent] or self.truncations[agent]
        except KeyError:
            raise ResetNeeded("no agent is in the game: call reset() first") from None
        if done:
            self._was_dead_step(action)
            return
        number = action if type(action) is int else self._number(action)
        if not 0 <= number < NUM_ACTIONS or not self._mask[number]:
            self._refuse(number)

        told = int(
            advance(self._states, self._params, number, self._scheme, self._whole_match, self._row, self._mask, self._earned)
        )
        self._settle(agent)
        if self._shown is not None:
            follow(self._shown, number, self._whole_match)
        self.infos[agent] = {"action_mask": _NOTHING.copy()}
        if told <= SEAT_BITS:
            self._acting = self.agent_selection = agent = self.possible_agents[told]
            self.infos[agent] = {"action_mask": self._mask.copy()}
        else:
            self._end_round(told)
        if self.render_mode == "human":
            self.render()

    def _settle(self, agent: str) -> None:
        """``agent`` has been told its rewards, and those of the last step are past."""
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False

    def _end_round(self, told: int) -> None:
        self.rewards = dict(zip(self.possible_agents, self._earned.tolist(), strict=True))
        self._accumulate_rewards()
        self._paid = True
        if told & EPISODE_ENDED:
            cut = bool(told & CUT_OFF)
            self.terminations = dict.fromkeys(self.agents, not cut)
            self.truncations = dict.fromkeys(self.agents, cut)
            self._deads_step_first()
        else:
            self._acting = self.agent_selection = agent = self.possible_agents[told & SEAT_BITS]
            self.infos[agent] = {"action_mask": self._mask.copy()}

    def _deads_step_first(self) -> str:
        """The episode is over (`TerminateIllegalWrapper` calls this too): nobody may act, all agents are told in order."""
        if self._acting is not None and self.save_games is not None and self._shown is not None:
            append_transcript(self.save_games, self._shown.transcript(names=self.possible_agents))
        self._acting = None
        self.infos = {agent: {"action_mask": _NOTHING.copy()} for agent in self.agents}
        return super()._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees now, also when it does not decide or has left: fresh ``int8[OBS_SIZE]`` and ``int8[91]``."""
        if agent == self._acting:
            return {"observation": self._row.copy(), "action_mask": self._mask.copy()}
        seat = self._seats.get(agent)
        if seat is None:
            raise ValueError(f"unknown agent {agent!r}: agents are {', '.join(self.possible_agents)}")
        self._check_reset("observe")
        row = np.zeros(OBS_SIZE, np.int8)
        observe.observation(self._states, self._params, 0, seat, row)
        return {"observation": row, "action_mask": _NOTHING.copy()}

    def state(self) -> np.ndarray:
        """The full state for centralised critics, hidden cards and all: a fresh ``int8[STATE_SIZE]`` (`STATE_LAYOUT`)."""
        self._check_reset("state")
        return full_state(self._states, self.rules)

    def game(self) -> Game:
        """The game as it stands, hidden cards and all, as a `Game` of its own: for search, agents and tests."""
        self._check_reset("game")
        return Game.of_record(self._states.copy(), self.rules, self.game_seed or 0)

    @property
    def history(self) -> tuple[Event, ...]:
        """What happened in the episode, all rounds of a match; known where it renders, saves games or has ``keep_history``."""
        return () if self._shown is None else tuple(self._shown.history)

    def render(self) -> np.ndarray | str | None:
        """The table: text with ``render_mode="ansi"``, fresh ``uint8[H, W, 3]`` with ``"rgb_array"``; ``"human"`` has a window."""
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        self._check_reset("render")
        game, names = self._shown, self.possible_agents
        assert game is not None
        if self.render_mode == "ansi":
            return as_text(game, self._viewpoint, names, self.ansi_colour)
        if self._window is not None and self._window.closed:
            return None
        picture = as_picture(game, self._viewpoint, names, self.render_width)
        if self.render_mode == "rgb_array":
            return raster.pixels(picture)
        if self._window is None:
            self._window = Window()
        self._window.show(picture, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    # Help -------------------------------------------------------------------------------------------------------------

    def _check_reset(self, what: str) -> None:
        if self.game_seed is None:
            raise ResetNeeded(f"{what}: call reset() first")

    def _seat_to_show(self, viewpoint: str | int) -> int | None:
        if viewpoint == "all":
            return None
        if isinstance(viewpoint, str) and viewpoint in self._seats:
            return self._seats[viewpoint]
        if isinstance(viewpoint, int) and not isinstance(viewpoint, bool) and 0 <= viewpoint < len(self._seats):
            return viewpoint
        raise ValueError(f"viewpoint={viewpoint!r}: expected 'all', a seat or one of {', '.join(self.possible_agents)}")

    def _number(self, action: Any) -> int:
        """An action given as another kind of integer (NumPy's, say); -1 for what is none."""
        if not isinstance(action, (bool, np.bool_)):
            try:
                return operator.index(action)
            except TypeError:
                pass
        self._refuse(action)

    def _refuse(self, action: Any) -> NoReturn:
        state, n = State(self._states), self.rules.num_players
        given = repr(action)
        if isinstance(action, int) and 0 <= action < NUM_ACTIONS:
            given += f" ({action_text(action, state.actor, n, state.direction)})"
        legal = [f"{a} {action_text(a, state.actor, n, state.direction)}" for a in np.flatnonzero(self._mask).tolist()]
        raise IllegalAction(
            f"action {given} of {self.agent_selection} in phase {state.current_phase.name}; legal: {', '.join(legal)}"
        )

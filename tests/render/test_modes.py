"""`render_mode` of the environment: text, pictures, a window that may be closed, films."""

from __future__ import annotations

import copy
import io
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pygame
import pytest

from tests.env.play import pick
from tests.render.scenes import FOUR
from uno_env import Game, uno_v0
from uno_env.aec import UnoAEC
from uno_env.render import ansi, raster, text
from uno_env.render.window import NoDisplay, Window


@pytest.fixture
def hidden_screen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A video driver whose windows nobody sees, and no waiting between pictures."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(UnoAEC.metadata, "render_fps", 10_000)
    yield
    pygame.display.quit()


def play(env: Any, steps: int) -> None:
    """So many actions; what is chosen depends on the game alone."""
    for _ in range(steps):
        rng = random.Random(env.state().tobytes())
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else pick(observation["action_mask"], rng))


# Pictures ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("viewpoint", ["all", "player_2", 0])
def test_rgb_array_is_the_table(viewpoint: str | int) -> None:
    env = uno_v0.raw_env(render_mode="rgb_array", viewpoint=viewpoint, render_width=480)
    env.reset(seed=3)
    play(env, 5)
    picture, again = env.render(), env.render()
    assert isinstance(picture, np.ndarray)
    assert isinstance(again, np.ndarray)
    assert (picture.dtype, picture.shape) == (np.uint8, (320, 480, 3))
    assert not np.shares_memory(picture, again)
    history = env._shown.history if env._shown else []
    seat = {"all": None, "player_2": 2, 0: 0}[viewpoint]
    lines = [text.event_line(event, env.possible_agents, seat) for event in history]
    event = [line for line in lines if line is not None][-1]
    assert np.array_equal(picture, raster.table_pixels(env.game().position(), viewpoint, event=event, width=480))
    play(env, 1)
    assert not np.array_equal(picture, env.render())


def test_the_end_is_drawn_too() -> None:
    env = uno_v0.env("digital", 2, render_mode="rgb_array")
    env.reset(seed=3)
    while not any(env.terminations.values()):
        play(env, 1)
    assert isinstance(env.render(), np.ndarray)
    assert "render_fps" in env.metadata


@pytest.mark.parametrize("width", [0, 59, 10_001])
def test_sizes_that_cannot_be_drawn_are_refused(width: int) -> None:
    with pytest.raises(ValueError, match="render_width"):
        uno_v0.env(render_mode="rgb_array", render_width=width)


def test_films_are_written(tmp_path: Path) -> None:
    wrappers = pytest.importorskip("pettingzoo.utils.wrappers")
    if not hasattr(wrappers, "RecordVideo"):
        pytest.skip("PettingZoo records films since 1.27")
    env = wrappers.RecordVideo(uno_v0.env("digital", 2, render_mode="rgb_array", render_width=240), str(tmp_path / "film"))
    env.reset(seed=1)
    play(env, 12)
    env.close()
    films = list((tmp_path / "film").glob("*.mp4"))
    assert len(films) == 1
    from moviepy import VideoFileClip

    with VideoFileClip(os.fspath(films[0])) as film:
        assert film.fps == UnoAEC.metadata["render_fps"]
        assert tuple(film.size) == (240, 160)
        first = film.get_frame(0)
    env = uno_v0.env("digital", 2, render_mode="rgb_array", render_width=240)
    env.reset(seed=1)
    assert np.abs(first.astype(int) - env.render()).mean() < 12


# Text -------------------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_where_colour_is_shown() -> None:
    term = {"TERM": "xterm"}
    assert ansi.terminal_has_colour(Terminal(), term)
    assert not ansi.terminal_has_colour(io.StringIO(), term)
    assert not ansi.terminal_has_colour(Terminal(), {"TERM": "dumb"})
    assert not ansi.terminal_has_colour(Terminal(), term | {"NO_COLOR": "1"})
    assert ansi.terminal_has_colour(Terminal(), term | {"NO_COLOR": ""})
    assert ansi.terminal_has_colour(io.StringIO(), {"FORCE_COLOR": "1"})
    assert not ansi.terminal_has_colour(Terminal(), {"FORCE_COLOR": "1", "NO_COLOR": "1"})


def test_text_is_plain_unless_colour_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    told = {}
    for colour in (False, True, None):
        env = uno_v0.env(render_mode="ansi", ansi_colour=colour)
        env.reset(seed=1)
        told[colour] = env.render()
    assert told[None] == told[False]
    assert "\x1b" not in told[False]
    assert told[True] == ansi.coloured(told[False])
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert env.render() == told[True]
    monkeypatch.setenv("NO_COLOR", "1")
    assert env.render() == told[False]


def test_cards_and_colours_are_coloured() -> None:
    def bare(words: str) -> str:
        return "".join(part.split("m", 1)[-1] for part in words.split("\x1b["))

    painted = ansi.coloured("top red 9 (r9), W:b, W, colour:y, swap:1, rS gD; numbered, infrared; player_0")
    assert painted == (
        "top \x1b[1;31mred\x1b[0m 9 (\x1b[1;31mr9\x1b[0m), \x1b[1;34mW:b\x1b[0m, W, \x1b[1;33mcolour:y\x1b[0m, swap:1, "
        "\x1b[1;31mrS\x1b[0m \x1b[1;32mgD\x1b[0m; numbered, infrared; player_0"
    )
    table = text.table(Game("party", seed=1))
    assert bare(ansi.coloured(table)) == table


# Window -----------------------------------------------------------------------------------------------------------------


def test_a_window_shows_every_step(hidden_screen: None) -> None:
    env = uno_v0.env(render_mode="human", viewpoint="player_1")
    assert pygame.display.get_surface() is None
    env.reset(seed=1)
    surface = pygame.display.get_surface()
    assert surface is not None
    first = raster.pixels(surface)
    assert np.array_equal(first, raster.table_pixels(env.unwrapped.game().position(), 1))  # type: ignore[attr-defined]
    play(env, 1)
    assert not np.array_equal(first, raster.pixels(pygame.display.get_surface()))
    assert env.render() is None
    env.close()
    env.close()
    assert pygame.display.get_surface() is None


@pytest.mark.parametrize("event", [pygame.event.Event(pygame.QUIT), pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE)])
def test_closing_the_window_does_not_end_the_game(event: Any, hidden_screen: None) -> None:
    env = uno_v0.env(render_mode="human")
    env.reset(seed=1)
    play(env, 3)
    pygame.event.post(event)
    play(env, 3)
    assert not pygame.display.get_init()
    play(env, 10)
    assert env.render() is None
    env.reset(seed=2)
    play(env, 3)
    assert not pygame.display.get_init()
    env.close()


def test_other_keys_do_nothing(hidden_screen: None) -> None:
    window = Window()
    window.show(raster.draw_table(FOUR), 10_000)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a))
    window.show(raster.draw_table(FOUR), 10_000)
    assert not window.closed
    window.close()
    window.show(raster.draw_table(FOUR), 10_000)
    assert pygame.display.get_surface() is None


def test_pictures_come_at_the_asked_pace(hidden_screen: None, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    monkeypatch.setattr("uno_env.render.window.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("uno_env.render.window.time.sleep", sleep)
    window = Window()
    for _ in range(5):
        window.show(raster.draw_table(FOUR), 2)
    assert clock[0] == pytest.approx(102.0)
    window.close()


def test_copies_of_an_environment_with_a_window(hidden_screen: None) -> None:
    env = uno_v0.env(render_mode="human")
    env.reset(seed=1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        play(other, 3)
        other.close()
        play(env, 1)
    assert pygame.display.get_surface() is not None
    env.close()


def test_without_a_screen_the_error_says_what_to_do() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDL_VIDEODRIVER", "no_such_driver")
        with pytest.raises(NoDisplay, match=r"needs a screen.*render_mode='rgb_array'"):
            uno_v0.env(render_mode="human")
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("SDL_", "DISPLAY", "WAYLAND"))}
    code = "from uno_env import uno_v0\nuno_v0.env(render_mode='human')"
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert "NoDisplay: render_mode='human' needs a screen" in done.stderr


# Saved games ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"episode": "match", "rules": {"target": 100}}, {"render_mode": "ansi", "rules": "party"}])
def test_games_are_saved(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    env = uno_v0.raw_env(save_games=path, **options)
    ends = []
    for seed in (1, None, None):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            play(env, 1)
        ends.append((env.game().position(), env.game().state.rng))
        while env.agents:
            env.step(None)
    env.reset()
    play(env, 3)
    env.close()
    lines = path.read_text().splitlines()
    games = [Game.replay(line) for line in lines]
    assert [(game.position(), game.state.rng) for game in games] == ends


def test_a_game_that_an_illegal_action_ended_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    env = uno_v0.env(save_games=path)
    env.reset(seed=1)
    play(env, 4)
    env.step(90)
    play(env, 4)
    (line,) = path.read_text().splitlines()
    assert len(Game.replay(line).history) == 4

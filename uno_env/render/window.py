"""A window on the table, which may be closed at any time without harm to the game."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from uno_env.render.raster import load_pygame

if TYPE_CHECKING:
    import pygame

SLICE = 0.02
"""Seconds between two looks at what the window was asked."""


class NoDisplay(RuntimeError):
    """There is no screen to open a window on."""


class Window:
    """One window; `show` puts a picture into it and waits until the next one is due.

    Attributes:
        closed: whether the person at the screen has closed it (button, or Escape). From then on `show` does nothing.
    """

    def __init__(self, title: str = "Uno") -> None:
        """Prepare the window; it opens with the first picture.

        Raises:
            ImportError: without pygame-ce, naming the extra.
            NoDisplay: without a screen.
        """
        self._pygame = load_pygame()
        self._title = title
        self._screen: Any = None
        self._due = 0.0
        self.closed = False
        try:
            self._pygame.display.init()
            driver = self._pygame.display.get_driver()
        except self._pygame.error as error:
            raise self._no_display(error) from None
        if driver == "offscreen":  # what SDL falls back to where there is no screen
            self._pygame.display.quit()
            raise self._no_display("no screen found")

    @staticmethod
    def _no_display(why: object) -> NoDisplay:
        return NoDisplay(
            f"render_mode='human' needs a screen to open a window on ({why}); "
            "without one use render_mode='rgb_array' for pictures or 'ansi' for text"
        )

    def show(self, picture: pygame.Surface, fps: float) -> None:
        """Put a picture into the window, ``1 / fps`` seconds after the one before."""
        if self.closed:
            return
        while (left := self._due - time.monotonic()) > 0:
            self._listen()
            if self.closed:
                return
            time.sleep(min(left, SLICE))
        self._listen()
        if self.closed:
            return
        display = self._pygame.display
        if display.get_surface() is None or display.get_surface().get_size() != picture.get_size():
            try:
                self._screen = display.set_mode(picture.get_size())
            except self._pygame.error as error:
                raise self._no_display(error) from None
            display.set_caption(self._title)
        display.get_surface().blit(picture, (0, 0))
        display.flip()
        self._due = time.monotonic() + 1 / fps

    def _listen(self) -> None:
        pygame = self._pygame
        if not pygame.display.get_init():
            pygame.display.init()
        for event in pygame.event.get((pygame.QUIT, pygame.KEYDOWN)):
            if event.type == pygame.QUIT or event.key == pygame.K_ESCAPE:
                self.close()
                return
        pygame.event.pump()

    def close(self) -> None:
        """Close the window for good."""
        if not self.closed:
            self.closed = True
            self._screen = None
            self._pygame.display.quit()

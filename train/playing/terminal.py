"""Playing in a terminal: the table in colour, numbered choices, moves typed as text in any plausible spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from agents import Agent
from train.playing import hints, sight
from train.playing.table import Refused, Table, think
from uno_env.cards import COLOUR_LETTERS, COLOURS
from uno_env.spelling import ColourMissing, Unreadable, read
from uno_env.view import View

STYLES = {"r": "bold white on red3", "y": "bold black on yellow3", "g": "bold white on green4", "b": "bold white on blue3"}
MARKS = {"r": "●", "y": "▲", "g": "■", "b": "◆"}
"""A shape for each colour, as on the drawn cards."""
WILD_STYLE = "bold white on grey23"

HELP = """[bold]Moves[/]: a choice's number, or its text, in capitals or not, with spaces or without:
  r5, red 5 · yS, yellow skip · gR, green reverse · bD, blue draw two · W:r, wild red · W4 blue, wild draw four b
  draw (d) · pass (p) · accept (a) · challenge · catch · uno (u) · colour r · swap 2, swap Ada
[bold]Commands[/]: ? help · hint (h) · undo (z, practice mode) · table (t) · score · log · save FILE · stop · quit (q)
Between rounds: next (n, or just Enter) · new for another match.
Call Uno before you play your second to last card: nobody reminds you."""


def squeeze(text: str) -> str:
    """A text without capitals, spaces and punctuation: what two spellings of a move have in common."""
    return re.sub(r"[^a-z0-9+]", "", text.lower())


def read_move(table: Table, seat: int, typed: str) -> str:
    """The legal action that a person typed; `Refused` says why there is none."""
    legal = table.game.legal_texts()
    if typed.strip().isdecimal():
        number = int(typed)
        if 1 <= number <= len(legal):
            return legal[number - 1]
        raise Refused(f"there is no choice {number}: choices are 1 to {len(legal)}")
    try:
        action = read(typed, legal, sight.names_for(table, seat))
    except ColourMissing as error:
        raise Refused(str(error)) from None
    except Unreadable:
        action = None
    if action not in legal:
        raise Refused(f"{typed.strip()!r} is not possible now; ? for help")
    return action


def card_text(text: str, colour: str | None = None) -> Text:
    """A card in colour; ``colour`` is the one named for a wild."""
    if text[0] in STYLES:
        return Text(f" {MARKS[text[0]]} {text[1:]} ", STYLES[text[0]])
    shown = Text(f" {text} ", WILD_STYLE)
    if colour:
        shown.append(f" {MARKS[colour]} {COLOURS[COLOUR_LETTERS.index(colour)]} ", STYLES[colour])
    return shown


class Session:
    """One person's game in a terminal."""

    def __init__(self, table: Table, console: Console, typed: Iterable[str], *, adviser: tuple[str, Agent] | None = None) -> None:
        """A session at ``table``, where one person sits.

        Args:
            table: the table.
            console: where to write.
            typed: the lines that the person types.
            adviser: (name, agent) that hints come from.
        """
        if len(table.people) != 1:
            raise ValueError(f"a terminal is for one person, not {len(table.people)}")
        self.table = table
        self.console = console
        self.typed: Iterator[str] = iter(typed)
        self.adviser = adviser
        self.seat = table.people[0]
        self._told = 0

    def run(self) -> None:
        """Play until the person quits or the input ends."""
        rules = sight.describe(self.table, self.seat)
        self.console.print(
            f"[bold]Uno[/], {escape(rules['rules'])}, {self.table.num_players} players. [dim]? for help, q to leave.[/]"
        )
        drawn = True
        while True:
            self._play_agents()
            if drawn:
                self._show()
            line = self._read()
            if line is None:
                self.console.print("Bye.")
                return
            drawn = self._obey(line)

    def _read(self) -> str | None:
        self.console.print("> ", end="")
        line = next(self.typed, None)
        if line is None or squeeze(line) in ("q", "quit", "exit"):
            self.console.print()
            return None
        if not self.console.is_terminal:
            self.console.print(escape(line.rstrip("\n")))
        return line

    def _play_agents(self) -> None:
        while (decision := self.table.decision()) is not None:
            self.table.answer(decision, think(decision))
            self._tell()

    def _tell(self) -> None:
        told = sight.lines(self.table, self.seat)
        self._told = min(self._told, len(told))  # after an undo or a new match
        for line in told[self._told :]:
            self.console.print(f"  {escape(line)}", style="yellow" if line.startswith("Round ") else "", highlight=False)
        self._told = len(told)

    def _obey(self, line: str) -> bool:
        """Do what was typed; whether the table should be shown again."""
        word, _, rest = line.strip().partition(" ")
        over = self.table.game.over or self.table.stopped
        try:
            if word in ("?", "help"):
                self.console.print(HELP)
            elif squeeze(line) in ("h", "hint"):
                self._hint()
            elif squeeze(line) in ("z", "undo"):
                self.table.undo(self.seat)
                self._tell()
                return True
            elif squeeze(line) in ("t", "table"):
                return True
            elif squeeze(line) == "score":
                self._scores()
            elif squeeze(line) == "log":
                for told in sight.lines(self.table, self.seat)[-30:]:
                    self.console.print(f"  {escape(told)}", highlight=False)
            elif word.lower() == "save":
                self._save(rest.strip())
            elif squeeze(line) == "stop":
                self.table.stop(self.seat)
                return True
            elif over and squeeze(line) == "new":
                self.table.new_match(self.seat)
                self._told = 0
                self._tell()
                return True
            elif over:
                if squeeze(line) not in ("", "n", "next"):
                    raise Refused("the round is over: next, new, save FILE or quit")
                self.table.next_round(self.seat)
                self._tell()
                return True
            elif not line.strip():
                return False
            else:
                self.table.act(self.seat, read_move(self.table, self.seat, line))
                self._tell()
                return True
        except (Refused, OSError) as error:
            self.console.print(f"[red]{escape(str(error))}[/]")
        return False

    def _save(self, name: str) -> None:
        if not name:
            raise Refused("save FILE: name the file")
        # Whoever sits at this terminal owns the game: nobody else's cards could be told.
        Path(name).write_text(self.table.game.transcript() + "\n", encoding="utf-8")
        self.console.print(f"Saved to {escape(name)}.")

    def _hint(self) -> None:
        if self.adviser is None:
            raise Refused("this table gives no hints")
        if not self.table.asks(self.seat):
            raise Refused("hints are for a decision of your own")
        name, agent = self.adviser
        try:
            hint = hints.advise(agent, name, View(self.table.game, np.random.default_rng()))
        except Exception as error:  # a third party's agent may raise anything
            raise Refused(f"no hint from {name!r}: {type(error).__name__}: {error}") from None
        grid = Grid(title=f"{name}: about {hint.win:.0%} to win the round", title_justify="left", box=None, padding=(0, 2, 0, 0))
        grid.add_column("choice")
        grid.add_column("played", justify="right")
        grid.add_column("wins", justify="right")
        for k, option in enumerate(hint.options):
            label = sight.action_label(self.table, self.seat, option.text)
            grid.add_row(label, f"{option.probability:.0%}", f"{option.win:.0%}", style="bold yellow" if k == 0 else "")
        self.console.print(grid)

    # Drawing ----------------------------------------------------------------------------------------------------------

    def _scores(self) -> None:
        names = sight.names_for(self.table, self.seat)
        self.console.print(", ".join(f"{escape(name)} {score}" for name, score in zip(names, self.table.game.scores, strict=True)))

    def _show(self) -> None:
        self._tell()
        view, names = sight.view(self.table, self.seat), sight.names_for(self.table, self.seat)
        console, n = self.console, self.table.num_players
        console.print()
        grid = Grid(box=None, padding=(0, 2, 0, 0))
        for title in ("", "player", "cards", "score", "", "known cards"):
            grid.add_column(title, justify="right" if title in ("cards", "score") else "left")
        for k in range(n):
            player = view["players"][(self.seat + k) % n]
            seat = player["seat"]
            badge = "[yellow]Uno![/]" if player["declared"] else "[red]no call[/]" if player["catchable"] else ""
            who = escape(names[seat]) + (f" [dim]({escape(self.table.players[seat].spec)})[/]" if seat != self.seat else "")
            known = Text(" ").join([card_text(text) for text in player["known"]])
            grid.add_row("▸" if seat == view["turn"] else "", who, str(player["size"]), str(player["score"]), badge, known)
        console.print(grid)
        line = Text("Top ")
        line.append(card_text(view["discards"][-1], view["colour"]) if view["discards"] else Text("none"))
        if view["colour"]:
            line.append(f"  colour {COLOURS[COLOUR_LETTERS.index(view['colour'])]}")
        if n > 2:
            line.append(f"  {'clockwise' if view['direction'] == 1 else 'counter-clockwise'}")
        line.append(f"  {view['draw_pile']} cards to draw")
        if view["pending"]:
            line.append(f"  {view['pending']} due", "bold red")
        console.print(line, highlight=False)
        console.print(Text("You ") + Text(" ").join([card_text(text) for text in view["hand"]]), highlight=False)
        console.print(f"[bold]{escape(view['prompt'])}[/]", highlight=False)
        if view["round_over"] or view["stopped"]:
            self._scores()
            after = "new, " if view["match_over"] else "next, stop, "
            console.print(f"[dim]{after}save FILE, quit[/]", highlight=False)
            return
        for number, option in enumerate(view["actions"], start=1):
            means = f" [dim]{escape(option['means'])}[/]" if option["means"] else ""
            console.print(f"{number:3}  {option['action']:<8} {escape(option['label'])}{means}", highlight=False)


def ask_lines() -> Iterator[str]:
    """The lines of standard input, until its end or an interrupt."""
    while True:
        try:
            yield input()
        except (EOFError, KeyboardInterrupt):
            return

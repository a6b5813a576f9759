"""The rule that applied to an event, in words, with the paragraph of ``docs/rules.md`` that has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_OF_TEXT, SYMBOL_NAMES, SYMBOL_TEXTS, WILD_TEXTS
from uno_env.game import Event
from uno_env.rules import Rules
from uno_env.state import Phase

Position = Mapping[str, Any]


def rules_for(
    event: Event,
    before: Position,
    after: Position,
    rules: Rules,
    names: Sequence[str],
    viewpoint: int | None = None,
) -> list[str]:
    """Sentences that tell by which rules an event came about and what followed from it.

    Args:
        event: what was done.
        before: the position before it (`uno_env.Game.position`).
        after: the position after it.
        rules: the rules of the game.
        names: of the players by seat.
        viewpoint: nothing is said that this seat cannot know; None says everything.
    """
    teller = _Teller(event, before, after, rules, names, viewpoint)
    said = teller.action()
    if event.points is not None:
        said += teller.end()
    return said


def _colour(letter: str | None) -> str:
    return COLOURS[COLOUR_LETTERS.index(letter)] if letter else "no colour"


def _cards(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'}"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class _Teller:
    """One event with all that may be needed to tell of it."""

    def __init__(
        self, event: Event, before: Position, after: Position, rules: Rules, names: Sequence[str], viewpoint: int | None
    ) -> None:
        self.event, self.before, self.after, self.rules = event, before, after, rules
        self.names, self.viewpoint = names, viewpoint
        self.who = names[event.seat]
        self.open = viewpoint is None or viewpoint == event.seat
        self.drawn = {seat: len(cards) for seat, cards in event.drawn}

    def action(self) -> list[str]:
        action, phase = self.event.action, self.event.phase
        head, _, tail = action.partition(":")
        if head in KIND_OF_TEXT:
            return self._play(head, tail)
        if action == "pass":
            return self._pass(phase)
        if head == "colour":
            return ["A Wild was turned up: the first player names the colour, then plays (rules.md 2.4)."]
        if head == "swap":
            why, rule = ("a Wild Swap Hands", "3.7") if self.before["discard_pile"][-1] == "WX" else ("a 7", "3.2")
            return [f"After {why} {self.who} swaps its whole hand with that of {self.names[int(tail)]} (rules.md {rule})."]
        return getattr(self, f"_{action}")(phase)

    # Playing a card ---------------------------------------------------------------------------------------------------

    def _play(self, card: str, named: str) -> list[str]:
        said = [self._why_it_fits(card, named)]
        if not self.before_is_empty and len(self.before["hands"][self.event.seat]) == 2 and self.rules.uno_call == "declare":
            called = self.before["declared"][self.event.seat]
            if called:
                said.append(f"{self.who} had called Uno, so nobody can catch it (rules.md 2.11).")
            else:
                said.append(f"{self.who} did not call Uno: it can be caught until the card takes effect (rules.md 2.11).")
        if self.event.points is None:
            said += self._effect(card)
        return said

    @property
    def before_is_empty(self) -> bool:
        return not self.before["discard_pile"]

    def _why_it_fits(self, card: str, named: str) -> str:
        phase, before = self.event.phase, self.before
        top, colour = (before["discard_pile"] or [None])[-1], before["colour"]
        if phase is Phase.JUMP:
            return "The card is identical to the one on top, so it may be played out of turn (rules.md 3.3)."
        if phase in (Phase.STACK, Phase.CHALLENGE):
            due = before["pending_draw"]
            answer = f"A draw card answers a draw card: the {due} due pass on to the next player (rules.md 3.1)."
            return f"{answer} {self._wild_draw_four(colour)}" if card == "W4" else answer
        drawn = "The card just drawn may be played at once (rules.md 2.7). " if phase is Phase.DRAWN else ""
        if card == "W4":
            return drawn + self._wild_draw_four(colour)
        if card in WILD_TEXTS:
            return drawn + f"A wild fits on everything; its player names {_colour(named)} (rules.md 2.5)."
        if top is None:
            return "The first player opens with any card but a Wild Draw Four (rules.md 2.4)."
        if card[0] == colour:
            return drawn + f"It fits: {_colour(colour)} is in force (rules.md 2.5)."
        symbol = SYMBOL_NAMES[SYMBOL_TEXTS.index(card[1:])]
        return drawn + f"It fits: {symbol} on {symbol}; {_colour(card[0])} is in force now (rules.md 2.5)."

    def _wild_draw_four(self, colour: str | None) -> str:
        rule = self.rules.wild_draw_four
        if rule == "free":
            return "A Wild Draw Four may be played at any time (rules.md 2.9, wild_draw_four='free')."
        if rule == "enforced":
            return f"A Wild Draw Four may be played, since its player holds no {_colour(colour)} card (rules.md 2.9)."
        held = [card for card in self.before["hands"][self.event.seat] if card[0] == colour]
        if not self.open:
            return (
                f"A Wild Draw Four is honest if its player holds no {_colour(colour)} card, and a bluff otherwise (rules.md 2.9)."
            )
        if held:
            return f"It is a bluff: {self.who} holds {_colour(colour)} ({' '.join(held)}), the colour in force (rules.md 2.9)."
        return f"It is honest: {self.who} holds no card of the colour in force, {_colour(colour)} (rules.md 2.9)."

    def _effect(self, card: str) -> list[str]:
        symbol, rules, n = card[1:] if card[0] in COLOUR_LETTERS else card, self.rules, self.rules.num_players
        if symbol == "S":
            return ["Skip: the next player loses its turn (rules.md 2.8)."]
        if symbol == "R":
            if n > 2:
                return ["Reverse: play goes on the other way round (rules.md 2.8)."]
            skip = rules.two_player_reverse == "skip"
            return [f"Reverse: with two players it {'is a Skip' if skip else 'does nothing'} (rules.md 2.8)."]
        if symbol in ("D", "W4"):
            return self._draw_card(symbol)
        if symbol == "0" and rules.seven_zero in ("both", "zero"):
            return ["0: every hand passes to the next player in the direction of play (rules.md 3.2)."]
        if symbol == "7" and rules.seven_zero in ("both", "seven"):
            return [f"7: {self.who} swaps hands with a player of its choice (rules.md 3.2)."]
        if symbol == "WX":
            return [f"Wild Swap Hands: {self.who} swaps hands with a player of its choice (rules.md 3.7)."]
        if symbol == "WS":
            return ["Wild Shuffle Hands: all hands are shuffled together and dealt out anew (rules.md 3.7)."]
        return []

    def _draw_card(self, symbol: str) -> list[str]:
        rule = "2.10" if symbol == "W4" else "2.8"
        if self.drawn:
            seat, count = next(iter(self.drawn.items()))
            if self.event.phase in (Phase.STACK, Phase.CHALLENGE) or self.rules.stacking != "off":
                return [f"{self.names[seat]} has no answer, draws the {count} due and loses its turn (rules.md 3.1)."]
            return [f"{self.names[seat]} draws {count} and loses its turn (rules.md {rule})."]
        if symbol == "W4" and self.rules.wild_draw_four == "challenge" and self.event.phase is not Phase.STACK:
            return ["Before the four are drawn, it may be challenged (rules.md 2.10)."]
        if self.rules.stacking != "off":
            return ["The next player may answer with another draw card (rules.md 3.1)."]
        return [f"The next player draws {4 if symbol == 'W4' else 2} and loses its turn (rules.md {rule})."]

    # The other actions ------------------------------------------------------------------------------------------------

    def _draw(self, phase: Phase) -> list[str]:
        count = self.drawn.get(self.event.seat, 0)
        if self.rules.draw_until_playable:
            said = [f"{self.who} draws until a card can be played: {_cards(count)} (rules.md 3.4)."]
        elif self.rules.voluntary_draw:
            said = [f"{self.who} draws a card; it may do so whether or not it could play (rules.md 2.6)."]
        else:
            said = [f"{self.who} has nothing to play and draws a card (rules.md 2.6)."]
        if not self.open:
            return said
        if self.after["phase"] == "DRAWN" and self.after["actor"] == self.event.seat:
            said.append("The card fits: it may be played now (rules.md 2.7).")
        elif count:
            said.append("The turn ends with that (rules.md 2.7).")
        return said

    def _pass(self, phase: Phase) -> list[str]:
        return {
            Phase.PLAY: [f"No card is left to draw, so {self.who}, which need not play, passes (rules.md 2.12)."],
            Phase.DRAWN: [f"{self.who} keeps the card it drew, and its turn ends (rules.md 2.7)."],
            Phase.JUMP: [f"{self.who} holds the identical card but does not jump in (rules.md 3.3)."],
            Phase.SWAP: [f"{self.who} keeps its hand, as it may (rules.md 3.2)."],
            Phase.CATCH: [self._silence()],
            Phase.CHALLENGE: [f"{self.who}, who need not draw, does not challenge either (rules.md 2.10)."],
        }.get(phase, [])

    def _silence(self) -> str:
        offender = self.before["offender"]
        if offender is None or offender == self.event.seat:
            return f"{self.who} does not call Uno for the single card it was given (rules.md 2.11)."
        return f"{self.who} does not catch {self.names[offender]}, who did not call Uno (rules.md 2.11)."

    def _accept(self, phase: Phase) -> list[str]:
        count, due = self.drawn.get(self.event.seat, 0), self.before["pending_draw"]
        if not self.drawn:
            return [f"{self.who} does not challenge; others may (rules.md 2.10)."]
        if phase is Phase.STACK or due > 4:
            return [f"{self.who} does not answer, draws the {count} due and loses its turn (rules.md 3.1)."]
        return [f"{self.who} does not challenge, draws {count} and loses its turn; a bluff is not raised again (rules.md 2.10)."]

    def _challenge(self, phase: Phase) -> list[str]:
        player = self.before["turn"]
        colour = _colour(self.before["colour_before"])
        draws = (
            _and([f"{self.names[seat]} draws {count}" for seat, count in self.drawn.items()])
            if self.drawn
            else "nothing is left to draw"
        )
        if self.event.verdict == "guilty":
            next_player = self.names[self.after["turn"]]
            return [f"{self.names[player]} bluffed: it held {colour}; {draws}, and {next_player} plays on (rules.md 2.10)."]
        return [f"{self.names[player]} was honest: it held no {colour}; {draws}, and a turn is lost (rules.md 2.10)."]

    def _uno(self, phase: Phase) -> list[str]:
        if phase is Phase.CATCH:
            return [f"{self.who} calls Uno for the single card it was given (rules.md 2.11)."]
        return [f"{self.who} calls Uno before the play that leaves it one card (rules.md 2.11)."]

    def _catch(self, phase: Phase) -> list[str]:
        offender = self.before["offender"]
        count = self.drawn.get(offender, 0)
        return [f"{self.names[offender]} holds one card without having called Uno: caught, it draws {count} (rules.md 2.11)."]

    def end(self) -> list[str]:
        outcome = self.after["outcome"]
        winners = [self.names[int(seat)] for seat in outcome["winners"]]
        if outcome["termination"] == "truncated":
            return [f"The round is cut off after {self.rules.max_turns} turns; nobody scores (rules.md 2.13)."]
        if outcome["termination"] == "stalemate":
            told = f"{_and(winners)} won with the fewest cards" if winners else "the round is void"
            return [f"Nobody can play or draw: {told} (rules.md 2.12)."]
        said = [f"{self.who} is out of cards and {'its side ' if self.rules.teams else ''}wins the round (rules.md 2.13)."]
        for seat, count in self.drawn.items():
            said.append(f"The last card still makes {self.names[seat]} draw {count} before the hands are counted (rules.md 2.13).")
        how = (
            "The winner scores the cards left in the other hands"
            if self.rules.scoring == "winner_takes_all"
            else "Everybody scores its own cards"
        )
        return [*said, f"{how} (rules.md 2.14)."]

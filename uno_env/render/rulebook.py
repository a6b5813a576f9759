"""The rules in force in words: what a player who knows no Uno must be told to play this one (`rules.md` has every case)."""

from __future__ import annotations

from collections.abc import Iterator

from uno_env.cards import DECKS, WILD_TEXTS
from uno_env.notation import rules_text
from uno_env.render.words import cards
from uno_env.rules import Rules

NOTATION = "Cards are written r5 (red 5), yS (yellow Skip), gR (green Reverse), bD (blue Draw Two), W (Wild), W4 (Wild Draw Four)"


def rules_in_words(rules: Rules) -> str:
    """All that is in force under ``rules``, a paragraph per subject; what has no effect under them is left out."""
    name = rules_text(rules)
    titles = {
        "Game": _game(rules),
        "Start": _start(rules),
        "A turn": _turn(rules),
        "Cards": _cards(rules),
        "Wild Draw Four": _wild_draw_four(rules),
        "Uno": _uno(rules),
        "House rules": _house_rules(rules),
        "End": _end(rules),
    }
    told = [f"{title}: {' '.join(lines)}" for title, sentences in titles.items() if (lines := list(sentences))]
    return "\n".join([f"The rules in force ({name if isinstance(name, str) else 'own rules'}):", *told])


def _holds(rules: Rules, card: str) -> bool:
    deck = DECKS[rules.deck] if isinstance(rules.deck, str) else rules.deck
    return deck.get(card, 0) > 0


def _game(rules: Rules) -> Iterator[str]:
    yield f"{rules.num_players} players, {cards(rules.hand_size)} each, a deck of {rules.deck_size}."
    if isinstance(rules.deck, str):
        yield "In each of four colours (red, yellow, green, blue) one 0 and two each of 1-9, Skip, Reverse and Draw Two;"
        yield "4 Wild, 4 Wild Draw Four."
        extra = {card: count for card, count in DECKS[rules.deck].items() if card in WILD_TEXTS[2:]}
        if extra:
            yield f"Also {', '.join(f'{count} {card}' for card, count in extra.items())}."
    else:
        yield f"The deck: {', '.join(f'{count} {card}' for card, count in rules.deck.items())}."
    yield (
        f"{NOTATION}."
        if not _special(rules)
        else f"{NOTATION}, WX (Wild Swap Hands), WS (Wild Shuffle Hands), WC (Wild Customizable)."
    )
    yield "Who first has no cards left wins the round."
    if rules.teams:
        yield f"{rules.teams} teams: player k is in team k mod {rules.teams}; partners win together and hide their cards too."


def _special(rules: Rules) -> bool:
    return any(_holds(rules, card) for card in WILD_TEXTS[2:])


def _start(rules: Rules) -> Iterator[str]:
    dealer = "the last player" if rules.first_dealer == "last_seat" else "a player drawn by lot"
    yield f"In the first round {dealer} deals; the player on the dealer's left begins, and play goes clockwise."
    if rules.target is not None:
        yield "Every round the deal moves one player to the left."
    if rules.starter == "first_player":
        yield "No card is turned up: the first player opens with any card but a Wild Draw Four."
    elif rules.starter == "flip_number":
        yield "Cards are turned up until a number shows; it is the first top card."
    else:
        yield (
            "A card is turned up and acts on the first player: Skip and Draw Two as if played on it, a Wild lets it name the "
            "colour, a Wild Draw Four is shuffled back."
        )
        first = {"dealer": "the dealer", "right_of_dealer": "the player on its right", "left_of_dealer": "the player on its left"}
        if rules.num_players > 2:
            yield f"After a Reverse turned up play goes counter-clockwise, and {first[rules.starter_reverse]} begins."
        elif rules.two_player_reverse == "skip" or rules.starter_reverse == "dealer":
            yield "After a Reverse turned up the dealer begins."
        else:
            yield "A Reverse turned up changes nothing."


def _turn(rules: Rules) -> Iterator[str]:
    yield "Play one card that has the colour in force, or the number or symbol of the top card,"
    yield "or any wild, whose colour you name with it;"
    count = "draw until a card can be played" if rules.draw_until_playable else "draw one card"
    yield f"or {count}{', also if you could play' if rules.voluntary_draw else ', only if you cannot play'}."
    yield {
        "may": "If the drawn card can be played, you may play it at once or keep it.",
        "must": "If the drawn card can be played, you must play it at once.",
        "never": "The drawn card is kept, and the turn ends.",
    }[rules.drawn_card]
    yield "No other card may be played after a draw."
    if rules.reshuffle:
        yield "When the draw pile is empty, the discards below the top card are shuffled and become it."
    else:
        yield "An empty draw pile stays empty."
    void = "the round is void" if rules.stalemate == "void" else "the side that alone holds the fewest cards wins"
    yield f"Who can neither play nor draw passes; if all do so in turn, {void}."


def _cards(rules: Rules) -> Iterator[str]:
    yield "Skip: the next player loses a turn."
    if rules.num_players > 2:
        yield "Reverse: the direction of play turns."
    else:
        yield "Reverse: acts as a Skip." if rules.two_player_reverse == "skip" else "Reverse: does nothing."
    yield "Draw Two: the next player draws two cards and loses a turn."
    if _holds(rules, "WX"):
        yield "Wild Swap Hands: its player names a colour, then swaps hands with a player of its choice."
    if _holds(rules, "WS"):
        yield "Wild Shuffle Hands: all hands are shuffled together and dealt out anew, from the left of its player clockwise."
    if _holds(rules, "WC"):
        yield "Wild Customizable: a plain Wild."


def _wild_draw_four(rules: Rules) -> Iterator[str]:
    if not _holds(rules, "W4"):
        return
    yield "The next player draws four cards and loses a turn."
    if rules.wild_draw_four == "free":
        yield "It may be played at any time."
        return
    if rules.wild_draw_four == "enforced":
        yield "It may be played only by who holds no other card of the colour in force."
        return
    yield "It is honest if its player holds no other card of the colour in force, else a bluff, which is allowed."
    yield "The next player may accept, or challenge: after a bluff its player draws the four instead and the challenger plays on;"
    yield f"else the challenger draws {rules.failed_challenge_draw} and loses the turn."
    if rules.challenger == "any" and rules.num_players > 2:
        yield "If it accepts, the others may challenge in turn; one who is wrong draws two."
    yield {
        "challenger": "The challenger sees the hand.",
        "all": "All see the hand that is challenged.",
        "none": "Nobody sees the hand; only the verdict is told.",
    }[rules.hand_shown_to]


def _uno(rules: Rules) -> Iterator[str]:
    if rules.uno_call == "auto":
        yield "Called by itself for whoever has one card left."
        return
    yield "Before the play that leaves you one card answer `uno`, then play; the call lasts while you hold one card."
    yield "Who did not call may be caught by any other player before the card takes effect,"
    yield f"and then draws {cards(rules.uno_penalty)}."
    if rules.uno_on_received:
        yield "A single card that comes to you by a swap must be called as well."
    if rules.uno_required_to_win:
        yield "A last card that was not called does not win: its player draws two cards, and the round goes on."


def _house_rules(rules: Rules) -> Iterator[str]:
    answers = {
        "same": "Draw Two with Draw Two, Wild Draw Four with Wild Draw Four",
        "up": "Draw Two with either, Wild Draw Four with Wild Draw Four",
        "any": "any draw card with any",
    }
    if rules.stacking != "off":
        yield f"A draw card may be answered ({answers[rules.stacking]}); the next player faces the sum,"
        yield "and who does not answer draws it all."
    if rules.seven_zero in ("both", "seven"):
        swap = "may swap" if rules.seven_optional else "swaps"
        yield f"The player of a 7 {swap} its whole hand with a player of its choice."
    if rules.seven_zero in ("both", "zero"):
        yield "After a 0 all hands pass to the next player in the direction of play."
    if rules.jump_in:
        yield "Whoever holds a coloured card identical to the one just played may play it out of turn; play goes on from there."


def _end(rules: Rules) -> Iterator[str]:
    yield (
        "A last Draw Two or Wild Draw Four is still drawn before hands are counted."
        if rules.final_draw
        else "The round ends at once with the last card."
    )
    points = f"Numbers count their value, Skip, Reverse and Draw Two 20, Wild {rules.wild_points}, Wild Draw Four 50"
    yield f"{points}, other wilds {rules.custom_points}." if _special(rules) else f"{points}."
    if rules.scoring == "winner_takes_all":
        yield "The winner scores the cards left in the other hands."
    else:
        yield "Everybody but the winner scores its own cards, and few points are good."
    if rules.target is None:
        yield "The match is one round."
    else:
        best = "most" if rules.scoring == "winner_takes_all" else "fewest"
        yield f"The match ends after the round in which somebody reaches {rules.target} points; the {best} points win."
    if rules.max_turns is not None:
        yield f"A round is cut off without a winner after {rules.max_turns} turns."

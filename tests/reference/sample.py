"""Random rules for differential tests: all fields, all values, and decks from tiny to whole."""

from .cards import COLOURS, KINDS, SYMBOLS, WILDS, full_deck, is_number

_PRINTED = ("classic", "swap", "shuffle")


def random_rules(rng):
    """A complete, valid dict of rules; `rng` is a `random.Random`.

    Half of the games get a reduced deck, so that empty draw piles, reshuffles and stalemates are common. Rounds that
    could run for ever (ruling 28) always have a `max_turns`.
    """
    n = rng.choice((2, 2, 3, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10))
    starter = rng.choice(("flip", "flip", "flip_number", "first_player"))
    reduced = rng.random() < 0.5
    if reduced:
        hand_size = rng.choice((1, 2, 2, 3, 3, 4, 5, 7) if n <= 5 else (1, 2, 2, 3))
        deck = _reduced_deck(rng, n * hand_size, starter)
    else:
        hand_size = rng.choice((7, 7, 7, 2, 3, 4, 5))
        deck = rng.choice(_PRINTED)
    reshuffle = rng.random() < (0.6 if reduced else 0.85)
    limits = [10_000, 300, rng.randint(1, 40)]
    if not reshuffle:
        limits.append(None)
    drawn_card = rng.choice(("may", "must", "never"))
    sides = [t for t in range(2, n // 2 + 1) if n % t == 0]
    stacking = rng.choice(("off", "same", "up", "any"))
    return {
        "num_players": n,
        "deck": deck,
        "hand_size": hand_size,
        "first_dealer": rng.choice(("last_seat", "random")),
        "starter": starter,
        "starter_reverse": rng.choice(("dealer", "right_of_dealer", "left_of_dealer")),
        "voluntary_draw": rng.random() < 0.5,
        "drawn_card": drawn_card,
        "draw_until_playable": drawn_card != "never" and rng.random() < 0.4,  # the two contradict each other
        "wild_draw_four": rng.choice(("challenge", "challenge", "enforced", "free")),
        "challenger": rng.choice(("victim", "any")),
        "failed_challenge_draw": rng.choice((6, 4)),
        "hand_shown_to": rng.choice(("challenger", "all", "none")),
        "final_draw": rng.random() < 0.6,
        "two_player_reverse": rng.choice(("skip", "plain")),
        "uno_call": rng.choice(("declare", "declare", "auto")),
        "uno_penalty": rng.randint(0, 4),
        "uno_on_received": rng.random() < 0.5,
        "uno_required_to_win": rng.random() < 0.3,
        "stacking": stacking,
        "seven_zero": rng.choice(("off", "both", "both", "seven", "zero")),
        "seven_optional": rng.random() < 0.4,
        "jump_in": rng.random() < 0.5,
        "teams": rng.choice([None, *sides]),
        "scoring": rng.choice(("winner_takes_all", "keep_own")),
        "target": rng.choice((500, 200, 50, 1, None)),
        "wild_points": rng.choice((50, 40)),
        "custom_points": rng.choice((40, 40, 50)),
        "stalemate": rng.choice(("void", "fewest_cards")),
        "reshuffle": reshuffle,
        "max_turns": rng.choice(limits),
    }


def _reduced_deck(rng, dealt, starter):
    """A mapping of card to count with a few kinds, sure to leave a possible starter after `dealt` cards (ruling 17)."""
    colours = rng.sample(COLOURS, rng.randint(1, 4))
    favourites = "07SRD" if rng.random() < 0.5 else SYMBOLS
    symbols = rng.sample(favourites, rng.randint(2, min(6, len(favourites))))
    wilds = rng.sample(WILDS, rng.randint(0, len(WILDS)))
    kinds = [colour + symbol for colour in colours for symbol in symbols] + wilds
    spare = rng.choice((1, 2, 4, 8, 20))
    chosen = [rng.choice(kinds) for _ in range(dealt + spare)]
    barred = {"flip": lambda card: card == "W4", "flip_number": lambda card: not is_number(card)}.get(starter)
    if barred:
        chosen += [f"{colours[0]}1"] * max(0, dealt + sum(map(barred, chosen)) + 1 - len(chosen))
    chosen = chosen[:108]
    deck = {card: chosen.count(card) for card in KINDS if card in chosen}
    cards = full_deck(deck)
    possible = len(cards) - dealt > (sum(map(barred, cards)) if barred else 0)
    return deck if possible else rng.choice(_PRINTED)

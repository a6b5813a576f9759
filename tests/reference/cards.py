"""Cards as strings, the three printed decks, and the value of a card (rules.md 2.1, 2.14)."""

COLOURS = "rygb"
SYMBOLS = "0123456789SRD"
WILDS = ("W", "W4", "WX", "WS", "WC")

# All 57 kinds in the order of docs/notation.md: hands are written in it, and the deck is shuffled from it.
KINDS = tuple(colour + symbol for colour in COLOURS for symbol in SYMBOLS) + WILDS
RANK = {card: rank for rank, card in enumerate(KINDS)}


def is_wild(card):
    """Whether `card` is one of the five wilds."""
    return card in WILDS


def is_number(card):
    """Whether `card` is a coloured number."""
    return not is_wild(card) and card[1].isdigit()


def has_symbol(card, symbol):
    """Whether `card` is a coloured card of that symbol, such as "D" or "7"."""
    return not is_wild(card) and card[1] == symbol


def draw_value(card):
    """How many cards the next player must draw for `card`: 2, 4 or 0."""
    if card == "W4":
        return 4
    return 2 if has_symbol(card, "D") else 0


def sort_cards(cards):
    """The cards in a new list, by kind ascending."""
    return sorted(cards, key=RANK.__getitem__)


def full_deck(deck):
    """All cards of `deck` ("classic", "swap", "shuffle" or a mapping of card to count), by kind ascending."""
    if isinstance(deck, str):
        counts = {"W": 4, "W4": 4}
        for colour in COLOURS:
            for symbol in SYMBOLS:
                counts[colour + symbol] = 1 if symbol == "0" else 2
        if deck == "swap":
            counts.update(WX=1, WC=3)
        elif deck == "shuffle":
            counts.update(WS=1, WC=3)
        elif deck != "classic":
            raise ValueError(f"deck: {deck!r} is not classic, swap or shuffle")
    else:
        counts = deck
        unknown = sorted(set(counts) - set(KINDS))
        if unknown:
            raise ValueError(f"deck: unknown cards {unknown}")
    return [card for card in KINDS for _ in range(counts.get(card, 0))]


def points(card, rules):
    """What `card` is worth to the winner when it is left in a hand."""
    if card == "W":
        return rules["wild_points"]
    if card == "W4":
        return 50
    if is_wild(card):
        return rules["custom_points"]  # ruling 51
    return int(card[1]) if is_number(card) else 20

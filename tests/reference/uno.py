"""The game: one round at a time of a match, from the deal to the score, under any combination of rules.

Between two actions everything is in the attributes that `position()` writes, so a round can be taken up anywhere. The
course of a placed card is a chain of methods, each of which either asks somebody (sets `phase` and `actor`, and
returns) or calls the next: `_place`, `_ask_jump`, `_move_hands`, `_open_catch_windows`, `_next_window`, `_effect`,
`_begin_turn`.
"""

from collections import Counter

from .cards import (
    COLOURS,
    KINDS,
    RANK,
    WILDS,
    draw_value,
    full_deck,
    has_symbol,
    is_number,
    is_wild,
    points,
    sort_cards,
)
from .generator import Generator
from .rulebook import complete_rules

PHASES = ("COLOUR", "PLAY", "DRAWN", "JUMP", "SWAP", "CATCH", "CHALLENGE", "STACK", "OVER")

POSITION_KEYS = (
    *("rules", "num_players", "hands", "draw_pile", "discard_pile", "colour", "direction", "dealer", "turn", "actor"),
    *("phase", "drawn", "pending_draw", "declared", "scores", "round", "turns", "passes", "drew_on", "guilty"),
    *("owing", "received", "offender", "known", "outcome"),
)

# Ids of the actions that are not plays; they put `legal()` in the order of design.md section 3.
_COMMAND_IDS = {"draw": 72, "pass": 73, "accept": 74, "challenge": 75, "uno": 76, "catch": 77}


class ReferenceGame:
    """One game of Uno. Seats are 0..n-1 clockwise, cards are strings such as "r5", "bD", "W4"."""

    def __init__(self, rules, num_players, seed):
        self._set_up(rules, num_players, seed)
        n = self.num_players
        self.dealer = self.generator.below(n) if self.rules["first_dealer"] == "random" else n - 1
        self._deal()

    def _set_up(self, rules, num_players, seed):
        self.given_rules = rules
        self.rules = complete_rules(rules)
        self.num_players = num_players
        self.generator = Generator(seed)
        self.dealer = num_players - 1
        self.scores = [0] * num_players
        self.round = 1
        self._clear_round()

    def _clear_round(self):
        n = self.num_players
        self.hands = [[] for _ in range(n)]
        self.draw_pile = []  # [0] is the next card drawn
        self.discard_pile = []  # [-1] is the top
        self.colour = None
        self.direction = 1
        self.turn = self.actor = 0
        self.phase = "PLAY"
        self.drawn = None
        self.pending_draw = 0
        self.declared = [False] * n
        self.turns = 0
        self.passes = 0
        self.drew_on = [None] * n
        self.guilty = None
        self.owing = set()
        self.received = set()
        self.offender = None
        self.known = {}  # (seat, holder) -> Counter of the cards that `seat` knows in the hand of `holder`
        self.outcome = None

    # ------------------------------------------------------------------------------------------------- positions

    @classmethod
    def from_position(cls, position, seed=0):
        """The game that `position` (docs/notation.md) describes; keys left out take their plain value."""
        unknown = sorted(set(position) - set(POSITION_KEYS))
        if unknown:
            raise ValueError(f"position: unknown keys {unknown}")
        rules = position.get("rules", "official")
        named = rules if isinstance(rules, dict) else {}
        n = position.get("num_players", named.get("num_players", len(position["hands"])))
        if n != len(position["hands"]):
            raise ValueError(f"hands: {len(position['hands'])} hands for {n} players")

        game = cls.__new__(cls)
        game._set_up(rules, n, seed)
        game.hands = [sort_cards(hand) for hand in position["hands"]]
        game.draw_pile = list(position.get("draw_pile", []))
        game.discard_pile = list(position.get("discard_pile", []))
        game.phase = position.get("phase", "PLAY")
        if game.phase not in PHASES:
            raise ValueError(f"phase: {game.phase!r}")
        top = game.discard_pile[-1] if game.discard_pile else None
        printed = top[0] if top and not is_wild(top) else None
        game.colour = position.get("colour", printed)
        game.direction = position.get("direction", 1)
        game.dealer = position.get("dealer", n - 1)
        game.turn = position.get("turn", 0)
        game.actor = position.get("actor", game.turn)
        game.drawn = position.get("drawn")
        game.pending_draw = position.get("pending_draw", 0)
        game.declared = list(position.get("declared", [False] * n))
        game.scores = list(position.get("scores", [0] * n))
        game.round = position.get("round", 1)
        game.turns = position.get("turns", 0 if position.get("phase") == "COLOUR" else 1)
        game.passes = position.get("passes", 0)
        game.drew_on = list(position.get("drew_on", [None] * n))
        in_windows = game.phase in ("JUMP", "SWAP", "CATCH", "CHALLENGE")
        challengeable = in_windows and top == "W4" and game.rules["wild_draw_four"] == "challenge"
        game.guilty = position.get("guilty", False if challengeable else None)
        game.owing = set(position.get("owing", []))
        game.received = set(position.get("received", []))
        game.offender = position.get("offender")
        game.known = {(e["seat"], e["holder"]): Counter(e["cards"]) for e in position.get("known", [])}
        outcome = position.get("outcome")
        game.outcome = None if outcome is None else {key: outcome[key] for key in ("winners", "points", "termination")}
        return game

    def position(self):
        """The complete position, a dict ready for JSON."""
        known = [
            {"seat": seat, "holder": holder, "cards": sort_cards(cards.elements())}
            for (seat, holder), cards in sorted(self.known.items(), key=lambda entry: entry[0])
            if cards.total()
        ]
        return {
            "rules": self.given_rules,
            "num_players": self.num_players,
            "hands": [sort_cards(hand) for hand in self.hands],
            "draw_pile": list(self.draw_pile),
            "discard_pile": list(self.discard_pile),
            "colour": self.colour,
            "direction": self.direction,
            "dealer": self.dealer,
            "turn": self.turn,
            "actor": self.actor,
            "phase": self.phase,
            "drawn": self.drawn,
            "pending_draw": self.pending_draw,
            "declared": list(self.declared),
            "scores": list(self.scores),
            "round": self.round,
            "turns": self.turns,
            "passes": self.passes,
            "drew_on": list(self.drew_on),
            "guilty": self.guilty,
            "owing": sorted(self.owing),
            "received": sorted(self.received),
            "offender": self.offender,
            "known": known,
            "outcome": None
            if self.outcome is None
            else {
                "winners": list(self.outcome["winners"]),
                "points": list(self.outcome["points"]),
                "termination": self.outcome["termination"],
            },
        }

    # ------------------------------------------------------------------------------------------- the deal, rounds

    def _deal(self):
        """Deals a round, turns up the starter and lets it act (rules.md 2.3, 2.4)."""
        self._clear_round()
        n = self.num_players
        first = (self.dealer + 1) % n  # "seat 0" of rules.md (ruling 15)
        pile = full_deck(self.rules["deck"])  # drawn from the end, as in docs/notation.md
        self.generator.shuffle(pile)
        for _ in range(self.rules["hand_size"]):
            for k in range(n):
                self.hands[(first + k) % n].append(pile.pop())
        self.hands = [sort_cards(hand) for hand in self.hands]

        starter_rule = self.rules["starter"]
        if starter_rule == "flip":
            while pile[-1] == "W4":  # the W4 lies at the end already: shuffle it back, try the next
                self.generator.shuffle(pile)
            self.discard_pile.append(pile.pop())
        elif starter_rule == "flip_number":
            while not self.discard_pile or not is_number(self.discard_pile[-1]):
                self.discard_pile.append(pile.pop())
        self.draw_pile = pile[::-1]
        if starter_rule == "first_player":
            self._begin_turn(first)
            return

        starter = self.discard_pile[-1]
        if is_wild(starter):
            self.phase, self.turn, self.actor = "COLOUR", first, first
            return
        self.colour = starter[0]
        if starter[1] == "S":
            self._begin_turn((first + 1) % n)
        elif starter[1] == "D":  # cannot be answered, stacking or not
            self._draw_cards(first, 2)
            self._begin_turn((first + 1) % n)
        elif starter[1] == "R":
            self._begin_turn(self._first_after_reverse(first))
        else:
            self._begin_turn(first)

    def _first_after_reverse(self, first):
        """Turns the direction for a starter Reverse; returns who plays first (rules.md 2.4, rulings 19 and 20)."""
        choice = self.rules["starter_reverse"]
        if self.num_players == 2:
            as_skip = self.rules["two_player_reverse"] == "skip"
            return self.dealer if as_skip or choice == "dealer" else first
        self.direction = -1
        return {
            "dealer": self.dealer,
            "right_of_dealer": (self.dealer - 1) % self.num_players,
            "left_of_dealer": first,
        }[choice]

    def next_round(self):
        """Deals the next round of the match; ValueError while the round runs or when the match is over."""
        if self.phase != "OVER":
            raise ValueError("next_round: the round is not over")
        if self.match_over:
            raise ValueError("next_round: the match is over")
        self.dealer = (self.dealer + 1) % self.num_players
        self.round += 1
        self._deal()

    @property
    def match_over(self):
        """Whether the last round of the match has ended."""
        target = self.rules["target"]
        return self.phase == "OVER" and (target is None or max(self.scores) >= target)

    @property
    def match_winners(self):
        """The seats that won the match; empty while it runs."""
        if not self.match_over:
            return []
        if self.rules["target"] is None:
            return list(self.outcome["winners"])
        best = max(self.scores) if self.rules["scoring"] == "winner_takes_all" else min(self.scores)
        return [seat for seat in range(self.num_players) if self.scores[seat] == best]

    # ------------------------------------------------------------------------------------------------ small helpers

    def _step(self, seat, steps=1):
        """The seat `steps` further on in the order of play."""
        return (seat + steps * self.direction) % self.num_players

    def _others(self, seat):
        """All other seats in order of play, from the next one."""
        return [self._step(seat, k) for k in range(1, self.num_players)]

    def _side(self, seat):
        """The team of a seat; without teams everyone is a side."""
        return seat if self.rules["teams"] is None else seat % self.rules["teams"]

    def _must_call(self):
        return self.rules["uno_call"] == "declare"

    def _can_draw(self):
        """Whether at least one card can be drawn, by a reshuffle if need be."""
        return bool(self.draw_pile) or (self.rules["reshuffle"] and len(self.discard_pile) > 1)

    def _draw_cards(self, seat, count):
        """`seat` draws `count` cards, or as many as there are; returns those drawn (rules.md 2.12)."""
        drawn = []
        while len(drawn) < count and self._can_draw():
            if not self.draw_pile:
                top = self.discard_pile.pop()
                array, self.discard_pile = self.discard_pile, [top]
                self.generator.shuffle(array)
                self.draw_pile = array[::-1]
            drawn.append(self.draw_pile.pop(0))
        self.hands[seat] = sort_cards(self.hands[seat] + drawn)
        return drawn

    def _holds_colour(self, seat):
        """Whether `seat` holds a coloured card of the colour in force."""
        return any(not is_wild(card) and card[0] == self.colour for card in self.hands[seat])

    # ------------------------------------------------------------------------------------------- what may be played

    def _may_play(self, seat, card):
        """Whether `seat` may play `card` from its hand in its turn, bluffs included (rules.md 2.5, 2.9)."""
        if not self.discard_pile:  # the opening of `first_player` (ruling 18)
            return card != "W4" or set(self.hands[seat]) == {"W4"}
        if card == "W4":
            return self.rules["wild_draw_four"] != "enforced" or not self._holds_colour(seat)
        if is_wild(card):
            return True
        top = self.discard_pile[-1]
        return card[0] == self.colour or (not is_wild(top) and card[1] == top[1])

    def _is_bluff(self, seat, card):
        """Whether `card` would be a bluffed Wild Draw Four; bluffs exist only under `challenge` (ruling 23)."""
        return card == "W4" and self.rules["wild_draw_four"] == "challenge" and self._holds_colour(seat)

    def _may_answer(self, seat, card):
        """Whether `seat` may answer the draw card on top with `card` (rules.md 3.1, ruling 34)."""
        top = self.discard_pile[-1]
        stacking = self.rules["stacking"]
        if stacking == "off" or not draw_value(card):
            return False
        same = draw_value(card) == draw_value(top)
        up = stacking == "up" and card == "W4"
        if not (same or up or stacking == "any"):
            return False
        return card != "W4" or self._may_play(seat, card)

    def _playable(self):
        """The different cards that the actor may place in the decision that is due."""
        seat = self.actor
        hand = sorted(set(self.hands[seat]), key=RANK.__getitem__)
        if self.phase == "PLAY":
            return [card for card in hand if self._may_play(seat, card)]
        if self.phase == "DRAWN":
            return [self.drawn]
        if self.phase == "JUMP":
            return [self.discard_pile[-1]]
        if self.phase == "STACK" or (self.phase == "CHALLENGE" and seat == self._step(self.turn)):
            return [card for card in hand if self._may_answer(seat, card)]
        return []

    def legal(self):
        """The texts of the legal actions, in the order of the action ids."""
        seat = self.actor
        if self.phase == "OVER":
            return []
        if self.phase == "COLOUR":
            return [f"colour:{colour}" for colour in COLOURS]
        cards = self._playable()
        actions = []
        for card in cards:
            actions += [f"{card}:{colour}" for colour in COLOURS] if is_wild(card) else [card]
        if cards and self._must_call() and len(self.hands[seat]) == 2 and not self.declared[seat]:
            actions.append("uno")  # ruling 40

        if self.phase == "PLAY" and self.discard_pile:
            obliged = any(not self._is_bluff(seat, card) for card in cards)
            if self._can_draw():
                if self.rules["voluntary_draw"] or not obliged:
                    actions.append("draw")
            elif not obliged:
                actions.append("pass")  # ruling 24
        elif self.phase == "DRAWN":
            if self.rules["drawn_card"] == "may" or self._is_bluff(seat, self.drawn):
                actions.append("pass")  # ruling 23
        elif self.phase == "JUMP":
            actions.append("pass")
        elif self.phase == "SWAP":
            if self._swap_is_optional():
                actions.append("pass")  # ruling 38
            actions += [f"swap:{other}" for other in self._others(seat)]
        elif self.phase == "CATCH":
            actions += ["pass", "uno" if seat == self.offender else "catch"]
        elif self.phase == "CHALLENGE":
            victim = seat == self._step(self.turn)
            actions += ["accept" if victim else "pass", "challenge"]
        elif self.phase == "STACK":
            actions.append("accept")
        return sorted(actions, key=self._action_id)

    def _action_id(self, text):
        """The id of an action in the table of design.md section 3."""
        if text in _COMMAND_IDS:
            return _COMMAND_IDS[text]
        name, _, rest = text.partition(":")
        if name == "colour":
            return 78 + COLOURS.index(rest)
        if name == "swap":
            return 82 + self._others(self.actor).index(int(rest))
        if name in WILDS:
            return 52 + 4 * WILDS.index(name) + COLOURS.index(rest)
        return KINDS.index(name)

    # ----------------------------------------------------------------------------------------------------- actions

    def push(self, text):
        """Carries out one legal action of the actor; ValueError for any other text."""
        legal = self.legal()
        if text not in legal:
            raise ValueError(f"{text!r} in phase {self.phase}: legal: {', '.join(legal)}")
        self._last_actor = seat = self.actor
        if text == "uno":
            self.declared[seat] = True
            if self.phase == "CATCH":  # a receiver calls in time (ruling 44)
                self._next_window()
            return

        name, _, choice = text.partition(":")
        if self.phase == "COLOUR":
            self.colour = choice
            self._begin_turn(seat)
        elif name in KINDS:
            if self.phase == "JUMP" and self.rules["stacking"] != "off":
                self.pending_draw += draw_value(self.discard_pile[-1])  # the replaced card adds (ruling 35)
            self._place(seat, name, choice or name[0])
        elif self.phase == "PLAY":
            self._draw_or_pass(seat, text)
        elif self.phase == "DRAWN":
            self.drawn = None
            self._begin_turn(self._step(seat))
        elif self.phase == "JUMP":
            self._ask_jump(after=seat)
        elif self.phase == "SWAP":
            self._open_catch_windows(self._swap_hands(seat, int(choice)) if name == "swap" else set())
        elif self.phase == "CATCH":
            self._answer_catch(seat, text)
        elif self.phase == "CHALLENGE":
            self._answer_challenge(seat, text)
        elif self.phase == "STACK":
            self._pay(seat)
        # Ruling 41: after every action but `uno`, a flag survives only on a single card.
        self.declared = [flag and len(self.hands[s]) == 1 for s, flag in enumerate(self.declared)]

    def _draw_or_pass(self, seat, text):
        """`draw`, or the forced `pass`, in PLAY (rules.md 2.6, 2.7, 2.12, 3.4)."""
        self.drew_on[seat] = self.colour
        if text == "pass":
            self.passes += 1
            if self.passes == self.num_players:
                self._stalemate()
            else:
                self._begin_turn(self._step(seat))
            return

        self.passes = 0
        search = self.rules["draw_until_playable"]
        found = None
        while found is None:
            drawn = self._draw_cards(seat, 1)
            if not drawn:
                break  # ruling 25
            if self._may_play(seat, drawn[0]) and not (search and self._is_bluff(seat, drawn[0])):
                found = drawn[0]
            if not search:
                break
        if found is None or self.rules["drawn_card"] == "never":
            self._begin_turn(self._step(seat))
        else:
            self.phase, self.drawn = "DRAWN", found

    # --------------------------------------------------------------------------------------------- a card is placed

    def _place(self, seat, card, colour):
        """`seat` places `card`, which gives `colour`; then going out, and the jump-in window."""
        opening = not self.discard_pile
        self.hands[seat].remove(card)
        self._forget(seat, card)
        can_be_challenged = card == "W4" and self.rules["wild_draw_four"] == "challenge" and not opening
        self.guilty = self._holds_colour(seat) if can_be_challenged else None  # ruling 30: fixed here
        self.discard_pile.append(card)
        self.colour = colour
        self.turn = seat  # a jumper and a seat that answers take the turn (ruling 7)
        self.drawn = None
        self.passes = 0

        uncalled = self._must_call() and not self.declared[seat]
        if not self.hands[seat]:
            if not (uncalled and self.rules["uno_required_to_win"] and self._can_draw()):
                self._go_out(seat)
                return
            self._draw_cards(seat, 2)  # ruling 49
        elif len(self.hands[seat]) == 1 and uncalled:
            self.owing.add(seat)
        self._ask_jump(after=None)

    def _ask_jump(self, after):
        """Asks the next seat after `after` (None: from the first) that holds the identical card (rulings 37, 46)."""
        card = self.discard_pile[-1]
        if self.rules["jump_in"] and not is_wild(card):
            seats = [*self._others(self.turn), self.turn]
            for seat in seats[0 if after is None else seats.index(after) + 1 :]:
                if card in self.hands[seat]:
                    self.phase, self.actor = "JUMP", seat
                    return
        self._move_hands()

    # -------------------------------------------------------------------------------------------- hands that move

    def _swap_is_optional(self):
        return self.rules["seven_optional"] and self.discard_pile[-1] != "WX"

    def _move_hands(self):
        """The movement of a 7, a 0, Swap Hands or Shuffle Hands (rules.md 3.2, 3.7)."""
        card = self.discard_pile[-1]
        seat = self.turn
        moved = set()
        seven_zero = self.rules["seven_zero"]
        if card == "WX" or (has_symbol(card, "7") and seven_zero in ("both", "seven")):
            if self.num_players > 2 or self._swap_is_optional():
                self.phase, self.actor = "SWAP", seat
                return
            moved = self._swap_hands(seat, 1 - seat)  # ruling 6
        elif has_symbol(card, "0") and seven_zero in ("both", "zero"):
            moved = self._pass_hands({giver: self._step(giver) for giver in range(self.num_players)})
        elif card == "WS":
            moved = self._shuffle_hands(seat)
        self._open_catch_windows(moved)

    def _swap_hands(self, seat, other):
        return self._pass_hands({seat: other, other: seat})

    def _pass_hands(self, takers):
        """Moves whole hands, `takers[giver]` taking the giver's, with what is known of them; returns who moved."""
        hands, known, n = list(self.hands), self.known, self.num_players
        giver_of = {taker: giver for giver, taker in takers.items()}
        self.known = {}
        for holder in range(n):
            giver = giver_of.get(holder, holder)
            self.hands[holder] = hands[giver]
            for seat in range(n):
                if seat == holder:
                    continue
                if giver != holder and seat == giver:
                    self.known[seat, holder] = Counter(hands[giver])
                elif (seat, giver) in known:
                    self.known[seat, holder] = known[seat, giver]
        self._clear_flags_of(set(takers))
        return set(takers)

    def _shuffle_hands(self, seat):
        """Wild Shuffle Hands: dealt clockwise from the player's left, whatever the direction (ruling 39)."""
        n = self.num_players
        cards = [card for hand in self.hands for card in sort_cards(hand)]
        self.generator.shuffle(cards)
        self.hands = [[] for _ in range(n)]
        taker = (seat + 1) % n
        while cards:
            self.hands[taker].append(cards.pop())
            taker = (taker + 1) % n
        self.hands = [sort_cards(hand) for hand in self.hands]
        self.known = {}
        self._clear_flags_of(set(range(n)))
        return set(range(n))

    def _clear_flags_of(self, moved):
        """Ruling 42: a movement clears flags, but not a call made with this very play by one who now holds one card.

        The player's flag can only stem from this very play: who has called earlier goes out with its next card.
        """
        for seat in moved:
            if not (seat == self.turn and len(self.hands[seat]) == 1):
                self.declared[seat] = False

    # ----------------------------------------------------------------------------------------- catching a silent Uno

    def _open_catch_windows(self, moved):
        """Settles who can be caught, now that the hands have moved (rules.md 2.11, rulings 43 to 47)."""
        self.owing = {seat for seat in self.owing if len(self.hands[seat]) == 1}
        if self._must_call() and self.rules["uno_on_received"]:
            singles = {seat for seat in moved if len(self.hands[seat]) == 1 and not self.declared[seat]}
            self.received = singles - self.owing
        self._next_window()

    def _next_window(self):
        """Opens the window of the next offender in order of play from the card's player, or goes on to the effect."""
        for seat in [self.turn, *self._others(self.turn)]:
            if seat in self.owing or seat in self.received:
                self.phase, self.offender = "CATCH", seat
                self.actor = seat if seat in self.received else self._step(seat)
                self.owing.discard(seat)
                self.received.discard(seat)
                return
        self.offender = None
        self._effect()

    def _answer_catch(self, seat, text):
        if text == "catch":
            self._draw_cards(self.offender, self.rules["uno_penalty"])
            self._next_window()
        elif self._step(seat) == self.offender:  # the last of the others has passed
            self._next_window()
        else:
            self.actor = self._step(seat)

    # --------------------------------------------------------------------------------------------- the card's effect

    def _effect(self):
        """What the card on top does, measured from its player (rules.md 2.8, 2.10, 3.1)."""
        card = self.discard_pile[-1]
        player = self.turn
        if draw_value(card):
            self.pending_draw += draw_value(card)
            victim = self._step(player)
            if self.guilty is not None:
                self.phase, self.actor = "CHALLENGE", victim
            elif any(self._may_answer(victim, answer) for answer in self.hands[victim]):
                self.phase, self.turn, self.actor = "STACK", victim, victim  # ruling 8
            else:
                self._pay(victim)  # ruling 3
        elif has_symbol(card, "S"):
            self._begin_turn(self._step(player, 2))
        elif has_symbol(card, "R") and self.num_players == 2:
            self._begin_turn(player if self.rules["two_player_reverse"] == "skip" else 1 - player)
        elif has_symbol(card, "R"):
            self.direction = -self.direction
            self._begin_turn(self._step(player))
        else:
            self._begin_turn(self._step(player))

    def _pay(self, victim):
        """The victim draws all that is due and loses its turn."""
        self._draw_cards(victim, self.pending_draw)
        self.pending_draw = 0
        self.guilty = None
        self._begin_turn(self._step(victim))

    def _answer_challenge(self, seat, text):
        """`accept`, `pass` or `challenge` on a Wild Draw Four (rules.md 2.10, rulings 31 to 33)."""
        player = self.turn
        victim = self._step(player)
        if text != "challenge":  # who still may claim, in order of play after this seat, up to the player
            following = self._step(seat)
            if self.rules["challenger"] == "any" and following != player:
                self.actor = following
            else:
                self._pay(victim)
            return

        audience = {"challenger": [seat], "all": self._others(player), "none": []}[self.rules["hand_shown_to"]]
        for viewer in audience:
            self.known[viewer, player] = Counter(self.hands[player])
        if self.guilty:
            self._draw_cards(player, self.pending_draw)
            self.pending_draw = 0
            self.guilty = None
            self._begin_turn(victim)
            return
        if seat == victim:
            self.pending_draw += self.rules["failed_challenge_draw"] - 4
        else:
            self._draw_cards(seat, 2)
        self._pay(victim)

    def _begin_turn(self, seat):
        """`seat` begins a turn in PLAY, unless the limit of turns is reached (ruling 29)."""
        limit = self.rules["max_turns"]
        if limit is not None and self.turns >= limit:
            self._end_round([], [0] * self.num_players, "truncated")
            return
        self.turns += 1
        self.phase, self.turn, self.actor = "PLAY", seat, seat

    # --------------------------------------------------------------------------------------------- the end of a round

    def _go_out(self, seat):
        """`seat` has placed its last card: a final draw, then the score (rules.md 2.13, ruling 36)."""
        due = draw_value(self.discard_pile[-1])
        if due and self.rules["final_draw"]:
            self._draw_cards(self._step(seat), self.pending_draw + due)
        self._score(self._side(seat), "out")

    def _stalemate(self):
        """Nobody can play or draw (rules.md 2.12, rulings 26 and 27)."""
        if self.rules["stalemate"] == "fewest_cards":
            fewest = min(len(hand) for hand in self.hands)
            sides = {self._side(s) for s in range(self.num_players) if len(self.hands[s]) == fewest}
            if len(sides) == 1:
                self._score(sides.pop(), "stalemate")
                return
        self._end_round([], [0] * self.num_players, "stalemate")

    def _score(self, side, termination):
        """The round is won by `side` (rules.md 2.14, ruling 50)."""
        n = self.num_players
        values = [sum(points(card, self.rules) for card in hand) for hand in self.hands]
        gains = [0] * n
        for seat in range(n):
            own = self._side(seat)
            if self.rules["scoring"] == "winner_takes_all":
                if own == side:
                    gains[seat] = sum(values[s] for s in range(n) if self._side(s) != side)
            elif own != side:
                gains[seat] = sum(values[s] for s in range(n) if self._side(s) == own)
        self._end_round([s for s in range(n) if self._side(s) == side], gains, termination)

    def _end_round(self, winners, gains, termination):
        self.scores = [score + gain for score, gain in zip(self.scores, gains, strict=True)]
        self.outcome = {"winners": winners, "points": gains, "termination": termination}
        self.phase = "OVER"
        self.turn = self.actor = self._last_actor
        self.pending_draw = 0
        self.drawn = None
        self.guilty = None
        self.owing = set()
        self.received = set()
        self.offender = None

    # ------------------------------------------------------------------------------------------------------ knowledge

    def _forget(self, holder, card):
        """`holder` has played `card`: who knew of m copies in its hand knows of m - 1."""
        for seat in range(self.num_players):
            cards = self.known.get((seat, holder))
            if cards and cards[card]:
                cards[card] -= 1

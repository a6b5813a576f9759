"""Digests of random games, to be compared between compiled and plain Python: ``python -m tests.core.digest_games FIRST LAST``.

Prints one digest per game: over the record's bytes after every action, the masks, observations, and what a resample gives.
"""

from __future__ import annotations

import hashlib
import random
import sys

from tests.reference import random_rules
from tests.strategies import choose
from uno_env import PRESETS, Game, Rules


def digest(number: int) -> str:
    """One game: the rules, the seed and the actions follow from ``number``."""
    rng = random.Random(number)
    names = list(PRESETS)
    rules = Rules.preset(names[number]) if number < len(names) else Rules.from_dict(random_rules(rng))
    game = Game(rules, rng.getrandbits(64))
    told = hashlib.sha256()
    for step in range(60):
        told.update(game.to_bytes())
        told.update(game.action_mask().tobytes())
        told.update(game.observe(rng.randrange(game.num_players)).tobytes())
        if step % 10 == 5:
            told.update(game.resample(rng.randrange(game.num_players), rng.getrandbits(64)).to_bytes())
        if game.over:
            told.update(game.rewards("points").tobytes())
            if game.match_winners is not None:
                break
            game.next_round()
        else:
            game.push(choose(game, rng))
    return told.hexdigest()


if __name__ == "__main__":
    for game_number in range(int(sys.argv[1]), int(sys.argv[2])):
        print(digest(game_number))

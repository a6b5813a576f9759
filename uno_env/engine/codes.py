"""Names for the codes of rules fields in compiled code, in the order of `uno_env.rules.CHOICES`."""

from __future__ import annotations

LAST_SEAT, RANDOM_DEALER = range(2)
FLIP, FLIP_NUMBER, FIRST_PLAYER = range(3)
REVERSE_DEALER, REVERSE_RIGHT, REVERSE_LEFT = range(3)
MAY, MUST, NEVER = range(3)
BLUFFABLE, ENFORCED, FREE = range(3)
VICTIM, ANYONE = range(2)
SHOWN_TO_CHALLENGER, SHOWN_TO_ALL, SHOWN_TO_NONE = range(3)
REVERSE_SKIPS, REVERSE_PLAIN = range(2)
DECLARE, AUTO = range(2)
NO_STACKING, STACK_SAME, STACK_UP, STACK_ANY = range(4)
NO_SWAPS, SEVEN_AND_ZERO, ONLY_SEVEN, ONLY_ZERO = range(4)
WINNER_TAKES_ALL, KEEP_OWN = range(2)
VOID, FEWEST_CARDS = range(2)

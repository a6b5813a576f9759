"""The rule fields with their official values, and the presets (design.md section 5, ruling 22)."""

OFFICIAL = {
    "num_players": 4,
    "deck": "classic",
    "hand_size": 7,
    "first_dealer": "last_seat",
    "starter": "flip",
    "starter_reverse": "dealer",
    "voluntary_draw": True,
    "drawn_card": "may",
    "draw_until_playable": False,
    "wild_draw_four": "challenge",
    "challenger": "victim",
    "failed_challenge_draw": 6,
    "hand_shown_to": "challenger",
    "final_draw": True,
    "two_player_reverse": "skip",
    "uno_call": "declare",
    "uno_penalty": 2,
    "uno_on_received": False,
    "uno_required_to_win": False,
    "stacking": "off",
    "seven_zero": "off",
    "seven_optional": False,
    "jump_in": False,
    "teams": None,
    "scoring": "winner_takes_all",
    "target": 500,
    "wild_points": 50,
    "custom_points": 40,
    "stalemate": "void",
    "reshuffle": True,
    "max_turns": 10_000,
}

_RESEARCH = {"uno_call": "auto", "target": None}
_DIGITAL = {**_RESEARCH, "wild_draw_four": "enforced"}
_MINI = {**_DIGITAL, "num_players": 2, "hand_size": 2, "voluntary_draw": False, "reshuffle": False}

PRESETS = {
    "official": {},
    "crash_course": {"starter": "first_player", "voluntary_draw": False, "drawn_card": "never", "final_draw": False},
    "how_to_play": {"final_draw": False, "wild_points": 40},
    "house_stacking": {"stacking": "same"},
    "house_seven_zero": {"seven_zero": "both", "uno_on_received": True},
    "house_jump_in": {"jump_in": True},
    "party": {"stacking": "same", "seven_zero": "both", "jump_in": True, "uno_on_received": True},
    "no_bluffing_penalty": {"failed_challenge_draw": 4},
    "team": {"teams": 2},
    "research": _RESEARCH,
    "digital": _DIGITAL,
    "mini": {**_MINI, "deck": dict.fromkeys(("r0", "r1", "rS", "y0", "y1", "yS", "W"), 1)},
    "mini_bluff": {
        **_MINI,
        "wild_draw_four": "challenge",
        "deck": dict.fromkeys(("r0", "r1", "r2", "y0", "y1", "y2", "W", "W4"), 1),
    },
}


def complete_rules(rules):
    """All fields, from a preset's name or a dict of the fields that differ from `official`."""
    changes = PRESETS[rules] if isinstance(rules, str) else rules
    unknown = sorted(set(changes) - set(OFFICIAL))
    if unknown:
        raise ValueError(f"rules: unknown fields {unknown}")
    return {**OFFICIAL, **changes}

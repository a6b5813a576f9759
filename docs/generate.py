"""Write the generated parts of README.md and docs/*.md: ``python docs/generate.py``; ``--check`` only says what has drifted.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. NAME is one of `GENERATORS`, or one of `NAMED`
with one of its names: ``preset official``, ``crossplay two_player``. Results come from ``docs/results``: `train.tournament` and
`train.best_response` write them, with the command in them; `goals` compares them with ``docs/results/goals.yaml``.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import yaml

from uno_env import cards, notation, observe, rules, single_agent, state, text_env, uno_v0
from uno_env.rules import CHOICES, FLAGS, OPTIONAL, PRESETS, RANGES, Rules, RulesError

ROOT = Path(__file__).resolve().parent.parent

#: Where ``docs/rules.md`` treats a field, and which sources stand behind which value (keys of its section 0).
SOURCES: dict[str, tuple[str, str]] = {
    "num_players": ("2.3", "sheets, B"),
    "deck": ("2.1", "classic: sheets, B; swap: M15; shuffle: M18; mapping: ours"),
    "hand_size": ("2.3", "7: sheets, A, B"),
    "first_dealer": ("2.2", "random: the sheets' draw, by symmetry; last_seat: ours"),
    "starter": ("2.4", "flip: sheets, B; flip_number: MNM; first_player: A"),
    "starter_reverse": ("2.4", "dealer: M05, M08, M15, MF18, W; right: M01; left: A"),
    "voluntary_draw": ("2.6", "True: sheets, W, B; False: A"),
    "drawn_card": ("2.7", "may: M05, M08, M15, W, B; must: M01, MNM; never: A"),
    "draw_until_playable": ("3.4", "True: GBA, MHR+, MNM, W"),
    "wild_draw_four": ("2.9", "challenge: sheets, A, B; enforced, free: E"),
    "challenger": ("2.10", "victim: M01, M05, M08, M15, W, B; any: A, loosely"),
    "failed_challenge_draw": ("2.10", "6: sheets, W, A, B; 4: a variation in B"),
    "hand_shown_to": ("2.10", "challenger: sheets, W, A; all, none: ours"),
    "final_draw": ("2.13", "True: sheets, W; False: A, B, literally"),
    "two_player_reverse": ("2.8", "skip: M01, M05, W, UR, B; plain: ours"),
    "uno_call": ("2.11", "declare: all texts; auto: E"),
    "uno_penalty": ("2.11", "2: M05, M08, M15, MIG, W, A, B; 4: M01"),
    "uno_on_received": ("2.11", "False: I; True: MNM, A, loosely"),
    "uno_required_to_win": ("2.11", "False: sheets, A; True: B, literally"),
    "stacking": ("3.1", "off: sheets, B; same: M08, B; up, any: E"),
    "seven_zero": ("3.2", "both: M08, MNM, B; seven, zero: ours"),
    "seven_optional": ("3.2", "False: M08, MNM; True: B, literally"),
    "jump_in": ("3.3", "True: M08, B"),
    "teams": ("2.15", "2: M01, M05, A, B; more: ours"),
    "scoring": ("2.14", "winner_takes_all: sheets, A, B; keep_own: sheets"),
    "target": ("2.14", "500: sheets, A, B; None: B"),
    "wild_points": ("2.14", "50: sheets, A; 40: B"),
    "custom_points": ("2.14", "40: M15, A"),
    "stalemate": ("2.12", "I"),
    "reshuffle": ("2.12", "True: sheets, B; False: ours"),
    "max_turns": ("2.13", "ours"),
}

#: What each preset is for, in a line; section 6.2 of ``docs/rules.md`` has a paragraph for each.
USES = {
    "official": "the publisher's rules in full, calls and challenges included",
    "crash_course": "the video transcript the project began from, read literally",
    "how_to_play": "the How-to-Play text the project began from, read literally",
    "house_stacking": "draw cards answer draw cards of the same kind",
    "house_seven_zero": "a 7 swaps hands, a 0 passes all hands on",
    "house_jump_in": "identical cards may be played out of turn",
    "party": "the three house rules together",
    "no_bluffing_penalty": "a wrong challenge costs no extra cards",
    "team": "partners opposite each other",
    "research": "training and the leaderboard: bluff and challenge, Uno called by itself, single rounds",
    "digital": "comparable with published figures: Wild Draw Four enforced, Uno called by itself, single rounds",
    "mini": "a tiny finite game for exact solving",
    "mini_bluff": "a tiny finite game with a bluff, for exact solving",
}


def cell(text: str) -> str:
    """Text for one cell of a Markdown table, from a docstring."""
    return " ".join(text.replace("``", "`").split()).replace("|", r"\|")


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(line) + " |" for line in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


def code(value: Any) -> str:
    """A value as Python writes it, with double quotes."""
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


# Fields and presets -----------------------------------------------------------------------------------------------------


def meanings() -> dict[str, str]:
    """The docstring of every field of `Rules`, from its source."""
    tree = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
    body = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Rules").body
    found = {}
    for field, doc in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(doc, ast.Expr):
            if isinstance(doc.value, ast.Constant) and isinstance(doc.value.value, str):
                found[field.target.id] = doc.value.value
    return found


def accepted(name: str, values: range) -> list[int]:
    """Which of ``values`` the field takes, found by trying."""
    found = []
    for value in values:
        try:
            dataclasses.replace(Rules(), **{name: value})
        except RulesError:
            continue
        found.append(value)
    return found


def values_of(name: str, default: Any) -> str:
    """The values of a field, the default first."""
    if name == "deck":
        return ", ".join(map(code, cards.DECKS)) + ", or a mapping"
    if name in CHOICES:
        return ", ".join(map(code, CHOICES[name]))
    if name in FLAGS:
        return f"`{default}`, `{not default}`"
    if name in RANGES:
        low, high = RANGES[name]
        return f"`{low}` to `{high}`" + (", or `None`" if name in OPTIONAL else "")
    numbers = sorted(accepted(name, range(21)), key=lambda value: value != default)
    return ", ".join(map(code, numbers))


def fields() -> str:
    """Every field of `Rules`, with its sources."""
    meaning, rows = meanings(), []
    for field in dataclasses.fields(Rules):
        section, source = SOURCES[field.name]
        rows.append(
            (
                f"`{field.name}`",
                values_of(field.name, field.default),
                code(field.default),
                cell(meaning[field.name]),
                section,
                source,
            )
        )
    return table(("field", "values", "default", "meaning", "section", "sources"), rows)


def short_fields() -> str:
    """Every field of `Rules`, without sources."""
    meaning = meanings()
    rows = [
        (f"`{field.name}`", values_of(field.name, field.default), code(field.default), cell(meaning[field.name]))
        for field in dataclasses.fields(Rules)
    ]
    return table(("field", "values", "default", "meaning"), rows)


def difference(preset: str) -> str:
    """The fields in which a preset differs from ``official``."""
    changes = []
    for name, value in PRESETS[preset].items():
        if name == "deck":
            value = "one each of " + " ".join(value) if set(value.values()) == {1} else value
            changes.append(f"`deck`: {value}")
        else:
            changes.append(f"`{name}={value!r}`".replace("'", '"'))
    return ", ".join(changes) or "every default"


def preset(name: str) -> str:
    """One preset's line for ``docs/rules.md``."""
    return f"Fields: {difference(name)}."


def presets() -> str:
    """All presets."""
    return table(("preset", "for", "differs from `official` in"), [(f"`{name}`", USES[name], difference(name)) for name in PRESETS])


# Actions and observation ------------------------------------------------------------------------------------------------


def action_rows() -> list[tuple[int, int, str, str]]:
    """Blocks of the action table: first id, last id, meaning, texts."""
    texts = notation.ACTION_TEXTS
    wilds = ", ".join(f"{index} {name}" for index, name in enumerate(cards.WILD_NAMES))
    colours = cards.NUM_COLOURS

    def some(*ids: int) -> str:
        return ", ".join(f"`{texts[action]}`" for action in ids)

    last_wild = state.PLAY_WILD + cards.NUM_WILDS * colours - 1
    return [
        (
            0,
            state.PLAY_WILD - 1,
            f"play the coloured card `colour*{cards.NUM_SYMBOLS} + symbol`: colours {', '.join(cards.COLOURS)}; "
            "symbols 0-9, Skip, Reverse, Draw Two",
            some(0, 5, cards.coloured(1, cards.SKIP), cards.coloured(2, cards.REVERSE), cards.coloured(3, cards.DRAW_TWO)),
        ),
        (
            state.PLAY_WILD,
            last_wild,
            f"play a wild and name the colour: `{state.PLAY_WILD} + {colours}*wild + colour`; wilds {wilds}",
            some(*(state.PLAY_WILD + colours * wild + wild % colours for wild in range(cards.NUM_WILDS))),
        ),
        (state.DRAW, state.DRAW, "draw: one card, or until one is playable, by the rules", some(state.DRAW)),
        (
            state.PASS,
            state.PASS,
            "pass: keep the drawn card; decline a jump-in, a catch, an optional swap, an outsider's challenge; "
            "or the forced pass when nothing can be played or drawn",
            some(state.PASS),
        ),
        (state.ACCEPT, state.ACCEPT, "accept the draw that is due", some(state.ACCEPT)),
        (state.CHALLENGE, state.CHALLENGE, "challenge the Wild Draw Four", some(state.CHALLENGE)),
        (state.UNO, state.UNO, "call Uno, before the play that leaves one card (or for a single card received)", some(state.UNO)),
        (state.CATCH, state.CATCH, "catch the player who did not call", some(state.CATCH)),
        (
            state.NAME_COLOUR,
            state.NAME_COLOUR + colours - 1,
            "name the colour of a starter Wild",
            some(*range(state.NAME_COLOUR, state.NAME_COLOUR + colours)),
        ),
        (
            state.SWAP,
            state.NUM_ACTIONS - 1,
            f"swap hands with the k-th other player in order of play: `{state.SWAP} + k - 1`",
            "`swap:SEAT`, the absolute seat",
        ),
    ]


def actions() -> str:
    """The action table."""
    rows = [(str(low) if low == high else f"{low}-{high}", meaning, texts) for low, high, meaning, texts in action_rows()]
    return table(("id", "meaning", "text"), rows)


# Environments -----------------------------------------------------------------------------------------------------------

ENVIRONMENTS: dict[str, tuple[Any, Any]] = {
    "uno-v0": (uno_v0, uno_v0.raw_env),
    "Uno-v0": (single_agent, single_agent.UnoEnv),
    "Uno-text-v0": (text_env, text_env.UnoTextEnv),
}
"""By name: the module whose docstring is its page, and the class."""


def creation(name: str) -> str:
    """How an environment is made."""
    if name == "uno-v0":
        return '`uno_v0.env()`, or `pettingzoo.make("aec", "uno_env/uno-v0")` (PettingZoo 1.27)'
    return f'`gymnasium.make("uno_env:{name}")`'


def shape(space: Any) -> str:
    """Shape and values of a space, for two cells."""
    if isinstance(space, gymnasium.spaces.Text):
        return f"text of at most {space.max_length:,} printable ASCII characters"
    if isinstance(space, gymnasium.spaces.Box):
        return f"`{space.shape}`, `{space.dtype}` from {space.low.min()} to {space.high.max()}"
    if isinstance(space, gymnasium.spaces.Discrete):
        return f"one number, `{space}`"
    return "; ".join(f"`{key}`: {shape(part)}" for key, part in space.items())


def environment(name: str) -> str:
    """What an environment is, read off an instance of it."""
    _, made = ENVIRONMENTS[name]
    env = made()
    rows: list[tuple[str, str]] = [("Creation", creation(name))]
    if name == "uno-v0":
        agents = env.possible_agents
        low, high = RANGES["num_players"]
        rows += [
            ("Agents", f"{', '.join(f'`{agent}`' for agent in agents)}; {low}-{high}"),
            ("Parallel API", "yes" if env.metadata["is_parallelizable"] else "no"),
            ("Manual control", "`python -m train.play`"),
            ("Action shape and values", shape(env.action_space(agents[0]))),
            ("Observation shape and values", shape(env.observation_space(agents[0]))),
            ("State shape and values", shape(env.state_space)),
        ]
    else:
        rows += [
            ("Agents", "one learner; 1-9 opponents"),
            ("Action shape and values", shape(env.action_space)),
            ("Observation shape and values", shape(env.observation_space)),
        ]
    rows.append(("Render modes", ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])))
    return table(("", ""), rows)


def arguments(name: str) -> str:
    """The arguments of an environment: defaults from its signature, meanings from its page."""
    page, made = ENVIRONMENTS[name]
    section = page.__doc__.split("### Arguments\n")[1].split("\n### ")[0]
    defaults = inspect.signature(made).parameters
    rows = []
    for item in re.split(r"^\* ", section, flags=re.M)[1:]:
        argument, meaning = re.match(r"``(\w+)``: (.*)", item.split("\n\n")[0], re.S).groups()  # type: ignore[union-attr]
        meaning = cell(meaning).replace(", see below", "")
        rows.append((f"`{argument}`", code(defaults[argument].default), meaning[0].upper() + meaning[1:]))
    return table(("argument", "default", "meaning"), rows)


# Results ----------------------------------------------------------------------------------------------------------------


PRETRAINED = ROOT / "agents" / "pretrained"
"""The networks that ship."""
RESULTS = frozenset(path.stem for path in (ROOT / "docs" / "results").glob("*.json"))
"""What was measured and is kept."""


def results(name: str) -> dict[str, Any] | None:
    """What ``docs/results/NAME.json`` holds; None where there is no such file yet."""
    path = ROOT / "docs" / "results" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def tournament(name: str) -> dict[str, Any]:
    """A tournament's result; ``ValueError`` where there is none."""
    told = results(name)
    if told is None or "pairings" not in told:
        raise ValueError(f"docs/results/{name}.json: no tournament there; train.tournament writes tournament.json")
    return told


def percent(rate: dict[str, float], scale: float = 100.0) -> str:
    """A mean with its interval."""
    return f"{scale * rate['mean']:.1f} [{scale * rate['low']:.1f}, {scale * rate['high']:.1f}]"


def crossplay(name: str) -> str:
    """Wins in percent of row against column, in the order of the standings where agents are ranked."""
    told = tournament(name)
    cells = {(pairing["agent"], pairing["opponent"]): percent(pairing["win_rate"]) for pairing in told["pairings"]}
    order = [standing["agent"] for standing in told["standings"]] or told["agents"]
    against = [column for column in order if any((row, column) in cells for row in order)]
    rows = [
        (f"**`{row}`**", *(cells.get((row, column), "-") for column in against))
        for row in order
        if any((row, column) in cells for column in order)
    ]
    return table(("", *(f"`{column}`" for column in against)), rows)


def standing_rows(name: str) -> str:
    """Places and ratings."""
    rows = []
    for one in tournament(name)["standings"]:
        place = str(one["rank"]) if one["best"] == one["worst"] else f"{one['rank']} [{one['best']}, {one['worst']}]"
        half = 1.96 * one["sigma"]
        rows.append((place, f"`{one['agent']}`", f"{one['mu']:.1f} [{one['mu'] - half:.1f}, {one['mu'] + half:.1f}]"))
    return table(("place", "agent", "OpenSkill"), rows)


def made(name: str) -> str:
    """How a result was made: games, seed, and the command."""
    told = tournament(name)
    cycles = [" > ".join((*cycle, cycle[0])) for cycle in told["cycles"]]
    ranked = f"; cycles of three that are certain: {', '.join(cycles) or 'none'}" if told["standings"] else ""
    lines = [
        f"{told['games']:,} games, seed {told['seed']}, commit `{told['made']['versions']['git_commit'][:12]}`{ranked}.",
        "",
        f"```sh\n{told['made']['command']}\n```",
    ]
    return "\n".join(lines)


def study(name: str) -> str:
    """A study's table, and how it was made."""
    told = results(name)
    if told is None or "rows" not in told:
        raise ValueError(f"docs/results/{name}.json: no study there; train.study writes study.json")
    from train.study import markdown  # torch is needed for it, and for nothing else here

    return f"{markdown(told)}\n\n```sh\n{told['made']['command']}\n```"


def shipped(name: str) -> str:
    """What a network in ``agents/pretrained`` wins, in percent, and where it comes from."""
    told = json.loads((PRETRAINED / f"{name}.json").read_text(encoding="utf-8"))
    cells = {(one["rules"], one["num_players"], one["opponent"]): percent(one["win_rate"]) for one in told["strength"]}
    opponents = list(dict.fromkeys(opponent for _, _, opponent in cells))
    rows = [
        (f"`{rules}`", str(players), *(cells[rules, players, opponent] for opponent in opponents))
        for rules, players in dict.fromkeys((rules, players) for rules, players, _ in cells)
    ]
    trained, games = told["trained"], told["strength"][0]["games"]
    where = f"{trained['steps']:,} steps in {trained['minutes']:.0f} minutes, seed {trained['config']['seed']}"
    heads = ("rules", "players", *(f"`{opponent}`" for opponent in opponents))
    return f"{table(heads, rows)}\n\n{where}; {games:,} games of each pairing.\n\n```sh\n{told['made']['command']}\n```"


def goals() -> str:
    """Goals beside what was measured: a row for each goal and set of rules."""
    rows = []
    for goal in yaml.safe_load((ROOT / "docs" / "results" / "goals.yaml").read_text(encoding="utf-8")):
        for name in goal["results"]:
            against = (
                f"`{goal['agent']}` against `{goal['opponent']}`" if "opponent" in goal else f"best response to `{goal['agent']}`"
            )
            rows.append((cell(goal["claim"]), f"`{name}`", against, wanted(goal), *reached(goal, measured(goal, results(name)))))
    return table(("claim", "result", "measured", "goal", "measured %", "reached"), rows)


def wanted(goal: dict[str, Any]) -> str:
    """The goal in words."""
    if "at_least" in goal:
        return f"at least {goal['at_least']}"
    return f"at most {goal['at_most']}" if "at_most" in goal else "for reference"


def measured(goal: dict[str, Any], told: dict[str, Any] | None) -> dict[str, float] | None:
    """Mean and ends of the interval, in points of percent; None for what is not measured yet."""
    if told is None:
        return None
    if "opponent" not in goal:
        return told["gain"] if told.get("agent") == goal["agent"] else None
    for pairing in told.get("pairings", ()):
        if (pairing["agent"], pairing["opponent"]) == (goal["agent"], goal["opponent"]):
            return {end: 100 * pairing["win_rate"][end] for end in ("mean", "low", "high")}
    return None


def reached(goal: dict[str, Any], found: dict[str, float] | None) -> tuple[str, str]:
    """What was measured, and whether it reaches the goal: only an interval that lies on one side of the goal decides."""
    if found is None:
        return "not yet", ""
    told = percent(found, 1.0)
    if "at_least" in goal:
        yes, no = found["low"] >= goal["at_least"], found["high"] < goal["at_least"]
    elif "at_most" in goal:
        yes, no = found["high"] <= goal["at_most"], found["low"] > goal["at_most"]
    else:
        return told, ""
    return told, "**yes**" if yes else "no" if no else "open: the interval holds the goal"


NAMED: dict[str, tuple[Callable[[str], str], Any]] = {
    "preset": (preset, PRESETS),
    "environment": (environment, ENVIRONMENTS),
    "arguments": (arguments, ENVIRONMENTS),
    "crossplay": (crossplay, RESULTS),
    "standings": (standing_rows, RESULTS),
    "made": (made, RESULTS),
    "study": (study, RESULTS),
    "shipped": (shipped, frozenset(path.stem for path in PRETRAINED.glob("*.json"))),
}
"""Parts that are generated for a name: their generator, and the names."""

GENERATORS: dict[str, Callable[[], str]] = {
    "fields": fields,
    "rules": short_fields,
    "presets": presets,
    "actions": actions,
    "observation": observe.describe_layout,
    "goals": goals,
}
#: Parts that are of something: of a preset, or of a file in ``docs/results``.

# Files ------------------------------------------------------------------------------------------------------------------

PART = re.compile(r"^<!-- generated: (?P<name>[^\n]+?) -->\n(?P<text>.*?)^<!-- end -->$", re.M | re.S)


def generated(name: str) -> str:
    """The text of a generated part; ``ValueError`` for a name that nothing is generated for."""
    if name in GENERATORS:
        return GENERATORS[name]()
    kind, _, which = name.partition(" ")
    generator, names = NAMED.get(kind, (None, ()))
    if generator is not None and which in names:
        return generator(which)
    raise ValueError(
        f"generated part {name!r}: expected one of {', '.join(GENERATORS)}, or one of {', '.join(NAMED)} and a name that it has"
    )


def documents() -> list[Path]:
    """The files that may have generated parts."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def drifted(text: str) -> list[str]:
    """Names of the generated parts of ``text`` that are not what would be generated now."""
    return [part["name"] for part in PART.finditer(text) if part["text"] != generated(part["name"]) + "\n"]


def renewed(text: str) -> str:
    """``text`` with its parts generated anew."""
    return PART.sub(lambda part: f"<!-- generated: {part['name']} -->\n{generated(part['name'])}\n<!-- end -->", text)


def main(arguments: list[str]) -> int:
    """Renew all files, or with ``--check`` name what has drifted; returns the exit status."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    status = 0
    for path in documents():
        text = path.read_text(encoding="utf-8")
        names = drifted(text)
        if not names:
            continue
        if arguments:
            status = 1
            for name in names:
                print(f"{path.relative_to(ROOT)}: {name!r} has drifted; run python docs/generate.py", file=sys.stderr)
        else:
            path.write_text(renewed(text), encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: {', '.join(names)} written")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

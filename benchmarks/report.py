"""Write tables and pictures of ``docs/performance.md`` from the JSON in ``benchmarks/results``: ``python -m benchmarks.report``.

A part that is written stands between ``<!-- measured: NAME -->`` and ``<!-- measured end -->``.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.throughput import RESULTS
from uno_env.observe import LAYOUT
from uno_env.state import NUM_ACTIONS, STATE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
PARTS = ("choose", "mask", "observation")
RLCARD, EIGHTS = "RLCard Uno, 2 players", "OpenSpiel crazy_eights, 4 players, tensor and mask"

Report = dict[str, Any]


def figure(report: Report, name: str) -> float | None:
    """The median of a subject, or None where it was not measured."""
    return next((row["per_second"] for row in report["results"] if row["name"] == name), None)


def short(number: float) -> str:
    """Three significant digits, with k and M."""
    for unit, letter in ((1e6, " M"), (1e3, " k")):
        if number >= unit:
            return f"{number / unit:.{max(0, 2 - len(str(int(number / unit))) + 1)}f}{letter}"
    return f"{number:.0f}"


def rows(heads: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    """A Markdown table, the figures to the right."""
    rule = "|---|" + "---:|" * (len(heads) - 1)
    return "\n".join(["| " + " | ".join(heads) + " |", rule, *("| " + " | ".join(row) + " |" for row in body)])


def machine(report: Report) -> str:
    """Where and with what."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items() if number)
    load = report["machine"]["load"][0]
    lines = [
        f"{report['date']}, {report['machine']['processor']}, {report['machine']['cores']} cores, load {load} when it ended; "
        f"Python {report['python']}, {versions}. Medians of {report['options']['repeats']} measurements of "
        f"{report['options']['seconds']} s each, with the lowest and the highest."
    ]
    return "\n".join([*([f"**{report['note']}.**"] if report["note"] else []), *lines])


def everything(report: Report) -> str:
    """All subjects, with how many times RLCard's Uno and OpenSpiel's crazy_eights they are."""
    peers = [figure(report, RLCARD), figure(report, EIGHTS)]
    body = []
    for row in report["results"]:
        if row["name"].startswith("part "):
            continue
        decides = "decisions" in row["unit"]
        times = [short(row["per_second"] / peer) if peer and decides else "" for peer in peers]
        figures = [short(row[key]) for key in ("per_second", "lowest", "highest")]
        body.append((row["name"], row["unit"], *figures, *times))
    body += [(name, reason, "", "", "", "", "") for name, reason in report["missing"].items()]
    return rows(("what", "counted", "per second", "lowest", "highest", "x RLCard Uno", "x crazy_eights"), body)


def targets(report: Report) -> str:
    """What was aimed at, and what came out."""

    def ratio(above: str, below: str) -> float | None:
        a, b = figure(report, above), figure(report, below)
        return a / b if a and b else None

    loop, step = "compiled loop, {}, 4 players", "UnoVector.step(), {}, 4 players"
    batch = f"{step.format('digital')}, batch 8192"
    wanted: list[tuple[str, float | None, float]] = [
        ("compiled loop, digital, 4 players", figure(report, loop.format("digital")), 6e6),
        ("compiled loop, official, 4 players", figure(report, loop.format("official")), 5e6),
        ("the former, times RLCard's Uno", ratio(loop.format("official"), RLCARD), 200),
        ("through Python: UnoVector.step(), official, times crazy_eights", ratio(step.format("official"), EIGHTS), 50),
        (
            "UnoVector.step() with actions from NumPy, digital, batch 1024",
            figure(report, f"{step.format('digital')}, batch 1024"),
            4e6,
        ),
        (
            "two threads, compiled loop, times one",
            ratio(f"{loop.format('digital')}, 2 of 2 cores", f"{loop.format('digital')}, 1 of 2 cores"),
            1.8,
        ),
        ("two threads, UnoVector.step(), batch 8192, times one", ratio(f"{batch}, 2 of 2 cores", f"{batch}, 1 of 2 cores"), 1.8),
        ("PettingZoo raw_env(), 4 players", figure(report, "PettingZoo raw_env(), digital, 4 players"), 1e5),
        ("PettingZoo env(), 4 players", figure(report, "PettingZoo env(), digital, 4 players"), 4e4),
        ("rounds of rule against rule, 2 players", figure(report, "rule against rule, compiled, digital, 2 players"), 1e5),
        ("copies of a game in compiled code (10 M is 100 ns each)", figure(report, "copy of a game, compiled"), 1e7),
    ]

    def told(number: float) -> str:
        return f"{number:.2f}" if number < 10 else short(number)

    body = [
        (name, told(aim), told(got) if got else "not measured", ("yes" if got >= aim else f"no: {got / aim:.0%}") if got else "")
        for name, got, aim in wanted
    ]
    return rows(("per second, or a ratio", "target", "measured", "reached"), body)


def bytes_per_decision(num_players: int) -> int:
    """What `UnoVector` writes for a decision: the observation but for the cards known in other hands, the mask, actor, rewards."""
    return LAYOUT["known_size"].start + NUM_ACTIONS + 1 + 4 * num_players


def limits(report: Report, counts: dict[str, int]) -> str:
    """How far the compiled loop is from what the machine allows."""
    written = bytes_per_decision(4)
    got = figure(report, "compiled loop, digital, 4 players")
    body = [("compiled loop, digital, 4 players, batch 1024", "", short(got) if got else "not measured")]
    for name, where in (("memory", "to memory"), ("cache", "within the second-level cache")):
        speed = report["bytes_written_per_second"][name]
        body.append((f"{written} bytes a decision, {where}", f"{speed / 1e9:.1f} GB/s", short(speed / written)))
    body += [(f"instructions a decision, {case} players", str(count), "") for case, count in counts.items()]
    body.append(
        (
            f"record {STATE.itemsize} bytes, observation and mask {sum(part.size for part in LAYOUT.values()) + NUM_ACTIONS} bytes",
            "",
            "",
        )
    )
    return rows(("", "measured", "decisions per second"), body)


def nanoseconds(report: Report, rules: str) -> dict[str, float]:
    """The parts of a decision; what is left of the whole carries out actions, deals and keeps rewards."""
    found = {part: 1e9 / (figure(report, f"part {part}, {rules}, 4 players") or float("nan")) for part in PARTS}
    whole = 1e9 / (figure(report, f"part all, {rules}, 4 players") or float("nan"))
    return {"carry out the action, deal": whole - sum(found.values())} | found


def profile(report: Report) -> str:
    """The same as a table."""
    both = {rules: nanoseconds(report, rules) for rules in ("digital", "official")}
    names = {"choose": "choose a legal action at random", "mask": "write the mask", "observation": "write the observation"}
    body = [(names.get(part, part), *(f"{both[rules][part]:.0f} ns" for rules in both)) for part in both["digital"]]
    body.append(("together", *(f"{sum(parts.values()):.0f} ns" for parts in both.values())))
    return rows(("part of a decision, 64 games of 4 players", *both), body)


def draw(report: Report, path: Path) -> None:
    """Three pictures: beside peers, by batch size, and where a decision's time goes."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "uno-env"  # the same figures give the same file
    from matplotlib import pyplot

    canvas, (beside, growth, parts) = pyplot.subplots(3, 1, figsize=(8, 11), height_ratios=[3, 2, 1.5], layout="constrained")
    chosen = [
        "compiled loop, digital, 4 players",
        "compiled loop, official, 4 players",
        "UnoVector.step(), official, 4 players",
        "PettingZoo raw_env(), digital, 4 players",
        "PettingZoo env(), digital, 4 players",
        "Gymnasium UnoEnv, digital, 4 players",
        "Game.push(), digital, 4 players",
        *(row["name"] for row in report["results"] if row["name"].startswith(("RLCard", "OpenSpiel", "PettingZoo Leduc", "Pgx"))),
    ]
    found = [(name, value) for name in chosen if (value := figure(report, name))]
    colours = ["#999999" if name.startswith(("RLCard", "OpenSpiel", "PettingZoo Leduc", "Pgx")) else "#1f77b4" for name, _ in found]
    bars = beside.barh([name for name, _ in found], [value for _, value in found], color=colours)
    beside.bar_label(bars, [short(value) for _, value in found], padding=3, fontsize=8)
    beside.set_xscale("log")
    beside.invert_yaxis()
    beside.margins(x=0.15)
    beside.set_title("decisions per second (grey: peers)")
    beside.tick_params(axis="y", labelsize=8)

    for label in ("compiled loop", "UnoVector.step()"):
        points = [
            (int(match[1]), row["per_second"])
            for row in report["results"]
            if (match := re.fullmatch(re.escape(label) + r", digital, 4 players, batch (\d+)", row["name"]))
        ]
        growth.plot([size for size, _ in points], [value / 1e6 for _, value in points], marker="o", label=label)
    growth.set_xscale("log", base=2)
    growth.set_ylim(bottom=0)
    growth.set_xlabel("games in the batch (digital, 4 players)")
    growth.set_ylabel("million decisions per second")
    growth.legend()

    left = {"digital": 0.0, "official": 0.0}
    for part in nanoseconds(report, "digital"):
        widths = [nanoseconds(report, rules)[part] for rules in left]
        bars = parts.barh(list(left), widths, left=list(left.values()), label=part)
        parts.bar_label(bars, [f"{width:.0f}" for width in widths], label_type="center", fontsize=8)
        left = {rules: at + width for (rules, at), width in zip(left.items(), widths, strict=True)}
    parts.invert_yaxis()
    parts.set_xlabel("nanoseconds of a decision (64 games, 4 players)")
    parts.legend(ncols=4, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.3))
    canvas.savefig(path, metadata={"Date": None})
    pyplot.close(canvas)


def renew(text: str, parts: dict[str, str]) -> str:
    """The page with its measured parts written anew; ValueError for a part that is not known."""

    def written(match: re.Match[str]) -> str:
        if match[1] not in parts:
            raise ValueError(f"measured: {match[1]!r} is not one of {', '.join(parts)}")
        return f"<!-- measured: {match[1]} -->\n{parts[match[1]]}\n<!-- measured end -->"

    return re.sub(r"<!-- measured: (.+?) -->\n.*?<!-- measured end -->", written, text, flags=re.DOTALL)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--results", type=Path, default=RESULTS.parent, metavar="FOLDER", help="where throughput.json and others lie"
    )
    parser.add_argument("--page", type=Path, default=PAGE, metavar="PATH", help="the page to renew; the picture goes beside it")
    options = parser.parse_args(arguments)

    def read(name: str) -> Any:
        path = options.results / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    report, soaked = read("throughput"), read("soak")
    writers: dict[str, Callable[[], str]] = {
        "machine": lambda: machine(report),
        "targets": lambda: targets(report),
        "everything": lambda: everything(report),
        "limits": lambda: limits(report, read("instructions")),
        "profile": lambda: profile(report),
        "soak": lambda: soaked.get("told", "Not measured."),
    }
    page = renew(options.page.read_text(encoding="utf-8"), {name: write() for name, write in writers.items()})
    options.page.write_text(page, encoding="utf-8")
    draw(report, options.page.with_suffix(".svg"))


if __name__ == "__main__":
    main()

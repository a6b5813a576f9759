"""Configs of training scripts: frozen dataclasses read from YAML, overridden on the command line, refused where unknown."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

C = TypeVar("C")


class ConfigError(ValueError):
    """An unknown key, or a value that can not be."""


def from_mapping(kind: type[C], fields: Mapping[str, Any], where: str) -> C:
    """A config from plain data; `ConfigError` names keys that ``kind`` does not have."""
    known = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise ConfigError(f"{where}: unknown key {', '.join(map(repr, unknown))}; keys are {', '.join(known)}")
    plain = {}
    for name, value in fields.items():
        field = known[name]
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if isinstance(value, list):
            value = tuple(value)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        # A default shows the type; None stands for "not set" and shows none.
        if default is not None and value is not None and type(value) is not type(default):
            raise ConfigError(f"{where}: {name}={value!r}: expected {type(default).__name__}")
        plain[name] = value
    return kind(**plain)


def load(kind: type[C], path: str | Path) -> C:
    """Read a config from YAML."""
    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {error}") from None
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected a mapping of keys, got {type(data).__name__}")
    return from_mapping(kind, data, str(path))


def to_yaml(config: Any) -> str:
    """All fields of a config as YAML that `load` reads back."""
    fields = {name: list(value) if isinstance(value, tuple) else value for name, value in dataclasses.asdict(config).items()}
    return yaml.safe_dump(fields, sort_keys=False)


def check(config: Any, low: float, high: float, names: str) -> None:
    """`ConfigError` for the first of the named fields that is not in ``low`` to ``high``, or not finite."""
    for name in names.split():
        value = getattr(config, name)
        if not (low <= value <= high and math.isfinite(value)):
            expected = f"{low} to {high}" if math.isfinite(high) else f"at least {low}" if low else "0 or more"
            raise ConfigError(f"{name}={value}: expected {expected}")


def command_line(kind: type[C], method: str, argv: Sequence[str] | None, *, resumable: bool = True) -> tuple[C, Path, bool, bool]:
    """Config, run folder, resume?, show progress? from the command line.

    Args:
        kind: the config; every field is an option.
        method: what the script does, for ``--help``.
        argv: the command line without the program; None for the process's own.
        resumable: whether there is ``--resume``.
    """
    import tyro

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config")
    parser.add_argument("--out")
    parser.add_argument("--quiet", action="store_true")
    parser.set_defaults(resume=False)
    if resumable:
        parser.add_argument("--resume", action="store_true")
    known, rest = parser.parse_known_args(argv)
    out = Path(known.out) if known.out else None
    if known.config is not None:
        default = load(kind, known.config)
    elif known.resume and out is not None and (out / "config.yaml").is_file():
        default = load(kind, out / "config.yaml")
    else:
        default = kind()
    resuming = "--resume goes on from its newest checkpoint, " if resumable else ""
    description = (
        f"{method}. Besides the fields below: --config FILE.yaml gives their defaults, --out FOLDER is the run's folder "
        f"(required), {resuming}--quiet shows no progress."
    )
    config = tyro.cli(kind, args=rest, default=default, description=description)
    if out is None:
        raise ConfigError("--out FOLDER is missing: where shall the run be kept?")
    return config, out, known.resume, not known.quiet

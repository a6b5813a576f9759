"""Configs of training scripts: frozen dataclasses read from YAML, overridden on the command line, refused where unknown."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
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

"""# Uno in text.

| Creation          | ``uno_text_v0.env()`` or ``pettingzoo.make("aec", "uno_env/uno-text-v0")`` (PettingZoo 1.27) |
|-------------------|-----------------------------------------------------------------------------------------------|
| Agents            | as in `uno_env.uno_v0`                                                                        |
| Actions           | Text: a legal action's text, in any plausible spelling                                        |
| Observations      | ``{"observation": Text, "action_mask": int8[91]}``                                            |

`uno_env.uno_v0` for agents that read and write: same game, same seeds, same masks, same rewards. The text of an observation and
what an answer may be is told in `uno_env.text_env`. ``illegal_action``, ``max_retries`` and ``tell_rules`` are those of
`uno_env.text_env.UnoTextEnv`; asking again leaves the agent selected. Where the episode ends for want of a legal action the
offender gets -1, the others 0. All other arguments are those of `uno_env.uno_v0`.

### Version History

* v0: initial version
"""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import pettingzoo
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from uno_env.aec import UnoAEC, observation_space
from uno_env.render.rulebook import rules_in_words
from uno_env.text_env import AnswerSpace, Conversation, text_space

ENV_ID = "uno_env/uno-text-v0"
"""Name in PettingZoo's registry; the version moves when behaviour moves."""


class UnoTextAEC(wrappers.BaseWrapper):
    """`UnoAEC` with texts for observations and actions; an integer is read as the action's number."""

    def __init__(
        self,
        *args: Any,
        illegal_action: Literal["ask", "end", "raise"] = "ask",
        max_retries: int | None = 3,
        tell_rules: Literal["never", "first", "always"] = "never",
        **options: Any,
    ) -> None:
        """Make the environment; `reset` deals. All other arguments are those of `UnoAEC`.

        Raises:
            ValueError: for a value that can not be played with.
        """
        self._uno = UnoAEC(*args, **options, keep_history=True)
        super().__init__(wrappers.TerminateIllegalWrapper(self._uno, illegal_reward=-1))
        self._talk = Conversation(illegal_action, max_retries, tell_rules)
        self._stopped = False
        self.metadata = UnoAEC.metadata | {"name": "uno_text_v0"}
        self._observation_spaces = {
            agent: gymnasium.spaces.Dict({"observation": text_space(), "action_mask": observation_space()["action_mask"]})
            for agent in self._uno.possible_agents
        }
        self._action_spaces = {agent: AnswerSpace() for agent in self._uno.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same `Dict` space at every call."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The same `Text` space at every call."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """As `UnoAEC.reset`."""
        super().reset(seed, options)
        self._talk.begin()
        self._stopped = False

    def observe(self, agent: str) -> dict[str, Any]:
        """What ``agent`` may know now, in English, and the mask: also when it does not decide or has left."""
        seen: Any = super().observe(agent)
        seat = self._uno.possible_agents.index(agent)
        text = self._talk.tell(self._uno.game(), seat, self._uno.history, stopped=self._stopped)
        return {"observation": text, "action_mask": seen["action_mask"]}

    def step(self, action: str | int | None) -> None:
        """Carry out the action that the answer of `agent_selection` names, or ask it again; None for an agent that has left.

        Raises:
            IllegalAction: (a `ValueError`) with ``illegal_action="raise"``, for what is no legal action; nothing has changed.
            TypeError: for what is neither text nor an integer.
        """
        uno = self._uno
        agent = uno.agent_selection
        if not uno.agents or uno.terminations[agent] or uno.truncations[agent] or action is None:
            super().step(action)
            return
        number = self._talk.hear(uno.game(), uno.history, action)
        if number is None:
            uno._settle(agent)
            return
        super().step(number)
        self._stopped = any(uno.terminations.values()) and not uno.game().over

    def rules_text(self) -> str:
        """The rules in force in words, as for a system prompt."""
        return rules_in_words(self._uno.rules)

    def __str__(self) -> str:
        return "uno_text_v0"


raw_env = UnoTextAEC
"""The environment without wrappers around it."""


def env(*args: Any, **kwargs: Any) -> AECEnv[str, dict[str, Any], str | int | None]:
    """The environment (arguments of `UnoTextAEC`) in PettingZoo's wrapper that wants `reset` before anything else."""
    return wrappers.OrderEnforcingWrapper(raw_env(*args, **kwargs))


def register() -> None:
    """Put `ENV_ID` into PettingZoo's registry, where there is one (1.27) and it is not in yet."""
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is not None and ENV_ID not in registry:
        pettingzoo.register("aec", ENV_ID, entry_point="uno_env.uno_text_v0:env")


register()

"""Masked self-play PPO on Uno in one file: ``python docs/integrations/cleanrl_ppo.py --minutes 3``.

One network plays every seat of many games at once. Two things differ from PPO on a single-agent task:

* Illegal actions get no probability: their logits are lowered out of reach before the softmax.
* A trajectory is one player's own decisions. What happens between two of them, other players' turns and rewards of rounds
  that others end included, belongs to the first of the two. With two players one could flip signs at every turn instead;
  `advantages_per_player` is right for any number, for skipped turns and for players who decide several times in a row.
"""

import argparse
import time
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from uno_env import LAYOUT, NUM_ACTIONS, UnoVector


@dataclass
class Args:
    rules: str = "research"
    """A preset of `uno_env.Rules`, or a YAML file."""
    num_players: int = 2
    seed: int = 1
    minutes: float = 3.0
    """Training ends after so many minutes of wall clock,"""
    total_steps: int = 1_000_000_000
    """or after so many decisions."""
    num_envs: int = 256
    num_steps: int = 64
    """Decisions per game between updates."""
    learning_rate: float = 1e-3
    gamma: float = 1.0
    """Per own decision; rounds end, so nothing needs to be discounted."""
    gae_lambda: float = 0.95
    minibatch: int = 2048
    epochs: int = 2
    clip: float = 0.2
    entropy: float = 0.01
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    eval_games: int = 2000
    save: str = ""
    """A file for the network's weights."""


class Agent(nn.Module):
    """Actor and critic. The observation's last part tells of other players' cards, a block each: seats not taken are cut off."""

    def __init__(self, num_players: int, width: int = 256):
        super().__init__()
        known = LAYOUT["known"]
        self.size = known.start + known.shape[1] * (num_players - 1)

        def network(outputs: int, gain: float) -> nn.Sequential:
            layers = [nn.Linear(self.size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs)]
            nn.init.orthogonal_(layers[-1].weight, gain)
            return nn.Sequential(*layers)

        self.actor, self.critic = network(NUM_ACTIONS, 0.01), network(1, 1.0)

    def inputs(self, observations: np.ndarray) -> torch.Tensor:
        """`float32[M, size]` of `int8[M, 950]`: mostly 0, 1 and small counts; square roots bring the larger numbers near them."""
        counts = torch.from_numpy(observations[:, : self.size]).float()
        return counts.sign() * counts.abs().sqrt()

    def policy(self, inputs: torch.Tensor, masks: torch.Tensor) -> Categorical:
        return Categorical(logits=self.actor(inputs).masked_fill(masks == 0, -1e9))

    def value(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.critic(inputs).squeeze(-1)


def advantages_per_player(values, rewards, dones, actors, gamma, lam):
    """Generalised advantage estimation along each player's own decisions.

    Args:
        values: `float32[T, N]`, the critic's for the player that decided.
        rewards: `float32[T, N, P]`, what each player was paid by the step.
        dones: `bool[T, N]`, whether the step ended the game.
        actors: `int8[T, N]`, who decided.
        gamma: discount per own decision.
        lam: 1 trusts only what followed, 0 only the critic.

    Returns:
        advantages `float32[T, N]`, and `bool[T, N]`: whether the decision's outcome is known, that is, whether the player
        decided again or the game ended. The last decisions of a rollout have neither and are not learnt from.
    """
    steps, games, players = rewards.shape
    rows = np.arange(games)
    advantages, usable = np.zeros((steps, games), np.float32), np.zeros((steps, games), bool)
    # Of each player's next decision, seen from the step at hand: its value and advantage, what is paid until then, if it is known.
    next_value, next_advantage, paid = (np.zeros((games, players), np.float32) for _ in range(3))
    known = np.zeros((games, players), bool)
    for t in reversed(range(steps)):
        over = dones[t]
        next_value[over], next_advantage[over], paid[over], known[over] = 0, 0, 0, True
        paid += rewards[t]
        who = (rows, actors[t])
        delta = paid[who] + gamma * next_value[who] - values[t]
        usable[t] = known[who]
        advantages[t] = np.where(usable[t], delta + gamma * lam * next_advantage[who], 0)
        next_value[who], next_advantage[who], paid[who], known[who] = values[t], advantages[t], 0, True
    return advantages, usable


def random_cards(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal play of a card (actions 0-71) for each row; any other legal action where no card can be played."""
    chances = rng.random(masks.shape) * masks
    chances[:, :72] *= 1e6
    return chances.argmax(axis=1)


@torch.inference_mode()
def win_rate(agent: Agent, args: Args) -> tuple[float, float]:
    """Share of games won by the agent against players who play `random_cards`, and its standard error. Seats take turns."""
    rng, count = np.random.default_rng(args.seed), args.eval_games
    games = UnoVector(count, args.rules, seed=args.seed + 1_000_000, num_players=args.num_players)
    seats = np.arange(count) % args.num_players
    won, running = np.zeros(count), np.ones(count, bool)
    while running.any():  # finished games restart and are not looked at again
        actions = random_cards(games.action_masks, rng)
        mine = running & (games.actors == seats)
        if mine.any():
            policy = agent.policy(agent.inputs(games.observations[mine]), torch.from_numpy(games.action_masks[mine]))
            actions[mine] = policy.sample().numpy()
        games.step(actions)
        ended = running & games.dones
        won[ended] = games.winners[ended] >> seats[ended] & 1
        running &= ~ended
    return float(won.mean()), float(won.std() / count**0.5)


def train(args: Args) -> Agent:
    torch.manual_seed(args.seed)
    games = UnoVector(args.num_envs, args.rules, seed=args.seed, num_players=args.num_players)
    agent = Agent(games.num_players)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    shape = (args.num_steps, args.num_envs)
    observations, masks = np.zeros((*shape, agent.size), np.int8), np.zeros((*shape, NUM_ACTIONS), np.int8)
    actors, actions, dones = np.zeros(shape, np.int8), np.zeros(shape, np.int64), np.zeros(shape, bool)
    log_probs, values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    rewards = np.zeros((*shape, games.num_players), np.float32)

    start, steps, told = time.monotonic(), 0, 0.0
    while (progress := max((time.monotonic() - start) / 60 / args.minutes, steps / max(args.total_steps, 1))) < 1:
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - progress)
        with torch.inference_mode():
            for t in range(args.num_steps):
                observations[t], masks[t] = games.observations[:, : agent.size], games.action_masks
                actors[t] = games.actors
                inputs = agent.inputs(games.observations)
                policy = agent.policy(inputs, torch.from_numpy(games.action_masks))
                action = policy.sample()
                actions[t], log_probs[t], values[t] = action, policy.log_prob(action), agent.value(inputs)
                games.step(actions[t])
                rewards[t], dones[t] = games.rewards, games.dones
        steps += dones.size
        advantages, usable = advantages_per_player(values, rewards, dones, actors, args.gamma, args.gae_lambda)

        usable &= masks.sum(axis=-1) > 1  # nothing is to be learnt where one action is legal
        advantage, target = (torch.from_numpy(array[usable]) for array in (advantages, advantages + values))
        action, old_log_prob = torch.from_numpy(actions[usable]), torch.from_numpy(log_probs[usable])
        mask, observation = torch.from_numpy(masks[usable]), observations[usable]
        for _ in range(args.epochs):
            for batch in torch.randperm(len(action)).split(args.minibatch):
                inputs = agent.inputs(observation[batch.numpy()])
                policy = agent.policy(inputs, mask[batch])
                ratio = (policy.log_prob(action[batch]) - old_log_prob[batch]).exp()
                gain = (advantage[batch] - advantage[batch].mean()) / (advantage[batch].std() + 1e-8)
                surrogate = torch.min(ratio * gain, ratio.clamp(1 - args.clip, 1 + args.clip) * gain).mean()
                value_loss = (agent.value(inputs) - target[batch]).pow(2).mean()
                loss = -surrogate + args.value_weight * value_loss - args.entropy * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        if time.monotonic() - start > told + 20:
            told = time.monotonic() - start
            print(f"{told:.0f} s, {steps:,} decisions, value loss {value_loss.item():.3f}, entropy {policy.entropy().mean():.2f}")
    return agent


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for field in fields(Args):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    args = Args(**vars(parser.parse_args()))
    agent = train(args)
    rate, error = win_rate(agent, args)
    print(f"wins {100 * rate:.1f}% +- {196 * error:.1f} of {args.eval_games} games against random cards")
    if args.save:
        torch.save(agent.state_dict(), args.save)

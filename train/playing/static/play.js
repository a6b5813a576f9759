"use strict";
// The page of one seat. It shows what the server says the seat may see, and sends what the player chooses; it knows no rules.

const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const COLOURS = { r: "red", y: "yellow", g: "green", b: "blue" };
const SHAPES = { r: "disc", y: "triangle", g: "square", b: "diamond" };
const WILDS = ["W", "W4", "WX", "WS", "WC"];
// After these close codes (server.py) a new connection would fare no better.
const FINAL = { 4400: "This page and the server do not understand each other.", 4401: "This address opens no seat here.", 4429: "Too many pages are open." };

let socket = null;
let hello = null;
let view = null;
let wait = 500;
let told = 0; // lines of the log read out so far
let hintAsked = null; // the decision a hint was asked for

// Small helpers ------------------------------------------------------------------------------------------------------

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function drawing(symbol, viewBox, className = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", viewBox);
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", "#" + symbol);
  svg.append(use);
  return svg;
}

const card = (text) => drawing("card-" + text, "0 0 100 150");
const shape = (colour) => drawing("figure-" + SHAPES[colour], "-50 -50 100 100", "shape " + colour);
const cards = (count) => `${count} card${count === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(100 * share)}%`;

function announce(text) {
  byId("say").append(make("p", { textContent: text }));
  while (byId("say").childElementCount > 20) byId("say").firstChild.remove();
}

// The connection -----------------------------------------------------------------------------------------------------

function connect() {
  const token = location.hash.slice(1);
  if (!token) {
    lost("Open the address that the server printed: it ends in your seat's token.");
    return;
  }
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws`);
  socket.onopen = () => {
    wait = 500;
    socket.send(JSON.stringify({ type: "join", token }));
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = (event) => {
    if (event.code in FINAL) {
      lost(FINAL[event.code]);
      return;
    }
    lost("Connection lost, trying again…");
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, 8000);
  };
}

function lost(text) {
  byId("link").textContent = text;
  byId("link").className = "lost";
  document.body.dataset.link = "lost";
}

function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function receive(message) {
  if (message.type === "hello") {
    hello = message;
    byId("link").textContent = "";
    byId("link").className = "";
    document.body.dataset.link = "open";
    showFacts();
  } else if (message.type === "view") {
    const before = view;
    view = message;
    show(before);
  } else if (message.type === "hint") {
    showHint(message);
  } else if (message.type === "saved") {
    save(message);
  } else if (message.type === "refused") {
    hintAsked = null;
    announce(message.why);
    byId("me").textContent = message.why;
  }
}

// What the player does -----------------------------------------------------------------------------------------------

const legal = (action) => (view ? view.actions.find((option) => option.action === action) : undefined);

function act(action) {
  if (!legal(action)) return false;
  send({ type: "act", action, ask: view.ask });
  return true;
}

function refuse(element, text) {
  announce(text);
  byId("me").textContent = text;
  element.classList.remove("refused");
  void element.offsetWidth; // starts the movement anew
  element.classList.add("refused");
}

function playCard(text, element) {
  if (act(text)) return;
  if (legal(text + ":r")) pickColour(text);
  else refuse(element, view.ask === null ? "It is not your decision now." : `${hello.cards[text]} can not be played now.`);
}

function pickColour(wild) {
  const picker = byId("picker");
  byId("picker-title").textContent = `${hello.cards[wild]}: which colour?`;
  byId("picker-colours").replaceChildren(
    ...Object.entries(COLOURS).map(([letter, name]) => {
      const held = view.hand.filter((text) => text[0] === letter).length;
      const button = make("button", { type: "button", className: letter, "aria-label": `${name}; you hold ${cards(held)} of it` });
      button.append(shape(letter), `${name} (${held})`);
      button.onclick = () => {
        picker.close();
        act(`${wild}:${letter}`);
      };
      return button;
    }),
  );
  picker.showModal();
}

function draw(element) {
  if (!act("draw")) refuse(element, view && view.ask !== null ? "You can not draw now." : "It is not your decision now.");
}

function callUno(element) {
  if (!act("uno")) refuse(element, "Uno is called holding two cards, before one of them is played.");
}

function askHint() {
  if (view && view.ask !== null && hintAsked !== view.ask) {
    hintAsked = view.ask;
    byId("hint").textContent = "Thinking…";
    send({ type: "hint", ask: view.ask });
  }
}

function save(message) {
  const link = make("a", { href: URL.createObjectURL(new Blob([message.text], { type: message.media })), download: message.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  announce(`Saved as ${message.name}.`);
}

// What the player sees -----------------------------------------------------------------------------------------------

function showFacts() {
  byId("rules-name").textContent = hello.rules.replaceAll("_", " ");
  byId("rules-changes").replaceChildren(...hello.changes.map((text) => make("li", { textContent: text })));
  byId("rules").hidden = false;
  byId("target").textContent = hello.target ? `to ${hello.target}` : "single round";
  byId("undo").hidden = !hello.practice;
}

function show(before) {
  if (!hello) return;
  const asked = view.ask !== null;
  const key = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : undefined;
  byId("facts").textContent = `${hello.rules.replaceAll("_", " ")}, ${hello.names.length} players, round ${view.round}${hello.practice ? ", practice" : ""}`;
  document.title = asked ? "● Your decision – Uno" : "Uno";
  byId("mine").classList.toggle("asked", asked);
  document.body.dataset.ask = asked ? view.ask : "";
  document.body.dataset.state = view.match_over ? "match over" : view.round_over ? "round over" : "playing";
  byId("prompt").textContent = view.prompt;
  if (!before || before.ask !== view.ask) {
    byId("hints").hidden = true;
    hintAsked = null;
    if (byId("picker").open) byId("picker").close();
  }
  byId("hint").textContent = hintAsked === null ? "Hint" : byId("hint").textContent;
  showOthers();
  showCentre(before);
  showMe();
  showChoices();
  showHand(before);
  showBar();
  showScores();
  showLog(before);
  restoreFocus(key);
}

function playerBadges(player) {
  const badges = [];
  if (player.declared) badges.push(make("span", { className: "badge", textContent: "Uno!" }));
  if (player.catchable) badges.push(make("span", { className: "badge danger", textContent: "no call" }));
  return badges;
}

function showOthers() {
  const n = hello.names.length;
  const seats = Array.from({ length: n - 1 }, (_, k) => (hello.seat + 1 + k) % n);
  byId("others").classList.toggle("few", n <= 6);
  byId("others").replaceChildren(
    ...seats.map((seat, k) => {
      const player = view.players[seat];
      const away = !view.connected[seat];
      const partner = hello.teams && hello.teams[seat] === hello.teams[hello.seat];
      const notes = [hello.specs[seat], partner ? "your partner" : null, seat === view.dealer ? "dealer" : null, away ? "not here" : null];
      const fan = make("div", { className: "fan", "aria-hidden": "true" });
      const hidden = Math.max(0, player.size - player.known.length);
      fan.append(...Array.from({ length: Math.min(hidden, 20) }, () => card("back")), ...player.known.slice(0, 20).map(card));
      fan.style.setProperty("--overlap", `${-30 + Math.max(4, Math.min(15, 100 / Math.max(1, player.size)))}px`);
      const known = player.known.length ? `, you know ${player.known.map((text) => hello.cards[text]).join(", ")}` : "";
      const item = make("li", { className: "player" });
      item.classList.toggle("turn", view.turn === seat);
      item.classList.toggle("away", away);
      item.dataset.seat = seat;
      item.style.setProperty("--side", String(n > 3 ? Math.abs((2 * k) / (n - 2) - 1) ** 2 : 0)); // 0 in the middle, 1 at the sides
      item.append(
        make("span", { className: "name", textContent: (view.turn === seat ? "▸ " : "") + hello.names[seat] }),
        make("span", { className: "spec", textContent: notes.filter(Boolean).join(", ") }),
        fan,
        make("span", { className: "count" }, make("b", { textContent: player.size }), player.size === 1 ? " card " : " cards "),
        ...playerBadges(player),
        make("span", { className: "unseen", textContent: known }),
      );
      return item;
    }),
  );
}

const ARROWS = "M20 6a14 14 0 0 1 13 9M35 8l-2 8-8-2M20 34a14 14 0 0 1-13-9M5 32l2-8 8 2";

function showCentre(before) {
  const pile = byId("draw-pile");
  const open = Boolean(legal("draw"));
  pile.replaceChildren(card("back"));
  pile.classList.toggle("open", open);
  pile.setAttribute("aria-label", `Draw pile, ${cards(view.draw_pile)}`);
  pile.setAttribute("aria-disabled", String(!open));
  byId("draw-count").textContent = `${view.draw_pile} left`;

  const discards = byId("discards");
  const shown = view.discards;
  discards.replaceChildren(
    ...shown.map((text, k) => {
      const top = k === shown.length - 1;
      const svg = card(top && WILDS.includes(text) && view.colour ? `${text}:${view.colour}` : text);
      const place = view.num_discards - shown.length + k;
      if (!top) svg.style.rotate = `${((place * 47) % 31) - 15}deg`;
      if (top && before && before.num_discards !== view.num_discards) svg.classList.add("placed");
      return svg;
    }),
  );
  const colour = view.colour ? COLOURS[view.colour] : "not named yet";
  if (view.colour) discards.dataset.colour = view.colour;
  else delete discards.dataset.colour;
  const top = shown.length ? hello.cards[shown[shown.length - 1]] : "no card";
  discards.setAttribute("aria-label", `Discard pile: ${top} on top, colour ${colour}`);
  byId("discard-count").textContent = `${view.num_discards} discarded`;
  byId("colour").replaceChildren(...(view.colour ? [shape(view.colour)] : []), colour);

  const direction = byId("direction");
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 40 40");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  for (const [name, value] of Object.entries({ d: ARROWS, fill: "none", stroke: "currentColor", "stroke-width": 3, "stroke-linecap": "round", "stroke-linejoin": "round" })) {
    path.setAttribute(name, value);
  }
  svg.append(path);
  direction.className = view.direction === 1 ? "" : "anti";
  direction.hidden = hello.names.length === 2;
  direction.replaceChildren(svg, view.direction === 1 ? "clockwise" : "counter-clockwise");
  byId("pending").hidden = view.pending === 0;
  byId("pending").textContent = `${cards(view.pending)} due`;
}

function showMe() {
  const me = view.players[view.seat];
  const notes = [`You hold ${cards(me.size)}`];
  if (view.seat === view.dealer) notes.push("you deal");
  byId("me").replaceChildren(notes.join(", "), ...playerBadges(me));
}

function choice(label, run, key, means = null) {
  const button = make("button", { type: "button" }, label);
  if (means) button.append(make("small", { textContent: means }));
  button.dataset.key = key;
  button.onclick = () => run(button);
  return button;
}

function showChoices() {
  const buttons = [];
  const wilds = new Set();
  for (const { action, label, means } of view.actions) {
    const [head, colour] = action.split(":");
    if (action in hello.cards || WILDS.includes(head)) {
      // Cards are played from the hand; where a single one is in question, a button says so as well.
      if (!["DRAWN", "JUMP"].includes(view.phase) || wilds.has(head)) continue;
      wilds.add(head);
      const text = WILDS.includes(head) ? `Play ${hello.cards[head]}` : label;
      buttons.push(choice(text, (button) => playCard(head, button), `card-${head}`));
    } else if (action !== "draw" && !(action === "uno" && view.phase !== "CATCH")) {
      const button = choice(label, () => act(action), action, means);
      if (head === "colour") button.prepend(shape(colour));
      buttons.push(button);
    }
  }
  if (view.round_over || view.stopped) {
    if (!view.match_over) buttons.push(choice("Next round", () => send({ type: "next_round" }), "next"));
    if (view.can_stop) buttons.push(choice("Stop the match", () => send({ type: "stop" }), "stop", "Then it can be saved."));
    if (view.match_over) {
      buttons.push(choice("New match", () => send({ type: "new_match" }), "new"));
      buttons.push(choice("Save the transcript", () => send({ type: "save", form: "transcript" }), "save"));
      buttons.push(choice("Save the replay", () => send({ type: "save", form: "replay" }), "replay"));
    }
  }
  byId("choices").replaceChildren(...buttons);
}

function showHand(before) {
  const hand = byId("hand");
  const old = before ? [...before.hand] : view.hand;
  hand.classList.toggle("asked", view.ask !== null);
  hand.replaceChildren(
    ...view.hand.map((text, k) => {
      const fits = Boolean(legal(text) || legal(text + ":r"));
      const button = make("button", { type: "button", className: "card" }, card(text));
      button.classList.toggle("fits", fits);
      button.classList.toggle("drawn", view.drawn === text && view.hand.lastIndexOf(text) === k);
      if (before && !old.includes(text)) button.classList.add("fresh");
      else if (before) old.splice(old.indexOf(text), 1);
      button.setAttribute("aria-label", hello.cards[text] + (view.ask === null ? "" : fits ? ", can be played" : ", does not fit"));
      button.setAttribute("aria-disabled", String(!fits));
      button.dataset.card = text;
      button.dataset.key = `hand-${k}`;
      button.onclick = () => playCard(text, button);
      return button;
    }),
  );
}

function showBar() {
  const over = view.round_over || view.stopped;
  byId("uno").hidden = over || !hello.calls;
  byId("draw").hidden = over;
  byId("hint").hidden = over || !hello.hints;
  const called = view.players[view.seat].declared;
  byId("uno").setAttribute("aria-disabled", String(!legal("uno")));
  byId("uno").textContent = called ? "Uno called" : "Uno!";
  byId("draw").setAttribute("aria-disabled", String(!legal("draw")));
  byId("hint").setAttribute("aria-disabled", String(view.ask === null));
  byId("undo").setAttribute("aria-disabled", String(!view.can_undo));
  byId("stop").hidden = !view.can_stop || view.round_over;
}

function showScores() {
  byId("scores").replaceChildren(
    ...view.players.map((player, seat) => {
      const gain = view.outcome ? view.outcome.points[seat] : 0;
      const team = hello.teams ? ` (team ${hello.teams[seat] + 1})` : "";
      const row = make("tr", {}, make("td", { textContent: hello.names[seat] + team }), make("td", { textContent: gain ? `+${gain}` : "" }), make("td", { textContent: player.score }));
      row.classList.toggle("won", Boolean(view.outcome && view.outcome.winners.includes(seat)));
      return row;
    }),
  );
}

function showLog(before) {
  const first = view.num_log - view.log.length;
  byId("log").replaceChildren(
    ...view.log.map((line) => make("li", { textContent: line, className: line.startsWith("Round ") ? "deal" : "" })).reverse(),
  );
  if (!before || view.num_log < told) told = view.num_log;
  view.log.slice(Math.max(0, told - first)).forEach(announce);
  told = view.num_log;
  if ((!before || before.prompt !== view.prompt) && (view.ask !== null || view.round_over)) announce(view.prompt);
}

function showHint(hint) {
  if (hint.ask !== view.ask) return;
  byId("hint").textContent = "Hint";
  byId("hint-source").textContent = `${hint.agent}: about ${percent(hint.win)} to win the round (${hint.play_outs} play-outs of each choice).`;
  const best = Math.max(...hint.options.map((option) => option.win));
  byId("hint-rows").replaceChildren(
    ...hint.options.map((option, k) => {
      const row = make("tr", {}, make("td", { textContent: option.label }), make("td", { textContent: percent(option.probability) }), make("td", { textContent: percent(option.win) + (option.win === best ? " ★" : "") }));
      row.firstChild.style.setProperty("--share", percent(option.probability));
      row.classList.toggle("best", k === 0);
      return row;
    }),
  );
  byId("hints").hidden = false;
  announce(`Hint: ${hint.options[0].label}. ${byId("hint-source").textContent}`);
}

function restoreFocus(key) {
  if (!key || document.querySelector("dialog[open]")) return;
  const [kind, number] = key.split("-");
  let found = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!found && kind === "hand") found = document.querySelector(`[data-key="hand-${Math.min(Number(number), view.hand.length) - 1}"]`);
  found = found || document.querySelector("#choices button") || document.querySelector("#hand .fits") || document.querySelector("#hand .card");
  if (found) found.focus({ preventScroll: true });
}

// Keyboard -----------------------------------------------------------------------------------------------------------

function moveAlongHand(step) {
  const all = [...document.querySelectorAll("#hand .card")];
  if (!all.length) return;
  const now = all.indexOf(document.activeElement);
  const fits = all.findIndex((button) => button.classList.contains("fits"));
  all[now < 0 ? Math.max(0, fits) : (now + step + all.length) % all.length].focus();
}

function press(key) {
  const first = (...actions) => actions.some((action) => act(action));
  const click = (name) => {
    const button = document.querySelector(`#choices [data-key="${name}"]`);
    if (button) button.click();
    return Boolean(button);
  };
  if (key === "d") draw(byId("draw"));
  else if (key === "u") callUno(byId("uno"));
  else if (key === "p") first("pass");
  else if (key === "a") first("accept");
  else if (key === "c") first("challenge", "catch");
  else if (key === "j") document.querySelector('#choices [data-key^="card-"]')?.click();
  else if (key === "h") askHint();
  else if (key === "z") byId("undo").click();
  else if (key === "n") click("next") || click("new");
  else if (key in COLOURS) first(`colour:${key}`);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !view) return;
  const key = event.key.toLowerCase();
  if (byId("picker").open) {
    if (key in COLOURS) document.querySelector(`#picker-colours .${key}`).click();
    return;
  }
  if (byId("help").open || event.target.closest("#log")) return;
  if (event.key === "ArrowLeft") moveAlongHand(-1);
  else if (event.key === "ArrowRight") moveAlongHand(1);
  else if (key === "?") byId("help").showModal();
  else if (byId("keys").checked && !event.repeat && key.length === 1) press(key);
  else return;
  if (key !== " ") event.preventDefault();
});

byId("draw").onclick = () => draw(byId("draw"));
byId("draw-pile").onclick = () => draw(byId("draw-pile"));
byId("uno").onclick = () => callUno(byId("uno"));
byId("hint").onclick = askHint;
byId("undo").onclick = () => view && view.can_undo && send({ type: "undo" });
byId("stop").onclick = () => send({ type: "stop" });
byId("open-help").onclick = () => byId("help").showModal();
byId("help-close").onclick = () => byId("help").close();
byId("picker-cancel").onclick = () => byId("picker").close();
window.addEventListener("hashchange", () => location.reload());
connect();

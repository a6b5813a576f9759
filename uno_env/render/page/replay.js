"use strict";
(async () => {
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = { r: ["red", "disc", "#c62f2f"], y: ["yellow", "triangle", "#f5c430"], g: ["green", "square", "#2f9155"], b: ["blue", "diamond", "#2767c0"] };
  const SYMBOLS = { S: "Skip", R: "Reverse", D: "Draw Two" };
  const WILDS = { W: "Wild", W4: "Wild Draw Four", WX: "Wild Swap Hands", WS: "Wild Shuffle Hands", WC: "Wild Customizable" };
  const PLAIN = { draw: "draw", pass: "pass", accept: "accept", challenge: "challenge", uno: "call Uno", catch: "catch" };
  const by = (id) => document.getElementById(id);

  const holder = by("data");
  let text = holder.textContent;
  if (holder.type === "application/gzip") {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  const data = JSON.parse(text);
  const count = data.names.length;

  // Every step holds what changed: here they become whole.
  const states = [];
  for (const step of data.steps) {
    const before = states[states.length - 1];
    const state = { ...before, ...step, event: step.event, why: step.why || [], legal: step.legal ? step.legal.split(" ") : [], played: step.played, note: step.note };
    state.hands = before ? before.hands.slice() : [];
    for (const [seat, cards] of step.hands || []) state.hands[seat] = cards ? cards.split(" ") : [];
    states.push(state);
  }

  const node = (tag, className, words) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (words !== undefined) made.textContent = words;
    return made;
  };
  const picture = (id, box, label) => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", box);
    if (label) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", label); } else svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", "#" + id);
    svg.append(use);
    return [svg, use];
  };
  const cardName = (card) => card === "back" ? "face-down card" : WILDS[card] || `${COLOURS[card[0]][0]} ${SYMBOLS[card[1]] || card[1]}`;
  const cardPicture = (card, label = cardName(card)) => picture("card-" + card, "0 0 100 150", label)[0];
  const shape = (colour) => {
    const [svg, use] = picture("figure-" + COLOURS[colour][1], "-60 -60 120 120");
    use.setAttribute("color", COLOURS[colour][2]);
    return svg;
  };
  const actionName = (action) => {
    if (PLAIN[action]) return PLAIN[action];
    const [head, tail] = action.split(":");
    if (head === "swap") return "swap with " + data.names[+tail];
    if (head === "colour") return "name " + COLOURS[tail][0];
    return tail ? `${WILDS[head]}, ${COLOURS[tail][0]}` : cardName(head);
  };
  const actionPicture = (action) => {
    const [head, tail] = action.split(":");
    if (head === "colour") return shape(tail);
    if (WILDS[head] || (COLOURS[head[0]] && head.length === 2)) return cardPicture(tail ? action : head, "");
    return node("span");
  };

  // Seats stand around the table, the first one (or the one who looks) at the bottom; on a narrow screen one below the other.
  const bottom = data.viewer === null ? 0 : data.viewer;
  const seats = data.names.map((name, seat) => {
    const place = (seat - bottom + count) % count, angle = Math.PI / 2 + 2 * Math.PI * place / count;
    const box = node("section", "seat");
    box.style.setProperty("--x", (Math.cos(angle) * (count > 4 ? 37.5 : 36)).toFixed(2));
    box.style.setProperty("--y", (Math.sin(angle) * 39).toFixed(2));
    box.style.setProperty("--w", count === 2 || place === 0 && count < 6 ? "min(420px, 60%)" : count < 5 ? "25%" : count < 7 ? "24%" : "22%");
    box.setAttribute("aria-label", name);
    const head = node("div", "head"), eye = node("button", "eye"), score = node("span", "score");
    eye.type = "button";
    head.append(eye, node("span", "name", name), score);
    const cards = node("div", "cards"), foot = node("div", "foot");
    box.append(head, cards, foot);
    by("table").append(box);
    return { box, eye, score, cards, foot, name };
  });
  if (count > 4) by("table").classList.add("many");

  const open = data.names.map((_, seat) => data.viewer === null || seat === data.viewer);
  let onlyActor = false, at = 0, timer = null;

  const fill = (list, items) => list.replaceChildren(...items);
  const shown = (state, seat) => onlyActor ? seat === state.actor : open[seat];

  function drawSeat(state, seat) {
    const { box, eye, score, cards, foot, name } = seats[seat];
    const hand = state.hands[seat], over = state.outcome, visible = shown(state, seat);
    box.classList.toggle("acts", !over && seat === state.actor);
    box.classList.toggle("turn", !over && seat === state.turn);
    box.classList.toggle("won", Boolean(over && over.winners.includes(seat)));
    const gained = over && over.points[seat] ? ` (${over.points[seat] > 0 ? "+" : ""}${over.points[seat]})` : "";
    score.textContent = data.target === null && !gained ? "" : `${state.scores[seat]} pt${gained}`;
    eye.textContent = visible ? "◉" : "◎";
    eye.title = visible ? "Hide this hand" : "Open this hand";
    eye.setAttribute("aria-label", `${visible ? "Hide" : "Open"} the hand of ${name}`);
    eye.setAttribute("aria-pressed", String(visible));
    let lifted = false;
    fill(cards, hand.map((card) => {
      const place = node("span");
      if (!lifted && seat === state.actor && card === state.drawn) { place.className = "drawn"; lifted = true; }
      place.append(cardPicture(visible ? card : "back"));
      return place;
    }));
    const words = [node("span", "", `${hand.length} card${hand.length === 1 ? "" : "s"}`)];
    if (seat === state.dealer) words.push(node("span", "", "dealer"));
    if (state.declared[seat]) words.push(node("span", "tag", "Uno!"));
    else if (seat === state.offender) words.push(node("span", "tag missed", "did not call"));
    fill(foot, words);
  }

  function drawMiddle(state) {
    const names = data.names, over = state.outcome;
    by("due").textContent = over
      ? (over.winners.length ? `${over.winners.map((seat) => names[seat]).join(" and ")} won the round` : `Nobody won (${over.termination})`)
      : state.phase === null ? `${names[state.turn]}'s turn` : `${names[state.actor]} ${data.phases[state.phase]}`;
    const draw = [state.draw_pile ? cardPicture("back", "draw pile") : node("div", "empty")];
    if (state.pending_draw) draw.push(node("span", "tag missed pending", `+${state.pending_draw} due`));
    fill(by("draw"), draw);
    by("draw-count").textContent = `${state.draw_pile} to draw`;
    fill(by("discard"), state.top.map((card, i) => {
      const last = i === state.top.length - 1, place = node("div", last ? "top" : "under");
      if (last && state.colour) place.style.setProperty("--frame", COLOURS[state.colour][2]);
      if (last) place.style.zIndex = 1;
      place.append(cardPicture(card));
      return place;
    }));
    by("discard-count").textContent = `${state.discards} discarded`;
    const badge = node("div");
    if (state.colour) badge.append(shape(state.colour), COLOURS[state.colour][0]); else badge.append("no colour yet");
    fill(by("colour"), [badge]);
    by("flow").textContent = `${state.direction === 1 ? "↻ clockwise" : "↺ counter-clockwise"} · round ${state.round} · turn ${state.turns}`;
  }

  function drawDecision(state) {
    by("event").textContent = state.event === undefined ? (at ? "Nothing that can be seen from here." : "The cards are dealt.") : data.words[state.event];
    fill(by("why"), state.why.map((number) => node("li", "", data.words[number])));
    const box = by("decision");
    box.hidden = !state.legal.length;
    if (!state.legal.length) return;
    by("asked").textContent = `${data.names[state.actor]} ${data.phases[state.phase]}: ${state.legal.length} legal`;
    const note = state.note || {}, chances = note.p;
    by("value").textContent = note.v === undefined ? "" : `Its own estimate: ${note.v}`;
    const order = chances ? [...state.legal].sort((a, b) => (chances[b] || 0) - (chances[a] || 0)) : state.legal;
    by("legal").classList.toggle("plain", !chances);
    fill(by("legal"), order.map((action) => {
      const item = node("li", action === state.played ? "played" : "");
      item.title = action === state.played ? "played" : "";
      const share = chances ? chances[action] || 0 : 0;
      const track = node("span"), bar = node("div", "bar");
      bar.style.width = `${share * 100}%`;
      if (chances) track.append(bar);
      item.append(actionPicture(action), node("span", "", actionName(action)));
      if (chances) item.append(track, node("span", "share", share ? `${(share * 100).toFixed(1)} %` : "–"));
      return item;
    }));
  }

  function show(step, moved = true) {
    at = Math.max(0, Math.min(states.length - 1, Math.round(step) || 0));
    const state = states[at];
    data.names.forEach((_, seat) => drawSeat(state, seat));
    drawMiddle(state);
    drawDecision(state);
    by("slider").value = at;
    if (document.activeElement !== by("number")) by("number").value = at;
    for (const button of by("log").querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
    const entry = lines[at];
    if (entry) {
      entry.setAttribute("aria-current", "step");
      if (moved) by("log").scrollTop = entry.offsetTop - by("log").offsetTop - 100;
    }
    document.body.dataset.step = at;
  }

  const lines = states.map((state, step) => {
    if (step && state.event === undefined) return null;
    const button = node("button", "", step ? `${step}. ${data.words[state.event]}` : "0. The cards are dealt");
    button.type = "button";
    button.onclick = () => { stop(); show(step, false); };
    return button;
  });
  fill(by("log"), lines.filter(Boolean).map((button) => { const item = node("li"); item.append(button); return item; }));

  function stop() {
    clearTimeout(timer);
    timer = null;
    by("play").textContent = "▶ Play";
    by("play").setAttribute("aria-label", "Play");
  }
  function tick() {
    if (at >= states.length - 1) return stop();
    show(at + 1);
    timer = setTimeout(tick, +by("speed").value);
  }
  function toggle() {
    if (timer !== null) return stop();
    if (at >= states.length - 1) show(0);
    by("play").textContent = "⏸ Pause";
    by("play").setAttribute("aria-label", "Pause");
    timer = setTimeout(tick, Math.min(400, +by("speed").value));
  }
  const go = (step) => { stop(); show(step); };
  by("first").onclick = () => go(0);
  by("back").onclick = () => go(at - 1);
  by("next").onclick = () => go(at + 1);
  by("last").onclick = () => go(states.length - 1);
  by("play").onclick = toggle;
  by("slider").max = by("number").max = by("count").textContent = states.length - 1;
  by("slider").oninput = () => go(+by("slider").value);
  by("number").onchange = () => go(+by("number").value);
  const setAll = (value) => { onlyActor = false; open.fill(value); show(at, false); };
  by("open").onclick = () => setAll(true);
  by("hide").onclick = () => setAll(false);
  by("own").onclick = () => { onlyActor = true; show(at, false); };
  seats.forEach(({ eye }, seat) => {
    eye.onclick = () => {
      const state = states[at];
      data.names.forEach((_, other) => { open[other] = shown(state, other); });
      onlyActor = false;
      open[seat] = !open[seat];
      show(at, false);
    };
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: states.length - 1 };
    if (event.key in steps) { event.preventDefault(); go(steps[event.key]); }
    if (event.key === " " && !event.target.matches("button")) { event.preventDefault(); toggle(); }
  });
  show(+location.hash.slice(1) || 0);
  document.body.dataset.ready = "yes";
})();

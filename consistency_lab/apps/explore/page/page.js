"use strict";
// The page: one state, one function that draws all of it, and the events that change the state.

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const draw = (parent, tag, attributes, text) => {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
const element = (parent, tag, attributes = {}, text) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};

// --- Presets and the story ----------------------------------------------------------------------------------

// Counts a[i][j] with the names of the items; each caption is checked against the command line by a test.
const BURLINGTON = { abc: 2043, acb: 371, a: 568, bac: 1332, bca: 767, b: 455, cab: 495, cba: 1513, c: 1289 };
const PRESETS = {
  "Theorem 11": { a: [[0, 3, 8], [0, 0, 1], [4, 0, 0]],
    text: "Additive differences, the mildest noise: every convex edge loss can still fail (DMJ10 Theorem 11). Here all "
      + "but the linear and the difference loss put C level with B or above it." },
  "Lemma 10's region": { a: [[0, 10, 30], [0, 0, 2], [18, 0, 0]],
    text: "a23 < a31 a12 / (a13 + a12), Condition 1 of DMJ10 Lemma 10: no convex φ that falls right of 0 has all its "
      + "minimizers in A(p)." },
  "Theorem 12": { a: [[0, 1, 7], [0, 0, 3], [3, 0, 0]],
    text: "A margin does not help (DMJ10 Theorem 12): the margin logistic loss fails with the others." },
  "San Francisco 2008": { a: [[0, 13214, 14166], [12782, 0, 13622], [10051, 8256, 0]],
    names: ["Mar", "Lee", "Wang"],
    text: "The first three of San Francisco's District 1 in 2008, ballots that rank one above the other. A majority of "
      + "432 prefers Mar to Lee; most losses put Lee first." },
  "Burlington 2009": { a: countsOfBallots(BURLINGTON), ballots: BURLINGTON, names: ["Kiss", "Montroll", "Wright"],
    text: "The last three of Burlington's election of a mayor in 2009, as whole ballots. A majority prefers Montroll to "
      + "each of the others, and every loss puts him first; instant runoff dropped him, third by first ranks, and elected Kiss." },
  "Balanced": { a: [[0, 110, 140], [90, 0, 158], [60, 42, 0]],
    text: "All pairs are compared 200 times, and net wins are in order: then the logistic loss is right (Theorem R). "
      + "Compare B and C more often with the slider, at the same shares, and watch." },
  "Bradley-Terry": { a: [[0, 20, 6], [10, 0, 6], [2, 4, 0]],
    text: "The odds are those of strengths 6 : 3 : 2. The logistic loss is right for any number of comparisons; others "
      + "need not be." },
  "A cycle": { a: [[0, 6, 2], [3, 0, 7], [5, 2, 0]],
    text: "A beats B, B beats C, C beats A: some majority has to be inverted, and the least costly order wins." },
};
const STORY = [
  ["Balanced", "1. Drag the counts. An arrow from A to B says how often A is preferred to B. The shaded sector is A(p): the "
    + "scores whose order contradicts the fewest preferences."],
  ["Balanced", "2. Each surrogate loss has its minimum at one point of the plane of scores, shown by a mark. Every pair is compared "
    + "equally often: then net wins order the logistic mark, so it lies in A(p). The exponential loss fails even here, and the hinge ties."],
  ["San Francisco 2008", "3. A real election. A majority prefers Mar to Lee, but the marks lie in the sector that puts Lee "
    + "first, the hinge's on its border: more such data would not change it. Only the arrow of the difference loss points into A(p)."],
  ["Theorem 11", "4. Noise is not the cause: the differences are additive, the first four lamps are lit, and yet every "
    + "convex edge loss fails at some such counts (DMJ10 Theorem 11)."],
  ["Theorem 11", "5. What works instead: the linear loss under additive differences (Corollary 15), the difference loss "
    + "wherever there is no cycle, or, for the logistic loss, pairs compared equally often if net wins are in order."],
];

const COMMAND_NAMES = ["logistic", "exponential", "hinge", "squared-hinge", "margin-logistic", "linear", "difference-logistic"];
// Ballots are null unless the counts were given by whole ballots.
const state = { a: PRESETS["Theorem 11"].a.map((row) => [...row]), ballots: null, names: ["A", "B", "C"], loss: 0,
  shown: LOSSES.map(() => true), large: false, story: -1, text: PRESETS["Theorem 11"].text, ratio: 1, base: null };

// --- Geometry: the mean-zero plane, item 1 up, items 2 and 3 below ------------------------------------------

const AXES = [90, 210, 330].map((angle) => [Math.cos(angle * Math.PI / 180), -Math.sin(angle * Math.PI / 180)]);
const place = (u) => [0, 1].map((k) => ITEMS.reduce((s, i) => s + u[i] * AXES[i][k], 0));
const scoresAt = (x, y) => AXES.map(([p, q]) => (2 / 3) * (p * x + q * y));
const path = (points) => "M" + points.map(([x, y]) => `${x.toFixed(3)} ${y.toFixed(3)}`).join("L");
const MARKS = [ // one shape for each loss, of radius 1
  "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0", "M-.9 -.9h1.8v1.8h-1.8z", "M0 -1.2L1.1 .8H-1.1z", "M0 1.2L1.1 -.8H-1.1z",
  "M0 -1.3L1.3 0L0 1.3L-1.3 0z", "M-.4 -1.2h.8v.8h.8v.8h-.8v.8h-.8v-.8h-.8v-.8h.8z",
  "M-1.2 -.8L-.8 -1.2L0 -.4L.8 -1.2L1.2 -.8L.4 0L1.2 .8L.8 1.2L0 .4L-.8 1.2L-1.2 .8L-.4 0z",
];
const orderText = (t) => t.map((i) => state.names[i]).join(" > ");
const VERDICTS = { right: "right", wrong: "wrong", tie: "wrong by a tie", open: "not compared" };

// --- Drawing ------------------------------------------------------------------------------------------------

function redraw() {
  const start = performance.now(), answers = LOSSES.map((loss) => judged(loss, state.a));
  drawPlane(answers);
  drawGraph();
  drawTable(answers);
  drawLamps();
  drawRules();
  const wrong = LOSSES.filter((_, k) => state.shown[k] && ["wrong", "tie"].includes(answers[k].verdict)).map(({ name }) => name);
  const best = optimalOrders(state.a).map(orderText).join(" or "), winner = condorcetWinner(state.a);
  $("answer").textContent = `Optimal: ${best}. `
    + (winner === undefined ? "Nobody beats both others. " : `${state.names[winner]} beats both others. `) + (wrong.length ? `Wrong here: ${wrong.join(", ")}.` : "No loss is wrong here.");
  $("text").textContent = state.text + (state.changed ? " (You have changed the counts since.)" : "");
  $("plane").closest("section").classList.toggle("wide", state.large);
  $("large").setAttribute("aria-pressed", state.large);
  $("fool").textContent = `Find counts that fool the ${LOSSES[state.loss].name} loss`;
  clearTimeout(redraw.writing); // browsers refuse to write the address often
  redraw.writing = setTimeout(() => history.replaceState(null, "", `#${address()}`), 200);
  document.body.dataset.ms = (performance.now() - start).toFixed(2);
}

function drawPlane(answers) {
  const far = Math.max(0, ...answers.filter((_, k) => state.shown[k]).map(({ at }) => Math.hypot(...place(at))));
  const radius = [1, 2, 4].find((r) => r > 1.15 * far) ?? 8;
  const plane = $("plane"), best = optimalOrders(state.a);
  plane.replaceChildren();
  plane.setAttribute("viewBox", `${-radius} ${-radius} ${2 * radius} ${2 * radius}`);
  for (const t of ORDERS) {
    const [first, last] = [AXES[t[0]], AXES[t[2]].map((x) => -x)], good = best.includes(t);
    const corner = [first, last].map((v) => v.map((x) => 3 * radius * x));
    draw(plane, "path", { d: path([[0, 0], ...corner]) + "Z", class: good ? "sector good" : "sector" });
    if (good) draw(plane, "path", { d: path([[0, 0], ...corner]) + "Z", class: "hatch", fill: "url(#hatch)" });
  }
  drawContours(plane, LOSSES[state.loss].risk(state.a), radius);
  for (const t of ORDERS) {
    const middle = [0.7, 0.82].map((share, k) => share * radius * (AXES[t[0]][k] - AXES[t[2]][k]) / Math.sqrt(3));
    draw(plane, "text", { x: middle[0], y: middle[1], "font-size": radius * Math.min(0.055, 1.05 / orderText(t).length), class: "order" },
      orderText(t));
  }
  answers.forEach((answer, k) => { if (state.shown[k]) drawMark(plane, answer, k, radius); });
  plane.setAttribute("aria-label", "The plane of scores with mean 0. " + LOSSES.map(({ name }, k) =>
    `${name}: ${answers[k].returned.map(orderText).join(" or ")}, ${VERDICTS[answers[k].verdict]}`).join(". "));
}

function drawMark(plane, answer, k, radius) {
  const size = radius * (k === state.loss ? 0.045 : 0.032), width = radius * 0.008;
  const kind = `mark loss${k} ${answer.verdict}${k === state.loss ? " chosen" : ""}`;
  let at = place(answer.at);
  if (answer.corners?.length > 1) {
    const hull = answer.corners.map(place).sort((p, q) => Math.atan2(p[1] - at[1], p[0] - at[0]) - Math.atan2(q[1] - at[1], q[0] - at[0]));
    draw(plane, "path", { d: path(hull) + "Z", class: kind + " set", "stroke-width": 3 * width });
  }
  if (answer.direction) { // no minimizer: an arrow to the rim, along which W falls to its infimum
    const way = place(answer.direction), length = Math.hypot(...way);
    const rim = way.map((x) => 0.93 * radius * x / length);
    draw(plane, "path", { d: path([at, rim]), class: kind + " escape", "stroke-width": 1.5 * width });
    const angle = Math.atan2(way[1], way[0]) * 180 / Math.PI;
    draw(plane, "path", { d: `M0 -1L2 0L0 1z`, class: kind, "stroke-width": 0.1,
      transform: `translate(${rim}) rotate(${angle}) scale(${size})` });
    return;
  }
  const length = Math.hypot(...at);
  if (length > 0.93 * radius) at = at.map((x) => 0.93 * radius * x / length);
  const mark = draw(plane, "path", { d: MARKS[k], class: kind, "stroke-width": width / size,
    transform: `translate(${at}) scale(${size})` });
  draw(mark, "title", {}, `${LOSSES[k].name}: ${answer.at.map((x) => x.toFixed(4)).join(", ")}`);
}

// Level lines of W by marching squares on a grid; the levels lie closer near the least value.
function drawContours(plane, risk, radius) {
  const n = 32, step = 2 * radius / n, rows = [];
  for (let r = 0; r <= n; r++) rows.push(Array.from({ length: n + 1 }, (_, c) => risk(scoresAt(c * step - radius, r * step - radius))));
  const values = rows.flat(), least = Math.min(...values);
  const sorted = values.sort((x, y) => x - y), most = sorted[Math.floor(0.9 * sorted.length)];
  let lines = "";
  for (let level = 1; level <= 9; level++) {
    const height = least + (most - least) * (level / 9) ** 2;
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) {
      const corners = [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]], cuts = [];
      corners.forEach(([x, y], k) => {
        const [x2, y2] = corners[(k + 1) % 4], [v, w] = [rows[y][x], rows[y2][x2]];
        if (v < height === w < height) return;
        const t = (height - v) / (w - v);
        cuts.push(`${((x + t * (x2 - x)) * step - radius).toFixed(3)} ${((y + t * (y2 - y)) * step - radius).toFixed(3)}`);
      });
      for (let k = 0; k + 1 < cuts.length; k += 2) lines += `M${cuts[k]}L${cuts[k + 1]}`;
    }
  }
  draw(plane, "path", { d: lines, class: "contour", "stroke-width": radius * 0.004 });
}

const CENTERS = AXES.map(([x, y]) => [100 * x, 100 * y]);
const handles = {};

function makeGraph() {
  const graph = $("graph");
  for (const [i, j] of PAIRS) {
    const [p, q] = [CENTERS[i], CENTERS[j]], along = [q[0] - p[0], q[1] - p[1]].map((x) => x / Math.hypot(q[0] - p[0], q[1] - p[1]));
    const side = [along[1], -along[0]].map((x) => 10 * x);
    const end = (c, way) => [0, 1].map((k) => c[k] + way * 26 * along[k] + side[k]);
    const line = draw(graph, "path", { d: path([end(p, 1), end(q, -1)]), class: "arrow", "marker-end": "url(#head)" });
    const middle = [0, 1].map((k) => p[k] + (q[k] - p[k]) * 0.5 + 2.4 * side[k]);
    const handle = draw(graph, "g", { transform: `translate(${middle})`, class: "handle", role: "slider", tabindex: 0, "aria-valuemin": 0 });
    draw(handle, "rect", { x: -22, y: -11, width: 44, height: 22, rx: 8 });
    const label = draw(handle, "text", { y: 4 });
    handles[[i, j]] = { line, handle, label };
    dragged(handle, i, j);
  }
  CENTERS.forEach(([x, y], i) => {
    draw(graph, "circle", { cx: x, cy: y, r: 22, class: "item" });
    handles[i] = draw(graph, "text", { x, y: y + 4, class: "name" });
  });
}

// Up and right raise a count, down and left lower it; one pixel changes it by one, or by a hundredth if it is large.
function dragged(handle, i, j) {
  let from = null;
  const unit = () => Math.max(1, Math.round(state.a[i][j] / 100));
  handle.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY, count: state.a[i][j], unit: unit() };
    handle.setPointerCapture(event.pointerId);
    event.preventDefault();
    handle.focus();
  });
  handle.addEventListener("pointermove", (event) => {
    if (from) setCount(i, j, from.count + from.unit * Math.round((event.clientX - from.x - event.clientY + from.y) / 4));
  });
  for (const ended of ["pointerup", "pointercancel"]) handle.addEventListener(ended, () => { from = null; });
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!step) return;
    event.preventDefault();
    setCount(i, j, state.a[i][j] + step * unit());
  });
}

function drawGraph() {
  const most = Math.max(1, ...state.a.flat());
  for (const [i, j] of PAIRS) {
    const { line, handle, label } = handles[[i, j]], count = state.a[i][j];
    line.setAttribute("stroke-width", 1 + 5 * count / most);
    line.style.display = count ? "" : "none"; // a line of no width would keep its head
    line.classList.toggle("majority", lead(state.a, i, j) > 0);
    label.textContent = count;
    handle.setAttribute("aria-valuenow", count);
    handle.setAttribute("aria-label", `${state.names[i]} preferred to ${state.names[j]}`);
    const input = $(`a${i}${j}`);
    if (document.activeElement !== input) input.value = count;
  }
  for (const i of ITEMS) handles[i].textContent = state.names[i].slice(0, 6);
  for (const node of document.querySelectorAll("[data-item]")) node.textContent = state.names[node.dataset.item];
  for (const [i, j] of PAIRS) $(`a${i}${j}`).setAttribute("aria-label", `${state.names[i]} preferred to ${state.names[j]}`);
}

function drawTable(answers) {
  LOSSES.forEach(({ name }, k) => {
    const { verdict, at, returned, regret, direction } = answers[k], cells = $(`loss${k}`).cells;
    const rounded = at.map((x) => (Math.round(1e4 * x) / 1e4 || 0).toFixed(4)); // no -0
    cells[1].textContent = VERDICTS[verdict];
    cells[1].className = verdict;
    cells[2].textContent = returned.length > 2 ? `${returned.length} orders` : returned.map(orderText).join(" or ");
    cells[3].textContent = direction ? "no minimizer: runs along the arrow" : rounded.join("  ").replaceAll("-", "−");
    cells[3].dataset.scores = JSON.stringify(at);
    cells[4].textContent = verdict === "open" ? "" : `${(100 * regret).toFixed(2)} %`;
    $(`loss${k}`).classList.toggle("chosen", k === state.loss);
    $(`pick${k}`).checked = k === state.loss;
    $(`show${k}`).checked = state.shown[k];
    $(`pick${k}`).setAttribute("aria-label", `Show the level lines of the ${name} loss`);
  });
}

function drawRules() {
  RULES.forEach(({ name, points, orders }) => {
    const cells = $(`rule-${name}`).cells, found = points(state.a, state.ballots);
    const { verdict, returned, regret } = found ? besideBest(state.a, [orders(state.a, found)]) : { verdict: "open", returned: [] };
    cells[1].textContent = found ? VERDICTS[verdict] : "";
    cells[1].className = verdict;
    cells[2].textContent = returned.length > 2 ? `${returned.length} orders` : returned.map(orderText).join(" or ");
    cells[3].textContent = found ? found.join("  ").replaceAll("-", "−") : "unknown: needs whole ballots";
    cells[4].textContent = found ? `${(100 * regret).toFixed(2)} %` : "";
  });
  for (const ballot of BALLOTS) {
    const input = $(`ballot-${ballot}`), [first, ...rest] = [...ballot].map((letter) => state.names[LETTERS.indexOf(letter)]);
    input.previousSibling.textContent = rest.length ? [first, ...rest].join(" > ") : `${first} alone`;
    if (document.activeElement !== input) input.value = state.ballots?.[ballot] ?? "";
  }
}

function drawLamps() {
  CONDITIONS.forEach(([, , holds], k) => {
    const on = holds(state.a), lamp = $(`lamp${k}`);
    lamp.className = on ? "lamp on" : "lamp";
    lamp.querySelector("b").textContent = on ? "holds" : "fails";
  });
  const proved = PAIRS.filter(([i, j]) => provedByAddition(state.a, i, j));
  $("addition").textContent = proved.length
    ? "Proved for the logistic loss by adding up counts (Theorem R), whatever the minimizer: "
      + proved.map(([i, j]) => `${state.names[i]} above ${state.names[j]}`).join(", ") + "."
    : "Addition proves no pair here.";
}

// --- Events -------------------------------------------------------------------------------------------------

const wholeCount = (count) => Math.min(1e6, Math.max(0, Math.round(count) || 0));

function setCount(i, j, count) {
  state.a[i][j] = wholeCount(count);
  state.base = state.ballots = null;
  state.ratio = $("ratio").value = 1;
  leave();
  redraw();
}

// What an example says was true of its own counts; with none chosen, each can be chosen again.
function leave() {
  state.changed = true;
  $("preset").selectedIndex = -1;
}

function show(name) {
  const preset = PRESETS[name];
  load(preset.a, preset.names ?? ["A", "B", "C"], preset.text, preset.ballots);
  $("preset").value = name;
}

// New counts, with nothing left of the old ones.
function load(a, names, text, ballots = null) {
  Object.assign(state, { a: a.map((row) => [...row]), names, text, ballots, changed: false, base: null, story: -1 });
  state.ratio = $("ratio").value = 1;
  $("ratioValue").textContent = "1";
  $("preset").selectedIndex = -1;
  redraw();
}

// --- The address: what `consistency-lab explore --at` reads, too ---------------------------------------------

const PAIR_KEYS = { ab: [0, 1], ac: [0, 2], bc: [1, 2] };

function address() {
  const names = state.names.map((name) => encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, "\ufffd")));
  const counts = state.ballots
    ? ["ballots=" + BALLOTS.filter((ballot) => state.ballots[ballot]).map((ballot) => `${ballot}:${state.ballots[ballot]}`)]
    : Object.entries(PAIR_KEYS).map(([key, [i, j]]) => `${key}=${state.a[i][j]}:${state.a[j][i]}`);
  const losses = [state.loss, ...LOSSES.map((_, k) => k).filter((k) => k !== state.loss && state.shown[k])].map((k) => COMMAND_NAMES[k]);
  const some = String(losses) === String(COMMAND_NAMES) ? [] : [`loss=${losses}`];
  return [`n=${names}`, ...counts, ...some, ...(state.large ? ["view=plane"] : [])].join("&");
}

// Each part of an address: how it is written, and what it sets; nothing if it is not written so.
const COUNT = "(\\d{1,6}|1000000)", PAIR = new RegExp(`^${COUNT}:${COUNT}$`), BALLOT = new RegExp(`^([abc]+):${COUNT}$`);
const counted = (i, j) => ["3:1, at most a million", (text) => {
  const found = PAIR.exec(text);
  return found && { counts: [[i, j, +found[1]], [j, i, +found[2]]] };
}];
const PARTS = new Map([
  ["n", ["A,B,C: three different names", (text) => {
    const names = text.split(",").map((name) => decodeURIComponent(name).trim());
    return names.length === 3 && new Set(names).size === 3 && names.every(Boolean) && { names };
  }]],
  ...Object.entries(PAIR_KEYS).map(([key, [i, j]]) => [key, counted(i, j)]),
  ["ballots", ["abc:5,b:2: orders of a, b and c or one of them, with counts", (text) => {
    const found = text.split(",").map((one) => BALLOT.exec(one));
    return found.every((one) => one && BALLOTS.includes(one[1])) && { ballots: Object.fromEntries(found.map((one) => [one[1], +one[2]])) };
  }]],
  ["loss", [COMMAND_NAMES.join(","), (text) => {
    const losses = text.split(",").map((name) => COMMAND_NAMES.indexOf(name));
    return losses.every((k) => k >= 0) && { losses };
  }]],
  ["view", ["plane", (text) => text === "plane" && { large: true }]],
]);

// Show what an address says; a part that cannot be read is ignored with a note.
function readAddress(text) {
  const found = { names: ["A", "B", "C"], losses: LOSSES.map((_, k) => k), large: false }, counts = [], notes = [];
  for (const part of text.split("&").filter(Boolean)) {
    const [, key, value] = /^([^=]*)=?(.*)$/s.exec(part), [written, read] = PARTS.get(key) ?? [];
    let said = null;
    try { said = read?.(value); } catch (error) { if (!(error instanceof URIError)) throw error; }
    if (said) Object.assign(found, said);
    else notes.push(written ? `${part}: write ${key}=${written}` : `${part}: the keys are ${[...PARTS.keys()].join(", ")}`);
    counts.push(...(said?.counts ?? []));
  }
  if (found.ballots && counts.length) notes.push("ab, ac and bc: the ballots have counts of their own");
  Object.assign(state, { loss: found.losses[0], large: found.large, shown: LOSSES.map((_, k) => found.losses.includes(k)) });
  const a = found.ballots ? countsOfBallots(found.ballots) : ITEMS.map(() => [0, 0, 0]);
  if (!found.ballots) for (const [i, j, count] of counts) a[i][j] = count;
  const key = JSON.stringify([found.ballots || counts.length ? a : PRESETS["Theorem 11"].a, found.names]);
  const known = Object.keys(PRESETS).find((name) => key === JSON.stringify([PRESETS[name].a, PRESETS[name].names ?? ["A", "B", "C"]])
    && !PRESETS[name].ballots === !found.ballots);
  if (known) show(known);
  else load(...JSON.parse(key), "The counts of the address.", found.ballots);
  $("note").textContent = notes.length ? `Ignored in the address: ${notes.join("; ")}.` : "";
}

async function copy(text) {
  $("command").textContent = text;
  await navigator.clipboard?.writeText(text).catch(() => undefined); // a page from a file may not copy
}

function fool() {
  const { name } = LOSSES[state.loss], a = countsThatFool(LOSSES[state.loss]);
  if (!a) { state.text = `No draw of small counts fools the ${name} loss.`; return redraw(); }
  load(a, ["A", "B", "C"], `Drawn at random until the ${name} loss went wrong. Which order is right, and what would mend it?`);
}

function tell(step) {
  const [name, text] = STORY[step];
  show(name);
  Object.assign(state, { story: step, text });
  redraw();
}

const cell = (name) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
const csv = () => ["winner,loser,count", ...PAIRS.filter(([i, j]) => state.a[i][j])
  .map(([i, j]) => `${cell(state.names[i])},${cell(state.names[j])},${state.a[i][j]}`)].join("\n") + "\n";
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`; // names in a proof file are no commands
const commandLine = () =>
  `printf '%s\\n' ${csv().trimEnd().split("\n").map(quoted).join(" ")} > counts.csv && consistency-lab check ${COMMAND_NAMES[state.loss]} --profile counts.csv`;

function saveFile(name, text) {
  const link = element(document.body, "a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.click();
  URL.revokeObjectURL(link.href);
  link.remove();
}

async function openProof(file) {
  const out = $("proof");
  out.replaceChildren();
  try {
    const document_ = JSON.parse(await file.text());
    const found = checkProof(document_);
    out.className = "right";
    element(out, "p", {}, `Verified in exact arithmetic: the scores ${found.items.map((item) => `${item} = ${scoreText(found.scores.get(item))}`).join(", ")} `
      + `minimize W. Sorting them may return ${found.prediction.join(" > ")}, which costs ${found.regret} more than ${found.better.join(" > ")}`
      + `${found.failure === "tie" ? " (a tie, broken the wrong way)" : ""}. `
      + "The names in the file (of the loss, of noise conditions) are not checked here.");
    const counts = found.items.length === 3 && countsOf(found);
    if (counts) {
      load(counts, found.items, `The preferences of ${file.name}.`);
    }
  } catch (error) {
    if (!(error instanceof Refused || error instanceof SyntaxError)) throw error;
    out.className = "wrong";
    element(out, "p", {}, `Not verified: ${error instanceof SyntaxError ? "this is no JSON file" : error.message}.`);
  }
}

const scoreText = ({ a, q }) => (q.is(ONE) ? `${a}` : a.sign ? `${a} + log(${q})` : `log(${q})`);

// The mean preferences as whole numbers, if each label states them.
function countsOf({ labels, items }) {
  if (!labels.every(({ prefers }) => prefers)) return null;
  const a = ITEMS.map(() => ITEMS.map(() => ZERO));
  for (const { p, prefers } of labels) for (const [i, j, weight] of prefers)
    a[items.indexOf(i)][items.indexOf(j)] = a[items.indexOf(i)][items.indexOf(j)].plus(p.times(rational(weight, "a preference")));
  const common = a.flat().reduce((d, x) => d * new Rational(x.d, d).n, 1n); // the least common denominator
  const whole = a.map((row) => row.map((x) => Number(x.times(new Rational(common)).n)));
  return Math.max(...whole.flat()) <= 1e6 ? whole : null;
}

function start() {
  makeGraph();
  for (const name of Object.keys(PRESETS)) element($("preset"), "option", { value: name }, name);
  $("preset").onchange = () => show($("preset").value);
  STORY.forEach((_, k) => { element($("story"), "button", { type: "button" }, k + 1).onclick = () => tell(k); });
  for (const [i, j] of PAIRS) {
    $(`a${i}${j}`).oninput = (event) => setCount(i, j, +event.target.value);
    $(`a${i}${j}`).onblur = redraw; // what was typed becomes the count that is used
  }
  LOSSES.forEach(({ name, about }, k) => {
    const row = element($("losses"), "tr", { id: `loss${k}` });
    const head = element(row, "th", { scope: "row" }), label = element(head, "label");
    element(label, "input", { type: "radio", name: "loss", id: `pick${k}` }).onchange = () => { state.loss = k; redraw(); };
    const icon = draw(label, "svg", { viewBox: "-1.6 -1.6 3.2 3.2", class: "icon", "aria-hidden": "true" });
    draw(icon, "path", { d: MARKS[k], class: `mark loss${k}` });
    label.append(name);
    element(head, "small", {}, about);
    for (const kind of ["", "", "scores", "number"]) element(row, "td", { class: kind });
    const shown = element(row, "td");
    element(shown, "input", { type: "checkbox", id: `show${k}`, "aria-label": `Show the mark of the ${name} loss` }).onchange = (event) => {
      state.shown[k] = event.target.checked;
      redraw();
    };
  });
  for (const { name, about } of RULES) {
    const row = element($("rules"), "tr", { id: `rule-${name}` }), head = element(row, "th", { scope: "row" }, name);
    element(head, "small", {}, about);
    for (const kind of ["", "", "scores", "number", ""]) element(row, "td", { class: kind });
  }
  for (const ballot of BALLOTS) {
    const label = element($("ballots"), "label");
    element(label, "span");
    element(label, "input", { type: "number", min: 0, max: 1000000, id: `ballot-${ballot}` }).oninput = (event) => {
      const ballots = { ...state.ballots, [ballot]: wholeCount(+event.target.value) };
      Object.assign(state, { ballots, a: countsOfBallots(ballots), base: null });
      leave();
      redraw();
    };
  }
  CONDITIONS.forEach(([name, text], k) => {
    const lamp = element($("lamps"), "li", { id: `lamp${k}`, class: "lamp" });
    lamp.append(`${name}: `);
    element(lamp, "b");
    element(lamp, "small", {}, text);
  });
  $("ratio").oninput = () => {
    state.base ??= state.a.map((row) => [...row]);
    state.ballots = null;
    state.ratio = +$("ratio").value;
    $("ratioValue").textContent = state.ratio;
    for (const [i, j] of [[1, 2], [2, 1]]) state.a[i][j] = Math.min(1e6, Math.round(state.base[i][j] * state.ratio));
    leave();
    redraw();
  };
  $("copy").onclick = () => copy(commandLine());
  $("link").onclick = () => copy(`${location.href.split("#")[0]}#${address()}`);
  $("large").onclick = () => { state.large = !state.large; redraw(); };
  $("fool").onclick = fool;
  $("save").onclick = () => saveFile("counts.csv", csv());
  $("open").onchange = (event) => event.target.files[0] && openProof(event.target.files[0]);
  onhashchange = () => readAddress(location.hash.slice(1));
  readAddress(location.hash.slice(1) || document.body.dataset.at);
}

start();

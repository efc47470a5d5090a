"use strict";
// Three items: what majorities say of the counts a[i][j] (how often i is preferred to j), and where seven surrogate
// risks are least. Majorities, conditions and costs of orders are whole numbers; minimizers are floats, but for
// the hinge (whole numbers) and the linear loss.

const ITEMS = [0, 1, 2];
const PAIRS = ITEMS.flatMap((i) => ITEMS.filter((j) => j !== i).map((j) => [i, j]));
const ORDERS = PAIRS.map(([i, j]) => [i, j, 3 - i - j]);
const CLOSE = 1e-9; // scores that are closer than this count as tied

// --- What the counts say ------------------------------------------------------------------------------------

const lead = (a, i, j) => a[i][j] - a[j][i];                          // d_ij
const compared = (a, i, j) => a[i][j] + a[j][i];                      // n_ij
const netWins = (a, i) => ITEMS.reduce((s, k) => s + (k === i ? 0 : lead(a, i, k)), 0); // N_i
// DMJ10 Eq. 8: what an order pays, the preferences that it inverts.
const costOf = (a, [x, y, z]) => a[y][x] + a[z][x] + a[z][y];

function optimalOrders(a) {
  const least = Math.min(...ORDERS.map((t) => costOf(a, t)));
  return ORDERS.filter((t) => costOf(a, t) === least);
}

// Theorem R: i is above j near the infimum of W if |λ n_ik − n_jk| < λ N_i − N_j for some λ > 0. The difference is
// concave in λ, so that its ends and the kink at λ = n_jk / n_ik decide.
function provedByAddition(a, i, j) {
  const k = 3 - i - j, ik = compared(a, i, k), jk = compared(a, j, k);
  const [wins, losses] = [netWins(a, i), netWins(a, j)];
  return wins > ik || -losses > jk || (ik > 0 && jk > 0 && wins * jk > losses * ik);
}

const every = (a, test) => PAIRS.every(([i, j]) => test(i, j, 3 - i - j));
// Each condition with the words under its lamp.
const CONDITIONS = [
  ["no cycle", "the majorities have no cycle",
    (a) => !every(a, (i, j, k) => lead(a, i, j) * lead(a, j, k) > 0) || PAIRS.some(([i, j]) => !lead(a, i, j))],
  ["net order", "whoever has a majority has more net wins (DMJ10 Eq. 16)",
    (a) => every(a, (i, j) => lead(a, i, j) <= 0 || netWins(a, i) > netWins(a, j))],
  ["low noise", "d_ij + d_jk ≤ d_ik along the majorities (DMJ10 Definition 8)",
    (a) => every(a, (i, j, k) => lead(a, i, j) <= 0 || lead(a, j, k) <= 0
      || lead(a, i, j) + lead(a, j, k) <= lead(a, i, k))],
  ["additive", "d_ij = y_i − y_j for some grades y", (a) => lead(a, 0, 1) + lead(a, 1, 2) === lead(a, 0, 2)],
  ["Bradley-Terry", "a_ij : a_ji = w_i : w_j for some strengths w",
    (a) => a[0][1] * a[1][2] * a[2][0] === a[1][0] * a[2][1] * a[0][2]],
  ["balanced", "all pairs are compared equally often",
    (a) => compared(a, 0, 1) === compared(a, 0, 2) && compared(a, 0, 1) === compared(a, 1, 2)],
];

// --- Surrogate risks ----------------------------------------------------------------------------------------
// phi: [value, first, second derivative]. W(u) = sum a_ij phi(u_i − u_j − margin) over all pairs.

const sigmoid = (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const PHI = {
  logistic: (x) => [softplus(-x), -sigmoid(-x), sigmoid(x) * sigmoid(-x)],
  exponential: (x) => [Math.exp(-x), -Math.exp(-x), Math.exp(-x)],
  hinge: (x) => [Math.max(0, 1 - x)],
  squaredHinge: (x) => [Math.max(0, 1 - x) ** 2],
};

const weighted = (a, phi, margin = 0) => (u) =>
  PAIRS.reduce((s, [i, j]) => s + (a[i][j] ? a[i][j] * phi(u[i] - u[j] - margin)[0] : 0), 0);

const leads = (a) => ITEMS.map((i) => ITEMS.map((j) => Math.max(0, lead(a, i, j))));
const total = (a) => PAIRS.reduce((s, [i, j]) => s + a[i][j], 0);
const centered = (u) => { const mean = (u[0] + u[1] + u[2]) / 3; return u.map((x) => x - mean); };

// A smooth, strictly convex phi that falls to its infimum. Items that win and lose among themselves (the strongly
// connected components) have a minimizer; across components the scores run apart, and only their order is left.
function smooth(a, phi, margin) {
  const reach = a.map((row, i) => row.map((x, j) => i === j || x > 0));
  for (const k of ITEMS) for (const i of ITEMS) for (const j of ITEMS) reach[i][j] ||= reach[i][k] && reach[k][j];
  const inside = a.map((row, i) => row.map((x, j) => (reach[i][j] && reach[j][i] ? x : 0)));
  const scores = newton(inside, phi, margin);
  const unknown = PAIRS.some(([i, j]) => !reach[i][j] && !reach[j][i]);
  const direction = ITEMS.map((i) => ITEMS.filter((j) => reach[i][j]).length - ITEMS.filter((j) => reach[j][i]).length);
  return { scores, direction: direction.some(Boolean) ? direction : null, unknown };
}

function newton(a, phi, margin) {
  const value = weighted(a, phi, margin);
  let u = [0, 0, 0];
  for (let step = 0; step < 200; step++) {
    const g = [0, 0, 0], h = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
    for (const [i, j] of PAIRS) {
      if (!a[i][j]) continue;
      const [, slope, bend] = phi(u[i] - u[j] - margin).map((x) => a[i][j] * x);
      g[i] += slope; g[j] -= slope;
      h[i][i] += bend; h[j][j] += bend; h[i][j] -= bend; h[j][i] -= bend;
    }
    const move = solved(h, g);
    let size = 1, next;
    do { next = u.map((x, k) => x - size * move[k]); size /= 2; } while (size > 1e-9 && value(next) > value(u) * (1 + 1e-15));
    const far = Math.max(...u.map((x, k) => Math.abs(x - next[k])));
    u = next;
    if (far < 1e-14) break;
  }
  return centered(u);
}

// A least-squares solution of h x = g with mean 0, for a Laplacian h of three items.
function solved(h, g) {
  const weight = (i, j) => -h[i][j];
  const [p, q, r] = [weight(0, 1), weight(0, 2), weight(1, 2)];
  const det = p * q + p * r + q * r, x = [0, 0, 0];
  if (det > 1e-300) { // the first two items, with the third at 0
    x[0] = ((p + r) * g[0] + p * g[1]) / det;
    x[1] = (p * g[0] + (p + q) * g[1]) / det;
  } else {
    for (const [i, j] of PAIRS) if (i < j && weight(i, j) > 0) {
      x[i] = g[i] / weight(i, j) / 2;
      x[j] = -x[i];
    }
  }
  return centered(x);
}

// The hinge: W is linear between the lines u_i − u_j = 1, so its least value is at a crossing of them (after an
// item that nothing holds is moved to one), and all crossings have whole differences of at most 2.
function hinge(a) {
  const value = weighted(a, PHI.hinge), steps = [-2, -1, 0, 1, 2];
  const all = steps.flatMap((x) => steps.map((y) => [x, y, 0]));
  const least = Math.min(...all.map(value));
  return { corners: all.filter((u) => value(u) === least).map(centered) };
}

// The squared hinge: least where W is a sum of squares of the terms that are active; at most 64 cases.
function squaredHinge(a) {
  const terms = PAIRS.filter(([i, j]) => a[i][j] > 0);
  const value = weighted(a, PHI.squaredHinge);
  let best = [0, 0, 0];
  for (let mask = 0; mask < 1 << terms.length; mask++) {
    const g = [0, 0, 0], h = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
    terms.forEach(([i, j], k) => {
      if (!(mask >> k & 1)) return;
      g[i] += a[i][j]; g[j] -= a[i][j];
      h[i][j] -= a[i][j]; h[j][i] -= a[i][j];
    });
    const u = solved(h, g);
    if (value(u) < value(best) - 1e-15 * total(a)) best = u;
  }
  return { scores: best };
}

// The losses that the page shows: name, mark, risk, and where it is least, as {scores}, {corners} of the set of all
// minimizers, or {scores, direction} if the scores run to infinity. All are divided by the number of preferences.
const LOSSES = [
  ["logistic", "RankNet, Bradley-Terry, DPO", (a) => weighted(a, PHI.logistic), (a) => smooth(a, PHI.logistic, 0)],
  ["exponential", "RankBoost", (a) => weighted(a, PHI.exponential), (a) => smooth(a, PHI.exponential, 0)],
  ["hinge", "RankSVM", (a) => weighted(a, PHI.hinge), hinge],
  ["squared hinge", "L2 RankSVM", (a) => weighted(a, PHI.squaredHinge), squaredHinge],
  ["margin logistic", "phi(u_i − u_j − 1)", (a) => weighted(a, PHI.logistic, 1), (a) => smooth(a, PHI.logistic, 1)],
  ["linear", "Borda; r = x²/2", (a) => (u) => ITEMS.reduce((s, i) => s - netWins(a, i) * u[i] + total(a) * u[i] ** 2 / 2, 0),
    (a) => ({ scores: ITEMS.map((i) => netWins(a, i) / (total(a) || 1)) })],
  ["difference logistic", "only the leads d_ij count", (a) => weighted(leads(a), PHI.logistic),
    (a) => smooth(leads(a), PHI.logistic, 0)],
].map(([name, about, risk, least]) => ({ name, about, risk, least }));

// The orders that sorting may return, ties going any way: first by direction, then by score.
const returnedAt = (scores, direction = [0, 0, 0]) => ORDERS.filter((t) => [0, 1].every((k) => {
  const [x, y] = [t[k], t[k + 1]];
  return direction[x] !== direction[y] ? direction[x] > direction[y] : scores[x] - scores[y] >= -CLOSE;
}));

// Where the loss is least and what it returns there: {found, returned, verdict, regret}; regret is the greatest cost
// of what may be returned, less the least cost, as a share of all preferences.
function judged(loss, a) {
  const found = loss.least(a);
  const corners = found.corners ?? [found.scores];
  const mean = ITEMS.map((i) => corners.reduce((s, u) => s + u[i], 0) / corners.length);
  const sets = [...corners, mean].map((u) => returnedAt(u, found.direction ?? undefined));
  return { ...found, at: mean, ...besideBest(a, sets), ...(found.unknown ? { verdict: "open" } : {}) };
}

// What may be returned, as sets of orders, next to the best orders: {returned, verdict, regret}.
function besideBest(a, sets) {
  const best = optimalOrders(a), good = (t) => best.includes(t);
  const returned = ORDERS.filter((t) => sets.some((set) => set.includes(t)));
  const verdict = sets.every((set) => set.every(good)) ? "right" : sets.every((set) => !set.some(good)) ? "wrong" : "tie";
  const regret = (Math.max(...returned.map((t) => costOf(a, t))) - costOf(a, best[0])) / (total(a) || 1);
  return { returned, verdict, regret };
}

// --- Rules of elections -------------------------------------------------------------------------------------
// A ballot is an order of all items ("bac": the second item first) or its first item alone ("b"), the others tied below.

const LETTERS = "abc";
const BALLOTS = [...ORDERS.map((t) => t.map((i) => LETTERS[i]).join("")), ...LETTERS];

function countsOfBallots(ballots) {
  const rank = (ballot, i) => (ballot.includes(LETTERS[i]) ? ballot.indexOf(LETTERS[i]) : 3);
  return ITEMS.map((i) => ITEMS.map((j) =>
    BALLOTS.reduce((s, ballot) => s + (rank(ballot, i) < rank(ballot, j) ? ballots[ballot] ?? 0 : 0), 0)));
}

const firstRanks = (ballots) =>
  ITEMS.map((i) => BALLOTS.reduce((s, ballot) => s + (ballot[0] === LETTERS[i] ? ballots[ballot] ?? 0 : 0), 0));

// Each rule: its points, and the orders that it may return, ties going any way. Instant runoff needs whole ballots.
const RULES = [
  ["Borda", "wins less losses", (a) => ITEMS.map((i) => netWins(a, i)),
    (a, points) => returnedAt(points)],
  ["instant runoff", "the item with the fewest first ranks leaves", (a, ballots) => ballots && firstRanks(ballots),
    (a, points) => ORDERS.filter(([x, y, z]) => points[z] === Math.min(...points) && lead(a, x, y) >= 0)],
].map(([name, about, points, orders]) => ({ name, about, points, orders }));

const condorcetWinner = (a) => ITEMS.find((i) => ITEMS.every((j) => j === i || lead(a, i, j) > 0));

// --- Counts that fool a loss --------------------------------------------------------------------------------

// Small counts with a majority in each pair at which the loss is wrong: without a cycle, and not by a tie, if draws
// find such counts; null if they find none.
function countsThatFool(loss, random = Math.random) {
  for (const [cycle, verdict] of [[false, "wrong"], [false, "tie"], [true, "wrong"], [true, "tie"]])
    for (const most of [4, 6, 9, 15, 30]) for (let draw = 0; draw < 400; draw++) {
      const a = ITEMS.map((i) => ITEMS.map((j) => (i === j ? 0 : Math.floor((most + 1) * random()))));
      if (every(a, (i, j) => lead(a, i, j) !== 0) && (condorcetWinner(a) === undefined) === cycle
        && judged(loss, a).verdict === verdict) return a;
    }
  return null;
}

"use strict";
// Proof files, checked in exact arithmetic: what `consistency-lab verify` does, for failures that are proved by
// scores at which the surrogate risk W is least. Numbers are quotients of BigInt; nothing here is rounded.
// Whatever this page does not know it refuses: it never accepts what it has not checked.

class Refused extends Error {}
const refuse = (message) => { throw new Refused(message); };

// --- Rationals, and numbers a + log q -----------------------------------------------------------------------

class Rational {
  constructor(n, d = 1n) {
    if (d === 0n) refuse("a denominator is 0");
    let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
    while (b) [a, b] = [b, a % b];
    const sign = d < 0n ? -1n : 1n;
    this.n = (sign * n) / (a || 1n);
    this.d = (sign * d) / (a || 1n);
  }
  plus(o) { return new Rational(this.n * o.d + o.n * this.d, this.d * o.d); }
  minus(o) { return new Rational(this.n * o.d - o.n * this.d, this.d * o.d); }
  times(o) { return new Rational(this.n * o.n, this.d * o.d); }
  over(o) { return new Rational(this.n * o.d, this.d * o.n); }
  compare(o) { const x = this.n * o.d - o.n * this.d; return x < 0n ? -1 : x > 0n ? 1 : 0; }
  is(o) { return this.compare(o) === 0; }
  get sign() { return this.n < 0n ? -1 : this.n > 0n ? 1 : 0; }
  get number() { return Number(this.n) / Number(this.d); }
  toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
}
const ZERO = new Rational(0n), ONE = new Rational(1n);
const sum = (values) => values.reduce((s, x) => s.plus(x), ZERO);

function rational(text, what) {
  const found = typeof text === "string" && /^(-?\d+)(?:\/(\d+))?$/.exec(text);
  if (!found) refuse(`${what} is ${JSON.stringify(text)}; this page reads rationals such as "3/10"`);
  return new Rational(BigInt(found[1]), BigInt(found[2] ?? "1"));
}

function decimal(text, what) {
  const found = typeof text === "string" && /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!found) return rational(text, what);
  const digits = found[2] ?? "";
  return new Rational(BigInt(found[1] + digits), 10n ** BigInt(digits.length));
}

// A score a + log q with q > 0.
function score(text, what) {
  const found = typeof text === "string" && /^(?:(-?\d+(?:\/\d+)?)\+)?log\((\d+(?:\/\d+)?)\)$/.exec(text);
  const read = found
    ? { a: rational(found[1] ?? "0", what), q: rational(found[2], what) }
    : { a: rational(text, what), q: ONE };
  if (read.q.sign <= 0) refuse(`${what} is the logarithm of a number that is not positive`);
  return read;
}

function power(q, k) {
  const exponent = k.n < 0n ? -k.n : k.n;
  const up = new Rational(q.n ** exponent, q.d ** exponent);
  return k.n < 0n ? ONE.over(up) : up;
}

// <v, u> - offset for scores u.
function along(v, scores, offset) {
  let a = ZERO.minus(offset), q = ONE;
  for (const [item, k] of v) {
    const one = scores.get(item);
    a = a.plus(k.times(one.a));
    if (one.q.is(ONE)) continue;
    if (k.d !== 1n || k.n > 64n || k.n < -64n) refuse("a logarithm has a factor that is no small integer");
    q = q.times(power(one.q, k));
  }
  return { a, q };
}

// Scores that can be compared without an enclosure: all rational, or all logarithms.
function order(x, y) {
  if (x.q.is(y.q)) return x.a.compare(y.a);
  if (x.a.is(y.a)) return x.q.compare(y.q);
  return refuse("this page compares scores that are all rational, or all logarithms");
}

// --- Scalar functions: piecewise quadratic, read from a text ------------------------------------------------
// {cuts: [x_1 < ... < x_k], pieces: k + 1 triples [c0, c1, c2]}. The operations keep a function continuous.

const polynomial = (c0, c1 = ZERO, c2 = ZERO) => ({ cuts: [], pieces: [[c0, c1, c2]] });
const at = ([c0, c1, c2], x) => c0.plus(x.times(c1.plus(x.times(c2))));

function combined(f, g, combine) {
  const cuts = [...f.cuts, ...g.cuts].sort((x, y) => x.compare(y)).filter((x, k, all) => !k || !x.is(all[k - 1]));
  const pieces = [], found = [];
  for (let k = 0; k <= cuts.length; k++) {
    const left = cuts[k - 1], right = cuts[k];
    const piece = ({ cuts: own, pieces: of }) => of[own.filter((x) => left && x.compare(left) <= 0).length];
    const { cut, parts } = combine(piece(f), piece(g), left, right);
    if (cut) found.push(cut);
    pieces.push(...parts);
    if (right) found.push(right);
  }
  return { cuts: found, pieces };
}

const sumOf = (f, g, sign) =>
  combined(f, g, (p, q) => ({ parts: [p.map((c, k) => c.plus(q[k].times(sign)))] }));

function product(f, g) {
  return combined(f, g, ([a0, a1, a2], [b0, b1, b2]) => {
    const [c3, c4] = [a1.times(b2).plus(a2.times(b1)), a2.times(b2)];
    if (c3.sign || c4.sign) refuse("this page checks functions phi that are piecewise quadratic");
    return { parts: [[a0.times(b0), a0.times(b1).plus(a1.times(b0)),
      a0.times(b2).plus(a1.times(b1)).plus(a2.times(b0))]] };
  });
}

function greatest(f, g) {
  return combined(f, g, (p, q, left, right) => {
    const [d0, d1, d2] = p.map((c, k) => c.minus(q[k]));
    if (d2.sign) refuse("this page takes the maximum of linear functions only");
    if (!d1.sign) return { parts: [d0.sign >= 0 ? p : q] };
    const root = ZERO.minus(d0).over(d1);
    const [before, after] = d1.sign > 0 ? [q, p] : [p, q];
    if (left && root.compare(left) <= 0) return { parts: [after] };
    if (right && root.compare(right) >= 0) return { parts: [before] };
    return { cut: root, parts: [before, after] };
  });
}

// A recursive descent over + - * / **, max and abs; a text is read, never evaluated.
function piecewise(text) {
  const words = text.match(/\*\*|[a-z]+|\d+|[-+*/(),]|\S/g) ?? [];
  let k = 0;
  const take = (word) => (words[k] === word ? (k++, true) : false);
  const need = (word) => take(word) || refuse(`cannot read phi = ${text}: expected ${word}, got ${words[k] ?? "the end"}`);
  function constant(f) {
    const [c0, c1, c2] = f.pieces[0];
    if (f.cuts.length || c1.sign || c2.sign) refuse(`cannot read phi = ${text}: expected a number`);
    return c0;
  }
  function total() {
    let f = term();
    for (;;) {
      if (take("+")) f = sumOf(f, term(), ONE);
      else if (take("-")) f = sumOf(f, term(), new Rational(-1n));
      else return f;
    }
  }
  function term() {
    let f = factor();
    for (;;) {
      if (take("*")) f = product(f, factor());
      else if (take("/")) f = product(f, polynomial(ONE.over(constant(factor()))));
      else return f;
    }
  }
  function factor() {
    if (take("-")) return product(polynomial(new Rational(-1n)), factor());
    const f = atom();
    if (!take("**")) return f;
    return constant(factor()).is(new Rational(2n)) ? product(f, f) : refuse("this page knows the power 2 only");
  }
  function atom() {
    if (take("x")) return polynomial(ZERO, ONE);
    if (take("(")) { const f = total(); need(")"); return f; }
    if (take("abs")) { need("("); const f = total(); need(")"); return greatest(f, product(polynomial(new Rational(-1n)), f)); }
    if (take("max")) { need("("); const f = total(); need(","); const g = total(); need(")"); return greatest(f, g); }
    if (/^\d+$/.test(words[k] ?? "")) return polynomial(new Rational(BigInt(words[k++])));
    return refuse(`this page does not know ${words[k] ?? "the end"} in phi = ${text}`);
  }
  const f = total();
  if (k < words.length) refuse(`cannot read phi = ${text} from ${words[k]} on`);
  return f;
}

// Exact one-sided slopes [left, right] of a convex phi at x = a + log q.
function slopesAt(text, x) {
  if (text === "log(1+exp(-x))" || text === "exp(-x)") {
    if (x.a.sign) refuse(`the slope of ${text} is known here at logarithms only`);
    const slope = text === "exp(-x)" ? ZERO.minus(ONE.over(x.q)) : ZERO.minus(ONE.over(ONE.plus(x.q)));
    return [slope, slope];
  }
  const { cuts, pieces } = piecewise(text);
  const slope = ([, c1, c2], z) => c1.plus(c2.times(z).times(new Rational(2n)));
  if (pieces.some(([, , c2]) => c2.sign < 0)) refuse(`phi = ${text} is not convex`);
  cuts.forEach((cut, k) => {
    if (!at(pieces[k], cut).is(at(pieces[k + 1], cut))) refuse(`phi = ${text} is not continuous`);
    if (slope(pieces[k + 1], cut).compare(slope(pieces[k], cut)) < 0) refuse(`phi = ${text} is not convex`);
  });
  if (!x.q.is(ONE)) refuse(`the slope of ${text} is known here at rationals only`);
  const left = pieces[cuts.filter((cut) => cut.compare(x.a) < 0).length];
  const right = pieces[cuts.filter((cut) => cut.compare(x.a) <= 0).length];
  return [slope(left, x.a), slope(right, x.a)];
}

// --- The atoms of W, with the gradient of each at the scores ------------------------------------------------

const keysOf = (object, allowed, what) => {
  if (typeof object !== "object" || object === null || Array.isArray(object)) refuse(`${what} is no object`);
  for (const key of Object.keys(object)) if (!allowed.includes(key)) refuse(`this page does not check ${what}.${key}`);
  return object;
};

function listOf(value, what) {
  return Array.isArray(value) ? value : refuse(`${what} is no list`);
}

const vector = (object, items, what) => Object.entries(keysOf(object, items, what))
  .map(([item, k]) => [item, rational(k, what)]).filter(([, k]) => k.sign);

const identity = (v) => v.map(([item, k]) => `${JSON.stringify(item)}:${k}`).sort().join();

// What one entry of `psi` adds: {key, c, gradient(slope, scores) -> [[item, number]]}.
function atomsOf(entry, items) {
  if ("phi" in entry) {
    keysOf(entry, ["phi", "offset", "terms"], "psi");
    const offset = rational(entry.offset, "an offset");
    return listOf(entry.terms, "terms").map(([c, object]) => {
      const v = vector(object, items, "a term");
      return {
        key: `${entry.phi}|${offset}|${identity(v)}`, c: rational(c, "a coefficient"), convex: true,
        gradient(slope, scores) {
          if (slope === null) refuse("a slope is missing");
          const s = rational(slope, "a slope"), [low, high] = slopesAt(entry.phi, along(v, scores, offset));
          if (s.compare(low) < 0 || s.compare(high) > 0)
            refuse(`the slope ${s} of ${entry.phi} is not between ${low} and ${high}`);
          return v.map(([item, k]) => [item, k.times(s)]);
        },
      };
    });
  }
  if ("log-sum-exp" in entry) {
    keysOf(entry, ["log-sum-exp", "over"], "psi");
    const over = [...new Set(listOf(entry.over, "over"))];
    if (over.length !== entry.over.length || over.some((item) => !items.includes(item))) refuse("over names no items");
    return [{
      key: `log-sum-exp|${over.map((item) => JSON.stringify(item)).sort().join()}`,
      c: rational(entry["log-sum-exp"], "a coefficient"), convex: true,
      gradient(slope, scores) {
        if (slope !== null) refuse("a log-sum-exp needs no slope");
        if (over.some((item) => !scores.get(item).a.is(scores.get(over[0]).a)))
          refuse("the slopes of log-sum-exp are known here at logarithms only");
        const whole = sum(over.map((item) => scores.get(item).q));
        return over.map((item) => [item, scores.get(item).q.over(whole)]);
      },
    }];
  }
  keysOf(entry, ["linear"], "psi");
  const v = vector(entry.linear, items, "linear");
  return [{
    key: `linear|${identity(v)}`, c: ONE, convex: false,
    gradient: (slope) => (slope === null ? v : refuse("a linear atom needs no slope")),
  }];
}

// Atoms that differ in their coefficient only are added up, in the order in which they appear first.
function riskOf(labels, items) {
  const found = new Map();
  for (const label of labels)
    for (const entry of listOf(label.psi, "psi"))
      for (const atom of atomsOf(entry, items)) {
        if (atom.convex && atom.c.sign < 0) refuse("a convex atom has a negative coefficient");
        const c = atom.c.times(label.p);
        found.set(atom.key, { ...atom, c: found.has(atom.key) ? found.get(atom.key).c.plus(c) : c });
      }
  return [...found.values()].filter((atom) => atom.c.sign);
}

// --- The proof ----------------------------------------------------------------------------------------------

function orders(items) {
  if (items.length < 2) return [items];
  return items.flatMap((first) => orders(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

const KEYS = ["claim", "coordinates", "labels", "decoder", "scores", "certificate", "predictions", "prediction",
  "better", "failure", "regret", "orders"];

// Checks the `proof` entry of a file, or throws a Refused: {items, scores, prediction, better, regret, failure}.
function checkProof(document) {
  const proof = keysOf(document?.proof ?? document, KEYS, "proof");
  if (proof.claim !== "inconsistent") refuse(`the claim is ${proof.claim}; this page checks failures`);
  if (proof.decoder !== "sort") refuse("this page checks predictions by sorting");
  if (proof.certificate?.kind !== "minimum")
    refuse(`the certificate is a ${proof.certificate?.kind}; this page checks stationary points (kind minimum)`);
  const { slopes } = keysOf(proof.certificate, ["kind", "slopes"], "certificate");
  const items = listOf(proof.coordinates, "coordinates");
  if (items.length < 1 || items.length > 7 || new Set(items).size < items.length
      || items.some((item) => typeof item !== "string")) refuse("this page checks 1 to 7 items, each named once");
  if (listOf(proof.scores, "scores").length !== items.length) refuse("every item needs one score");
  const scores = new Map(items.map((item, k) => [item, score(proof.scores[k], `the score of ${item}`)]));
  const labels = listOf(proof.labels, "labels").map((label) => {
    keysOf(label, ["probability", "prefers", "losses", "psi"], "a label");
    return { ...label, p: rational(label.probability, "a probability") };
  });
  if (labels.some(({ p }) => p.sign <= 0) || !sum(labels.map(({ p }) => p)).is(ONE))
    refuse("the probabilities are not positive with sum 1");

  // The scores minimize W: subgradients of its convex atoms sum to 0.
  const atoms = riskOf(labels, items), stated = listOf(slopes, "slopes");
  if (atoms.length !== stated.length) refuse(`${stated.length} slopes are stated for ${atoms.length} atoms of the risk`);
  const gradient = new Map(items.map((item) => [item, ZERO]));
  atoms.forEach((atom, k) => {
    for (const [item, x] of atom.gradient(stated[k], scores)) gradient.set(item, gradient.get(item).plus(atom.c.times(x)));
  });
  for (const [item, rest] of gradient) if (rest.sign) refuse(`the slopes sum to ${rest} at ${item}, not to 0`);

  // What sorting may return at the scores costs more.
  const lossOf = losses(labels, proof, items);
  const returned = orders(items).filter((t) => t.every((item, k) => !k || order(scores.get(t[k - 1]), scores.get(item)) >= 0));
  const same = (s, t) => Array.isArray(s) && s.join("\n") === t.join("\n");
  if (!returned.some((t) => same(proof.prediction, t))) refuse("sorting the scores cannot return the stated prediction");
  const best = lossOf(proof.better), regret = lossOf(proof.prediction).minus(best);
  const claimed = decimal(proof.regret, "the regret");
  if (regret.sign <= 0) refuse("the stated prediction costs no more than the better one");
  if (claimed.compare(regret) > 0 || claimed.compare(regret.times(new Rational(99n, 100n))) < 0)
    refuse(`the regret is stated as ${claimed}, but is ${regret}`);
  if (proof.failure === "strict") {
    if (returned.some((t) => lossOf(t).compare(best) <= 0)) refuse("not every order that sorting may return is worse");
  } else if (proof.failure !== "tie" || returned.length < 2) refuse("the failure is called a tie, but no scores are tied");
  return { items, scores, prediction: proof.prediction, better: proof.better, regret, failure: proof.failure, labels };
}

// The expected loss of an order: DMJ10 Eq. 8 from preferences, or from the list of the file.
function losses(labels, proof, items) {
  if (labels.every((label) => Array.isArray(label.prefers) && !label.losses)) {
    if (proof.predictions) refuse("predictions are listed, but not used");
    const costs = labels.flatMap(({ p, prefers }) => prefers.map(([i, j, weight]) => {
      const w = rational(weight, "a preference");
      if (i === j || !items.includes(i) || !items.includes(j) || w.sign <= 0) refuse("a preference is not between two items");
      return [i, j, p.times(w)];
    }));
    return (t) => {
      if (!Array.isArray(t) || t.length !== items.length || items.some((item) => !t.includes(item)))
        refuse("a prediction is no order of the items");
      return sum(costs.filter(([i, j]) => t.indexOf(j) < t.indexOf(i)).map(([, , w]) => w));
    };
  }
  if (proof.orders) refuse("costs of orders are stated, but not used");
  const names = listOf(proof.predictions, "predictions").map((t) => t.join("\n"));
  const means = names.map((_, k) => sum(labels.map(({ p, losses: of, prefers }) =>
    prefers ? refuse("a label has both losses and preferences") : p.times(rational(listOf(of, "losses")[k], "a loss")))));
  return (t) => {
    const k = Array.isArray(t) ? names.indexOf(t.join("\n")) : -1;
    return k < 0 ? refuse("no losses are listed for an order that may be returned") : means[k];
  };
}

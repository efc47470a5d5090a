"""A report as a LaTeX document that needs amsmath and TikZ alone, or as Markdown: one form, two notations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import hypot
from pathlib import Path
from types import MappingProxyType
from typing import Final
from unicodedata import normalize

from consistency_lab.certify.proofs.task_proof import LabelQuestion
from consistency_lab.certify.witness import Witness
from consistency_lab.core.certificates import Equilibrium
from consistency_lab.frozen import frozen
from consistency_lab.show.pictures import CHAMBERS, ITEMS, point_of
from consistency_lab.show.text import QUOTES, Blocks, Grid, Heading, Line, Paragraph, decimal, free, short

# --- Formulas: how TeX writes what the reports write between backticks -------------------------------------

_WRITTEN: Final = r"""
mu \mu, eta \eta, phi \varphi, alpha \alpha, beta \beta, α \alpha, β \beta, γ \gamma, δ \delta, ε \varepsilon,
η \eta, θ \theta, λ \lambda, μ \mu, ν \nu, π \pi, ρ \rho, σ \sigma, ψ \psi, φ \varphi, Σ \Sigma, Ω \Omega,
∞ \infty, ≤ \le, ≥ \ge, ≠ \ne, != \ne, ≈ \approx, → \to, · \cdot, ⟨ \langle, ⟩ \rangle, { \lbrace, } \rbrace,
| \vert, <= \le, >= \ge, -> \to, * \cdot, × \times, ² ^{2}, ᵀ ^{\top}, ∈ \in, − -"""
_SIGNS: Final[Mapping[str, str]] = MappingProxyType(dict(map(str.split, _WRITTEN.split(","))))
_OPEN: Final = "([{⟨"
_CLOSE: Final = ")]}⟩"
_RELATIONS: Final = ("=", ":=", "<", ">", "≤", "≥", "≈", "<=", ">=")
_LONGEST_FRACTION: Final = 12
_LONGEST_LINE: Final = 64
_GREEK: Final = "mu|eta|phi|alpha|beta"
_FUNCTION: Final = r"(?:log2|log|exp|max|min|inf|sum|prod)(?=[(_]|\s(?:[A-Za-z](?:_|\b)|exp\())"
_WORD: Final = rf"(?!(?:{_GREEK})\b|{_FUNCTION})[^\W\d_]{{2,}}(?:[-'’][^\W\d_]+)*(?![\w(])"
_NAME: Final = f"{QUOTES[0]}[^{QUOTES[1]}]*{QUOTES[1]}"
_TOKEN: Final = re.compile(
    rf"(?P<word>\s*{_WORD}(?:\s+(?:a\s+)?{_WORD})*\s*)"
    rf"|(?P<space>\s+)"
    rf"|(?P<named>[A-Za-zα](?:_{_NAME}|\[{_NAME}\]))"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<function>{_FUNCTION})"
    rf"|(?P<letter>(?:{_GREEK}|[A-Za-zα-ωΣΩ])(?:\^[A-Za-z0-9]+)?(?:_[A-Za-z0-9]+)?"
    r"(?:'+|\*(?=[( ]))?(?![^\Wᵀ]))"
    r"|(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?(?:/\d+(?![\w/]))?)"
    r"|(?P<power>(?:\^|\*\*)(?:\w+|\((?:[^()]|\([^()]*\))*\)))"
    r"|(?P<below>_\([^()]*\))"
    r"|(?P<sign><=|>=|!=|:=|->|[-+=<>≤≥≈≠→·⟨⟩(){}\[\]|,;:./*!∞²ᵀ∈−×_])"
    r"|(?P<called>[^\W\d_]\w*)"
    r"|(?P<other>.)",
    re.DOTALL,
)


@frozen
class _Token:
    kind: str
    text: str


def _tokens(text: str) -> list[_Token]:
    return [_Token(match.lastgroup or "other", match[0]) for match in _TOKEN.finditer(" ".join(text.split()))]


def _spans(text: str) -> Iterator[tuple[bool, str]]:
    """Formulas (true), and the words, names and commas between them, at which a line may end."""
    run: list[_Token] = []
    depth = 0
    for token in _tokens(text):
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        long = token.kind == "name" and not re.fullmatch(r"\d+|[A-Za-z]", free(token.text))
        apart = long or token.kind == "word" or token.text in (",", ";", ":")
        if depth <= 0 and apart:
            yield from _trimmed(run)
            yield False, token.text
            run = []
        else:
            run.append(token)
    yield from _trimmed(run)


def _trimmed(run: list[_Token]) -> Iterator[tuple[bool, str]]:
    """A formula, with the spaces around it outside."""
    text = "".join(token.text for token in run)
    yield False, " " if text[:1] == " " else ""
    yield True, _formula(run)
    yield False, " " if text[1:] and text[-1] == " " else ""


def _tex(token: _Token) -> str:
    """One token of a formula."""
    text = token.text
    match token.kind:
        case "named":
            return f"{_SIGNS.get(text[0], text[0])}_{{{_name(text)}}}"
        case "name":
            return _name(text)
        case "word":
            return rf"\text{{{_latex_words(text)}}}"
        case "called":
            return rf"\operatorname{{{_latex_words(text)}}}"
        case "function":
            return r"\log_{2}" if text == "log2" else f"\\{text} "
        case "letter":
            letter, prime = text.rstrip("'*"), text[len(text.rstrip("'*")) :]
            head, low, below = letter.partition("_")
            base, high, above = head.partition("^")
            found = _SIGNS.get(base, base)
            exponent = f"{above}{'*' if prime == '*' else ''}"
            found += f"_{{{below}}}" if low else ""
            found += f"^{{{exponent}}}" if high or exponent else ""
            return found + prime.strip("*") + (" " if found.startswith("\\") else "")
        case "number":
            if "/" in text and len(text) <= _LONGEST_FRACTION:
                return r"\tfrac{{{}}}{{{}}}".format(*text.split("/"))
            return re.sub("e(.*)", r"\\mathrm{e}{\1}", text)
        case "power":
            inner = text.lstrip("^*")
            return f"^{{{_formula(_tokens(inner[1:-1] if inner.startswith('(') else inner))}}}"
        case "below":
            return f"_{{{_formula(_tokens(text[2:-1]))}}}"
        case "sign":
            found = _SIGNS.get(text, text)
            return f"{found} " if found.startswith("\\") else found
        case "other":
            return rf"\text{{{_latex_words(text)}}}"
    return text


def _name(text: str) -> str:
    """A name within its marks, alone or as an index."""
    name = re.sub(rf"^.*{QUOTES[0]}|{QUOTES[1]}.*$", "", text)
    return name if name.isascii() and name.isdigit() else rf"\text{{{_latex_words(name)}}}"


def _formula(tokens: Iterable[_Token]) -> str:
    return re.sub(r" +(?=[_^' ]|$)", "", "".join(map(_tex, tokens))).strip()


# --- Words: every character that TeX or Markdown would take for more than itself is escaped --------------

_ESCAPED: Final = r"""
\ \textbackslash{}, ^ \textasciicircum{}, ~ \textasciitilde{}, " '', < $<$, > $>$, | $\vert$, [ {[}, ] {]},
` {`}, ’ ', ‘ `, – \textendash{}, — \textemdash{}, “ ``, ” '', … ..., § $\mathsection$, ß \ss{}, æ \ae{},
Æ \AE{}, ø \o{}, Ø \O{}, œ \oe{}, ł \l{}, Ł \L{}, ı \i{}, { \{, } \}, $ \$, & \&, # \#, _ \_, % \%"""
_TEX_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    dict(map(str.split, _ESCAPED.split(",")))
    | {sign: f"${tex}$" for sign, tex in _SIGNS.items() if not sign.isascii()}
)
_COMBINING: Final = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327"
_ACCENTS: Final[Mapping[str, str]] = MappingProxyType(dict(zip(_COMBINING, "`'^~=u.\"rHvc", strict=True)))


def _latex_words(text: str) -> str:
    """Plain words in ASCII; a letter that the fonts of TeX lack becomes its number."""
    return re.sub("-(?=-)", "-{}", "".join(map(_latex_letter, free(text))))


def _latex_letter(c: str) -> str:
    if c in _TEX_WORDS:
        return _TEX_WORDS[c]
    if c.isascii() and c.isprintable():
        return c
    apart = normalize("NFD", c)
    if len(apart) == 2 and apart[0].isascii() and apart[1] in _ACCENTS:
        return f"\\{_ACCENTS[apart[1]]}{{{apart[0]}}}"
    return f"{{[}}U+{ord(c):04X}{{]}}"


def _markdown_words(text: str) -> str:
    printable = "".join(c if c.isprintable() else f"[U+{ord(c):04X}]" for c in free(text))
    return re.sub(r"[\\`*_{}\[\]<>#|$~&!]", r"\\\g<0>", printable)


# --- A report in a notation: headings, paragraphs, tables, formulas one below the other ------------------


@frozen
class Notation:
    """How a document is written."""

    words: Callable[[str], str]  #: Escapes plain words.
    #: Patterns with {} for what they hold.
    headings: tuple[str, str]
    entry: str
    labeled: str
    formulas: str
    #: The ends of a list.
    begin: str
    end: str
    table: Callable[[Grid, Callable[[str], str]], Iterator[str]]  #: A table, given how a cell is written.


def typeset(report: Iterable[Line], notation: Notation) -> Iterator[str]:
    """The paragraphs of a document."""

    def written(text: str) -> str:
        return _written(text, notation.words)

    def kind(line: Line) -> str:
        if not isinstance(line, Paragraph):
            return "other"
        return "formula" if _is_display(line.text) else "entry" if line.hanging else "other"

    for what, group in groupby(report, kind):
        if what == "formula":
            rows = [row for line in group if isinstance(line, Paragraph) for row in _display(line.text)]
            yield notation.formulas.format(" \\\\\n".join(rows))
            continue
        if what == "entry":
            parts = [_labeled(line.text) for line in group if isinstance(line, Paragraph)]
            forms = (notation.labeled if label else notation.entry for label, _ in parts)
            rows = [form.format(*map(written, part)) for form, part in zip(forms, parts, strict=True)]
            yield _list(notation, rows)
            continue
        for line in group:
            if isinstance(line, Heading):
                yield notation.headings[line.level].format(written(line.text))
            elif isinstance(line, Blocks | Grid):
                right = line.right if isinstance(line, Grid) else tuple(range(1, len(line.rows[0])))
                head = isinstance(line, Blocks) or line.head
                yield "\n".join(notation.table(Grid(line.rows, 0, right, head), written))
            elif text := line if isinstance(line, str) else line.text:
                yield written(text)


def _written(text: str, words: Callable[[str], str]) -> str:
    """A text whose formulas stand between backticks."""
    parts = " ".join(text.split()).split("`")
    spans = [span for k, part in enumerate(parts) for span in (_spans(part) if k % 2 else [(False, part)])]
    return "".join(f"${x}$" if meant and x else words(x) for meant, x in spans)


def _list(notation: Notation, rows: Sequence[str]) -> str:
    return "\n".join(filter(None, [notation.begin, *rows, notation.end]))


def _labeled(text: str) -> tuple[str, str]:
    """What stands before the gap, if there is one, and the rest."""
    label, gap, body = text.partition("  ")
    return (label.strip(), body.strip()) if gap and body.strip() else ("", text)


def _is_display(text: str) -> bool:
    """Whether a text, but for its label, is a formula with a relation and nothing else."""
    body = _labeled(text)[1].strip()
    if not re.fullmatch("`[^`]*`", body):
        return False
    return len([x for _, x in _spans(body[1:-1]) if x]) == 1 and any(
        token.text in _RELATIONS for token in _tokens(body[1:-1])
    )


def _display(text: str) -> list[str]:
    """Its rows, aligned at the relation."""
    label, body = _labeled(text)
    tokens = _tokens(body.strip()[1:-1])
    place = next(k for k, token in enumerate(tokens) if token.text in _RELATIONS)
    rows: list[str] = []
    row: list[_Token] = []
    depth = size = 0
    for k, token in enumerate(tokens):
        if size > _LONGEST_LINE and depth == 0 and token.text in "+-" and k > place + 2:
            rows.append(_formula(row))
            row, size = [], 0
        row.append(token)
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        size += len(free(token.text))
    rows.append(_formula(row))
    left = _formula(tokens[:place])
    first = rows[0][len(left) :].lstrip()
    left = f"{{}}{left}" if left.startswith("[") else left  # no option of the line break before it
    head = rf"\text{{{_written(label.rstrip(':'), _latex_words)}:}} && " if label else ""
    return [f"{head}{left} &{first}", *(rf"{'&& ' if label else ''}&\qquad {row}" for row in rows[1:])]


def _latex_table(grid: Grid, written: Callable[[str], str]) -> Iterator[str]:
    width = len(grid.rows[0])
    sides = "".join("r" if k in grid.right else "l" for k in range(width))
    yield rf"\begin{{center}}\fit{{\begin{{tabular}}{{{sides}}}"
    for place, row in enumerate(grid.rows):
        yield " & ".join(map(written, row)) + r" \\" + r"\hline" * (grid.head and not place)
    yield r"\end{tabular}}\end{center}"


def _markdown_table(grid: Grid, written: Callable[[str], str]) -> Iterator[str]:
    head, *body = grid.rows if grid.head else ([""] * len(grid.rows[0]), *grid.rows)
    sides = ["---:" if k in grid.right else "---" for k in range(len(head))]
    for row in (map(written, head), sides, *(map(written, row) for row in body)):
        yield f"| {' | '.join(row)} |"


LATEX: Final = Notation(
    _latex_words,
    ("\\section*{{{}}}", "\\subsection*{{{}}}"),
    "\\item[] {1}",
    "\\item[{{{0}}}] {1}",
    "\\begin{{align*}}\n{}\n\\end{{align*}}",
    "\\begin{description}",
    "\\end{description}",
    _latex_table,
)
MARKDOWN: Final = Notation(
    _markdown_words,
    ("# {}", "## {}"),
    "- {1}",
    "- **{0}** {1}",
    "$$\n\\begin{{aligned}}\n{}\n\\end{{aligned}}\n$$",
    "",
    "",
    _markdown_table,
)


# --- The papers that a proof cites -----------------------------------------------------------------------


_PAPER: Final = re.compile(r"^@\w+\{(\w+),\n(?:.+\n)*?\}$", re.MULTILINE)
_FIELD: Final = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
PAPERS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = MappingProxyType(
    {
        match[1]: (match[0], dict(_FIELD.findall(match[0])))
        for match in _PAPER.finditer(Path(__file__).with_name("papers.bib").read_text("utf-8"))
    }
)
"""By key: the entry for BibTeX, and its fields."""


def _printed(author: str, title: str, year: str, **where: str) -> str:
    return f"{author.replace(' and ', ', ')}. {title}. {', '.join(where.values())}, {year}."


# --- In TikZ: the difference graph and the plane of scores; or the labels and two orders ------------------

_MOST_NODES: Final = 9
_MOST_LABELS: Final = 10
_RADIUS: Final = 2.6


def _pictures(witness: Witness) -> Iterator[str]:
    """Of preferences their graph, and the scores of three items; of labels their probabilities and orders."""
    if isinstance(witness.about, LabelQuestion):
        yield from (r"\fit{\begin{tikzpicture}[font=\small, y=6mm]", *_labels(witness), r"\end{tikzpicture}}")
        space, of_orders = witness.about.task.space, witness.failure is not None
        if of_orders and space.kind not in ("classes", "rows") and space.m <= _MOST_LABELS:
            yield r"\qquad\fit{\begin{tikzpicture}[font=\small, y=6mm]"
            yield from (*_orders(witness), r"\end{tikzpicture}}")
        return
    p = witness.distribution
    if p.m <= _MOST_NODES:
        yield from (r"\fit{\begin{tikzpicture}[>=stealth, font=\small]", *_graph(p.items, p.difference))
        yield r"\end{tikzpicture}}"
    if p.m == ITEMS and witness.scores:
        yield from (r"\qquad\fit{\begin{tikzpicture}[font=\small]", *_plane(witness), r"\end{tikzpicture}}")


def _graph(names: Sequence[str], d: Sequence[Sequence[Fraction]]) -> Iterator[str]:
    """The difference graph: an arrow from i to j has d_ij."""
    for i, name in enumerate(names):
        at = f"({90 - 360 * i / len(names):.0f}:{0.8 * _RADIUS:.2f})"
        yield rf"\node[rounded corners, draw, inner sep=3pt] (v{i}) at {at} {{{_latex_words(name)}}};"
    for i, row in enumerate(d):
        for j, x in enumerate(row):
            if x > 0:
                label = _latex_words(short(x, _LONGEST_FRACTION))
                yield rf"\draw[->] (v{i}) -- node[fill=white, inner sep=1pt, pos=0.42] {{{label}}} (v{j});"


def _plane(witness: Witness) -> Iterator[str]:
    """Six chambers, one an order: A(p) blue and hatched, that of the scores orange and dotted."""
    optimal = set(witness.optimum.orders())
    for order, start, end in CHAMBERS:
        corner = f"(0,0) -- ({start:.0f}:{_RADIUS}) -- ({end:.0f}:{_RADIUS}) -- cycle"
        if order in optimal:
            yield rf"\path[fill=blue!12] {corner};"
            yield rf"\path[pattern=north east lines, pattern color=blue!45] {corner};"
        elif order == witness.prediction:
            yield rf"\path[fill=orange!18] {corner};"
            yield rf"\path[pattern=crosshatch dots, pattern color=orange] {corner};"
        yield rf"\draw {corner};"
        text = r"$\,>\,$".join(_latex_words(witness.distribution.items[i]) for i in order)
        middle = (start + end) / 2
        side = "east" if 90 < middle < 270 else "west"
        yield rf"\node[anchor={side}] at ({middle:.0f}:{0.95 * _RADIUS:.2f}) {{{text}}};"
    x, y = point_of([float(score) for score in witness.scores])
    factor = 0.45 * _RADIUS / (hypot(x, y) or 1.0)
    yield rf"\fill ({factor * x:.3f},{factor * y:.3f}) circle (2.4pt) node[right] {{$\alpha$}};"


def _labels(witness: Witness) -> Iterator[str]:
    """A bar for each of the most probable labels."""
    weights, text = witness.asked.weights, witness.asked.task.space.text
    shown = sorted(weights.items(), key=lambda entry: -entry[1])[:_MOST_LABELS]
    some = (
        "labels" if len(shown) == len(weights) else f"the {len(shown)} most probable of {len(weights)} labels"
    )
    yield rf"\node[anchor=west] at (0,1) {{probabilities of {some}}};"
    for k, (label, p) in enumerate(shown):
        end = float(_RADIUS * p / shown[0][1])
        yield rf"\node[anchor=east] at (0,{-k}) {{{_latex_words(text(label))}}};"
        yield rf"\draw[fill=blue!12] (0,{-k - 0.3:.1f}) rectangle ({end:.3f},{-k + 0.3:.1f});"
        yield rf"\node[anchor=west] at ({end:.3f},{-k}) {{{_latex_words(short(p, _LONGEST_FRACTION))}}};"


def _orders(witness: Witness) -> Iterator[str]:
    """The better order on the left, the learned one on the right; thick and dashed what changes places."""
    better, learned = witness.better, witness.prediction
    certificate, scores = witness.proof.certificate, [str(x) for x in witness.scores]
    if isinstance(certificate, Equilibrium):  # the scores lie in a box
        scores = [f"≈{decimal(low, 4)}" for low, _ in certificate.box]
    yield rf"\node at (0,1) {{better}}; \node at ({_RADIUS},1) {{learned}};"
    for k, item in enumerate(better):
        place = learned.index(item)
        style = "thick, dashed, orange" if place != k else "blue"
        score = _latex_words(f" ({scores[item]})" if len(scores) == len(better) else "")
        yield rf"\draw[{style}] (0,{-k}) node[black, left] {{{item + 1}}} -- ({_RADIUS},{-place})"
        yield rf"  node[black, right] {{{item + 1}{score}}};"


# --- The document ----------------------------------------------------------------------------------------

_PREAMBLE: Final = r"""\documentclass[11pt,a4paper]{article}
\usepackage{amsmath}
\usepackage{tikz}
\usetikzlibrary{patterns}
\addtolength{\textwidth}{30mm}\addtolength{\oddsidemargin}{-15mm}
\addtolength{\textheight}{30mm}\addtolength{\topmargin}{-15mm}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt plus 2pt}
\sloppy\allowdisplaybreaks\renewcommand\arraystretch{1.25}
\newsavebox\wide % a table as wide as it is, or as the page
\newcommand\fit[1]{\sbox\wide{#1}\ifdim\wd\wide>\linewidth\resizebox{\linewidth}{!}{\usebox\wide}\else\usebox\wide\fi}
\begin{document}"""


def written(report: Iterable[Line], form: str, witness: Witness | None) -> str:
    """A proof as a document of its own, with the papers that it cites."""
    notation = LATEX if form == "latex" else MARKDOWN
    head, *body = typeset(report, notation)
    cited = {key: paper for key, paper in PAPERS.items() if any(key in text for text in body)}
    if cited:
        rows = [
            notation.labeled.format(key, notation.words(_printed(**fields)))
            for key, (_, fields) in cited.items()
        ]
        body += [notation.headings[1].format("References"), _list(notation, rows)]
    if form == "latex":
        drawn = [] if witness is None else list(_pictures(witness))
        figure = ["\n".join(["\\begin{center}", *drawn, "\\end{center}"])] if drawn else []
        bibtex = [entry for entry, _ in cited.values()]
        return "\n\n".join([_PREAMBLE, head, *figure, *body, "\\end{document}", *bibtex]) + "\n"
    return "\n\n".join([head, *body]) + "\n"

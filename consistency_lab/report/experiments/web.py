"""The web experiment as text and as figures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.experiments.web import EXACT, LIMIT, LIMITING, LOGISTIC, LOGISTIC_STEPS, STEPS
from consistency_lab.report.experiments.curves import STYLES, curve, grid, legend_below, level, runs_text
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.text import Line, Paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Document = Mapping[str, Any]

_LINES: Final = {EXACT: STYLES[0], STEPS: STYLES[1]}
_LEVELS: Final = {LOGISTIC: STYLES[2], LOGISTIC_STEPS: STYLES[3], LIMIT: STYLES[5], LIMITING: STYLES[4]}


def web_lines(document: Document) -> Iterator[Line]:
    """What was measured, as a report."""
    data, settings = document["data"], document["settings"]
    yield f"NDCG risk on {data['title']}"
    yield Paragraph(
        f"{data['queries']} queries, {data['documents']} documents, {data['features']} features; "
        f"{runs_text(settings['runs'])}, lambda = {settings['lam']:g}, {settings['steps']} steps, seed "
        f"{settings['seed']}. The risk is 1 − NDCG with the gains of the limiting scores; behind ± "
        "is half of a 90 % confidence interval.",
        3,
        0,
    )
    yield ""
    yield "Risk against n, and against the order k of the aggregation:"
    yield grid(document["orders"], _name, lambda row: f"n = {row['n']}", "risks")
    yield ""
    yield f"Risk against lambda, n = {document['lambdas'][0]['n']}:"
    yield grid(document["lambdas"], _name, lambda row: f"{row['lambda']:g}", "risks", "lambda")
    if document["gaps"]:
        yield ""
        yield "Optimality gap of the steps, as a share of the gap at 0:"
        yield grid(document["gaps"], _sample, lambda row: str(row["steps"]), "gaps", "steps", 3)


def _name(row: Document) -> str:
    return row["estimator"] if row["k"] is None else f"{row['estimator']}, k = {row['k']}"


def _sample(row: Document) -> str:
    return f"n = {row['n']}, k = {row['k']}"


def web_pictures(document: Document) -> dict[str, Picture]:
    """The figures by name: DMJ13's risk against k, against lambda, and the optimality gap."""
    about = document["data"]["title"]
    found = {
        "web-orders": Picture(f"NDCG risk against k: {about}", 9.0, 7.0, _Orders(document)),
        "web-lambda": Picture(f"NDCG risk against lambda: {about}", 6.0, 4.4, _Lambdas(document)),
    }
    if document["gaps"]:
        found["web-steps"] = Picture(f"Optimality gap against steps: {about}", 9.0, 4.4, _Gaps(document))
    return found


@final
@dataclass(frozen=True, eq=False)
class _Orders:
    document: Document

    def __call__(self, figure: "Figure") -> None:
        sizes = self.document["settings"]["sizes"]
        panels = figure.subplots((len(sizes) + 1) // 2, 2, squeeze=False, sharex=True, sharey="row").ravel()
        for n, axes in zip(sizes, panels, strict=False):
            rows = [row for row in self.document["orders"] if row["n"] == n]
            for name, style in _LINES.items():
                own = [row for row in rows if row["estimator"] == name]
                if own:
                    curve(axes, name, style, [row["k"] for row in own], [row["risks"] for row in own])
            for name, style in _LEVELS.items():
                for row in rows:
                    if row["estimator"] == name:
                        level(axes, name, style, row["risks"])
            axes.set_xscale("log")
            axes.set_title(f"n = {n:,} pairs", fontsize=10)
            axes.set_xlabel("order k")
            axes.set_ylabel("NDCG risk")
            axes.label_outer()
        for axes in panels[len(sizes) :]:
            axes.set_visible(False)
        figure.suptitle(
            f"Risk against the order of the aggregation\n{self.document['data']['title']}", fontsize=11
        )
        legend_below(figure, figure.axes[0], 3)


@final
@dataclass(frozen=True, eq=False)
class _Lambdas:
    document: Document

    def __call__(self, figure: "Figure") -> None:
        axes = figure.subplots()
        rows = self.document["lambdas"]
        for style, name in zip(STYLES, dict.fromkeys(map(_name, rows)), strict=False):
            own = [row for row in rows if _name(row) == name]
            curve(axes, name, style, [row["lambda"] for row in own], [row["risks"] for row in own])
        axes.set_xscale("log")
        axes.set_xlabel("λ")
        axes.set_ylabel("NDCG risk")
        axes.set_title(
            f"Risk against λ, n = {rows[0]['n']:,} pairs\n{self.document['data']['title']}", fontsize=11
        )
        legend_below(figure, axes, 2)


@final
@dataclass(frozen=True, eq=False)
class _Gaps:
    document: Document

    def __call__(self, figure: "Figure") -> None:
        rows = self.document["gaps"]
        by_k, by_n = _most([row["n"] for row in rows]), _most([row["k"] for row in rows])
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, fixed, value, moving in ((left, "n", by_k, "k"), (right, "k", by_n, "n")):
            own = sorted((row for row in rows if row[fixed] == value), key=lambda row: row[moving])
            for style, key in zip(STYLES, dict.fromkeys([row[moving] for row in own]), strict=False):
                curve_rows = [row for row in own if row[moving] == key]
                runs = [row["gaps"] for row in curve_rows]
                curve(axes, f"{moving} = {key:,}", style, [row["steps"] for row in curve_rows], runs, 1e-6)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("steps")
            axes.set_title(f"{fixed} = {value:,}", fontsize=10)
            axes.legend(fontsize=9)
        left.set_ylabel("gap, share of that at 0")
        figure.suptitle(
            f"Optimality gap of the stochastic gradient\n{self.document['data']['title']}", fontsize=11
        )


def _most(values: list[int]) -> int:
    return max(dict.fromkeys(values), key=values.count)

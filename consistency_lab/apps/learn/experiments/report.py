"""How the experiments of the papers read: text, tables and figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from consistency_lab.apps.learn.experiments.judges import AGGREGATED, CASCADE, ORDER_K, PAIRWISE
from consistency_lab.apps.learn.experiments.ratings import METHODS
from consistency_lab.apps.learn.experiments.web import (
    EXACT,
    LIMIT,
    LIMITING,
    LOGISTIC,
    LOGISTIC_STEPS,
    STEPS,
    band,
)
from consistency_lab.show.canvas import Picture
from consistency_lab.show.text import Blocks, Line, Paragraph, flush, paragraph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# --- Curves of repeated runs with their confidence bands, told apart by color, dashes and marks alike ----


@final
class Style(NamedTuple):
    """How one curve looks."""

    color: str
    dash: str
    mark: str


STYLES: Final = (
    Style("#0072B2", "-", "o"),
    Style("#D55E00", "--", "s"),
    Style("#009E73", "-.", "^"),
    Style("#CC79A7", ":", "D"),
    Style("#000000", "-", "v"),
    Style("#56B4E9", "--", "P"),
    Style("#E69F00", "-.", "X"),
)
"""Colors that color-blind readers tell apart (Okabe and Ito)."""


def curve(
    axes: "Axes",
    label: str,
    style: Style,
    xs: Sequence[float],
    runs: Sequence[Sequence[float]],
    least: float | None = None,
) -> None:
    """Draw the means of some runs over xs, and their bands; on a logarithmic axis nothing below `least`."""
    bands = [band(one) for one in runs]
    shown = [(x, *one) for x, one in zip(xs, bands, strict=True) if least is None or one.mean > least]
    if not shown:
        axes.plot([], [], style.dash, color=style.color, marker=style.mark, markersize=4, label=label)
        return
    x, mean, low, high = map(list, zip(*shown, strict=True))
    if least is not None:
        low = [max(value, least) for value in low]
    axes.fill_between(x, low, high, color=style.color, alpha=0.18, lw=0)
    axes.plot(x, mean, style.dash, color=style.color, marker=style.mark, markersize=4, lw=1.5, label=label)


def level(axes: "Axes", label: str, style: Style, runs: Sequence[float]) -> None:
    """A line across the picture, with its band: the mean of runs that do not depend on x."""
    mean = band(runs)
    axes.axhspan(mean.low, mean.high, color=style.color, alpha=0.15, lw=0)
    axes.axhline(mean.mean, ls=style.dash, color=style.color, lw=1.5, label=label)


def legend_below(figure: "Figure", axes: "Axes", columns: int) -> None:
    """One legend for all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=9)


def runs_text(count: int) -> str:
    """How many runs, in words."""
    return "1 run" if count == 1 else f"{count} runs"


def cell(runs: Sequence[float], digits: int = 4) -> str:
    """A mean, and half the width of its 90 % interval where there are several runs."""
    mean = band(runs)
    half = f" ± {mean.high - mean.mean:.{digits}f}" if len(runs) > 1 else ""
    return f"{round(mean.mean, digits) + 0.0:.{digits}f}{half}"


def grid(
    rows: Sequence[Mapping[str, Any]],
    line: Callable[[Mapping[str, Any]], str],
    column: Callable[[Mapping[str, Any]], str],
    values: str,
    corner: str = "",
    digits: int = 4,
) -> Blocks:
    """A table of what was measured."""
    heads = list(dict.fromkeys(map(column, rows)))
    cells_of: dict[str, dict[str, str]] = {}
    for row in rows:
        cells_of.setdefault(line(row), {})[column(row)] = cell(row[values], digits)
    body = ((name, *(cells.get(head, "") for head in heads)) for name, cells in cells_of.items())
    return Blocks(((corner, *heads), *body), 3)


# --- The experiment with simulated judges as text and as a figure ----------------------------------------

EXPERIMENT: Final = "consistency-lab/experiment/1"
"""The format of the documents of experiments."""

Document = Mapping[str, Any]

_LINES: Final = {PAIRWISE: STYLES[1], AGGREGATED: STYLES[0], CASCADE: STYLES[5]}
_LEAST: Final = 1e-4
"""The bottom of the logarithmic axes."""

_PANELS: Final = 3
"""So many numbers of judges are drawn against k."""


def judges_lines(document: Document) -> Iterator[Line]:
    """What was measured, as a report."""
    settings = document["settings"]
    yield from flush(
        "Regret of what is learned from simulated judges: the share "
        "of all preferences that the learned order contradicts beyond the best order; "
        f"{runs_text(settings['runs'])}, seed {settings['seed']}; behind ± is half of a 90 % confidence "
        "interval."
    )
    for instance in [*document["instances"], document["clicks"]]:
        yield ""
        yield f"{instance['name']}: {instance['title']}"
        yield from paragraph(_about(instance))
        rows = [row for row in instance["measured"] if row["loss"] != ORDER_K]
        yield grid(rows, lambda row: str(row["loss"]), lambda row: str(row["n"]), "regrets", "n")
        if "limits_by_k" in instance:
            yield ""
            by_order = _by_order(instance)
            yield grid(
                by_order, lambda row: f"n = {row['n']}", lambda row: str(row["k"]), "regrets", "order k"
            )


def _about(instance: Document) -> str:
    limit = instance["logistic_limit"]
    if "best" not in instance:
        lists = " and ".join(map(_comma, instance["lists"]))
        return (
            f"Rows satisfy with chances {_comma(instance['satisfies'])}. With chances "
            f"{_comma(instance['chances'])} the lists {lists} are shown. "
            "Pairs are 'clicked over passed by'; the limit of the logistic loss has regret "
            f"{limit['regret']:.4f}."
        )
    certified = f" (certified: {limit['certified']})" if limit["certified"] else ""
    right = next((row["k"] for row in instance["limits_by_k"] if row["regret"] == 0), None)
    orders = "none that was tried" if right is None else f"k = {right}"
    return (
        f"{instance['source']}. The best order is {' > '.join(instance['best'])}; with infinitely many "
        f"judges the pairwise logistic loss has {' > '.join(limit['order'])}, regret {limit['regret']}"
        f"{certified}, and the first aggregation of those tried that is right is {orders}."
    )


def _comma(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def _by_order(instance: Document) -> list[Document]:
    """The aggregated loss against k, with some numbers of judges and with infinitely many."""
    rows = [row for n in _panel_sizes(instance) for row in _of_order(instance, n)]
    limits = [{"n": "∞", "k": row["k"], "regrets": [row["regret"]]} for row in instance["limits_by_k"]]
    return [*rows, *limits]


def _of_order(instance: Document, n: int) -> list[Document]:
    return [row for row in instance["measured"] if row["loss"] == ORDER_K and row["n"] == n]


def _panel_sizes(instance: Document) -> list[int]:
    """A few numbers of judges, of whom there are enough for most k."""
    most = instance["limits_by_k"][-1]["k"]
    sizes = [n for n in dict.fromkeys(row["n"] for row in instance["measured"]) if 2 * n > most]
    return sizes[:: max(1, len(sizes) // _PANELS)][:_PANELS]


def judges_pictures(document: Document) -> dict[str, Picture]:
    """The figure: regret against n, and against k."""
    return {
        "judges": Picture(
            "Regret of what is learned from simulated judges", 12.0, 6.6, partial(_draw, document)
        )
    }


def _draw(document: Document, figure: "Figure") -> None:
    instances, clicks = document["instances"], document["clicks"]
    panels = figure.subplots(2, len(instances) + 1)
    for axes, instance in zip(panels[0], [*instances, clicks], strict=True):
        _against_n(axes, instance)
    for axes, instance in zip(panels[1], instances, strict=False):
        _against_k(axes, instance)
    panels[0, 0].set_ylabel("regret")
    panels[1, 0].set_ylabel("regret")
    last = panels[1, -1]
    last.axis("off")
    handles: dict[str, Any] = {}
    for axes in panels.flat:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    last.legend(handles.values(), handles.keys(), loc="center", fontsize=9)
    figure.suptitle("What losses learn from n simulated judges whose best order is known", fontsize=12)


def _against_n(axes: "Axes", instance: Document) -> None:
    rows = instance["measured"]
    for name, style in _LINES.items():
        own = [row for row in rows if row["loss"] == name]
        if own:
            curve(axes, name, style, [row["n"] for row in own], [row["regrets"] for row in own], _LEAST)
    limit = _value(instance["logistic_limit"]["regret"])
    if limit > 0:
        axes.axhline(limit, color="#000000", ls=(0, (6, 2)), lw=1, label="theory: limit of the logistic loss")
    if "bounds" in instance:
        ns, bounds = zip(*((row["n"], row["regret"]) for row in instance["bounds"]), strict=True)
        axes.plot(ns, bounds, color="#000000", ls=":", lw=1.2, label="theory: aggregated, at most")
    axes.set(xscale="log", yscale="log", ylim=(_LEAST, 1.5), xlabel="judges n")
    axes.set_title(f"{instance['name']}:\n{instance['title']}", fontsize=10)


def _against_k(axes: "Axes", instance: Document) -> None:
    for n, style in zip(_panel_sizes(instance), STYLES[2:], strict=False):
        own = _of_order(instance, n)
        runs = [row["regrets"] for row in own]
        curve(axes, f"n = {n:,}, order k", style, [row["k"] for row in own], runs)
    limits = instance["limits_by_k"]
    axes.step(
        [row["k"] for row in limits],
        [max(0.0, row["regret"]) for row in limits],
        where="mid",
        color="#000000",
        lw=1,
        label="theory: infinitely many judges",
    )
    axes.set_ylim(bottom=0)
    axes.set(xscale="log", xlabel="order k")


def _value(regret: float | str) -> float:
    """A regret that may be an exact fraction in text."""
    from fractions import Fraction

    return float(Fraction(regret)) if isinstance(regret, str) else regret


# --- The experiment on MovieLens as text and as a picture, both beside what the paper printed ------------


def movielens_report(document: Mapping[str, Any]) -> Iterator[Line]:
    """The table: mean test loss, its standard error, the paper's, and who is lowest how often."""
    data, asked = document["data"], document["settings"]
    yield from flush(
        f"{document['citation']}, on {data['source']}: {data['ratings']} ratings by {data['users']} users of "
        f"{data['films']} films; {runs_text(asked['runs'])}, seed {asked['seed']}, variant "
        f"{asked['variant']}: {asked['about']}"
    )
    lambdas = asked["lambdas"]
    yield from _told(
        "Generalized pairwise loss (Eq. 7) a test pair: mean (standard error) over the runs; lowest: in how "
        "many of the runs the method had the lowest loss of the three.",
        ["pairs", "method", "here", "paper", "lowest"],
        (
            [str(row["pairs"]), row["method"], _mean(row), _mean(row["paper"], 3), str(row["lowest"])]
            for row in document["table"]
        ),
    )
    yield from _told(
        "Loss of the linear method less that of the other in the same run; lower: in how many runs it is.",
        ["pairs", "than", "difference", "lower"],
        (
            [str(row["pairs"]), row["than"], _mean(row, sign="+"), str(row["lower"])]
            for row in document["differences"]
        ),
    )
    yield from _told(
        "Mean test loss with each λ, for sums over pairs + λ ‖w‖² as in the paper; those up to "
        f"{asked['largest']:g} are chosen from, by the validation part.",
        ["pairs", "method", *(f"{lam:g}" for lam in lambdas)],
        (
            [str(row["pairs"]), row["method"], *(f"{mean:.4f}" for mean in row["by_lambda"])]
            for row in document["table"]
        ),
    )


def _told(about: str, heads: list[str], rows: Iterable[list[str]]) -> Iterator[Line]:
    """A table under a sentence that says what is in it."""
    yield from ("", *flush(about), "")
    yield Blocks(tuple(map(tuple, [heads, *rows])), 2, keys=2)


def _mean(row: Mapping[str, Any] | None, digits: int = 4, sign: str = "") -> str:
    """A mean with its standard error."""
    if row is None:
        return "-"
    error = row["standard_error"]
    return f"{row['mean']:{sign}.{digits}f}" + (f" ({error:.{digits}f})" if error is not None else "")


def movielens_plot(document: Mapping[str, Any]) -> Picture:
    """Test loss against the number of training pairs, here and in the paper, with standard errors."""
    title = f"{document['citation']}: {document['data']['source']}, {runs_text(document['settings']['runs'])}"
    return Picture(title, 8.6, 4.0, partial(_draw_table, document, title))


def _draw_table(document: Mapping[str, Any], title: str, figure: "Figure") -> None:
    table = document["table"]
    ours = [("measured here", table)]
    printed = [{**row, **row["paper"]} for row in table if row["paper"]]
    panels = [*ours, ("printed in the paper", printed)] if printed else ours
    sizes = list(dict.fromkeys(row["pairs"] for row in table))
    for axes, (name, rows) in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels, strict=True
    ):
        for k, (method, style) in enumerate(zip(METHODS, STYLES, strict=False)):
            shown = [row for row in rows if row["method"] == method]
            # Side by side, for three bars at one place would hide each other.
            places = [sizes.index(row["pairs"]) + 0.12 * (k - 1) for row in shown]
            means = [row["mean"] for row in shown]
            errors = [row["standard_error"] or 0.0 for row in shown]
            looks = {"color": style.color, "ls": style.dash, "marker": style.mark}
            axes.errorbar(places, means, errors, **looks, ms=4, capsize=3, label=method)
        axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        axes.set(xlim=(-0.4, len(sizes) - 0.6), xlabel="training pairs")
        axes.set_title(name, fontsize=10)
        axes.legend(loc="best", fontsize=8)
    figure.axes[0].set_ylabel("generalized pairwise loss")
    figure.suptitle(title, fontsize=12)


# --- Aggregated rank lists against true labels, as text --------------------------------------------------


def rank_list_lines(document: Mapping[str, Any]) -> Iterator[Line]:
    """What was measured, as a report."""
    data = document["data"]
    yield from flush(f"Does a better order of rank lists bring relevance? {data['title']}")
    yield from paragraph(
        f"{data['rankers']} rankers on {data['queries']} queries with {data['documents']} documents; "
        f"{data['unranked']:.0%} of the ranks are NULL. Regret is what an order contradicts beyond the best "
        "one, as a share of all preferences; beyond best is the mean NDCG beyond that of the best "
        "order, ± half of a 90 % confidence interval over queries."
    )
    for part in document["unranked"]:
        yield ""
        yield Paragraph(
            f"Unranked documents are {part['unranked']}: {part['cyclic']} queries have cyclic majorities, "
            f"the best order of {part['optimal_proved']} is proved; {part['judged']} have documents of "
            "different relevance.",
            0,
            3,
        )
        head = ("", "regret", "NDCG@10", "beyond best", "NDCG", "beyond best")
        yield Blocks((head, *(_row(rule) for rule in part["rules"])), 2)


def _row(rule: Mapping[str, Any]) -> tuple[str, ...]:
    both = zip(rule["ndcg"], rule["gain_over_kemeny"], strict=True)
    means = (text for ndcg, gain in both for text in (f"{ndcg['mean']:.4f}", cell(gain["runs"])))
    return (rule["rule"], f"{rule['regret']:.4f}", *means)


# --- The web experiment as text and as figures -----------------------------------------------------------

_WEB_LINES: Final = {EXACT: STYLES[0], STEPS: STYLES[1]}
_LEVELS: Final = {LOGISTIC: STYLES[2], LOGISTIC_STEPS: STYLES[3], LIMIT: STYLES[5], LIMITING: STYLES[4]}


def web_lines(document: Document) -> Iterator[Line]:
    """What was measured, as a report."""
    data, settings = document["data"], document["settings"]
    yield from flush(
        f"NDCG risk on {data['title']}: {data['queries']} queries, {data['documents']} documents, "
        f"{data['features']} features; "
        f"{runs_text(settings['runs'])}, lambda = {settings['lam']:g}, {settings['steps']} steps, seed "
        f"{settings['seed']}. The risk is 1 − NDCG with the gains of the limiting scores; behind ± "
        "is half of a 90 % confidence interval."
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
    pictures = {
        "web-orders": Picture(f"NDCG risk against k: {about}", 9.0, 7.0, partial(_draw_orders, document)),
        "web-lambda": Picture(
            f"NDCG risk against lambda: {about}", 6.0, 4.4, partial(_draw_lambdas, document)
        ),
    }
    if document["gaps"]:
        pictures["web-steps"] = Picture(
            f"Optimality gap against steps: {about}", 9.0, 4.4, partial(_draw_gaps, document)
        )
    return pictures


def _draw_orders(document: Document, figure: "Figure") -> None:
    sizes = document["settings"]["sizes"]
    panels = figure.subplots((len(sizes) + 1) // 2, 2, squeeze=False, sharex=True, sharey="row").ravel()
    for n, axes in zip(sizes, panels, strict=False):
        rows = [row for row in document["orders"] if row["n"] == n]
        for name, style in _WEB_LINES.items():
            own = [row for row in rows if row["estimator"] == name]
            if own:
                curve(axes, name, style, [row["k"] for row in own], [row["risks"] for row in own])
        for name, style in _LEVELS.items():
            for row in rows:
                if row["estimator"] == name:
                    level(axes, name, style, row["risks"])
        axes.set(xscale="log", xlabel="order k", ylabel="NDCG risk")
        axes.set_title(f"n = {n:,} pairs", fontsize=10)
        axes.label_outer()
    for axes in panels[len(sizes) :]:
        axes.set_visible(False)
    figure.suptitle(f"Risk against the order of the aggregation\n{document['data']['title']}", fontsize=11)
    legend_below(figure, figure.axes[0], 3)


def _draw_lambdas(document: Document, figure: "Figure") -> None:
    axes = figure.subplots()
    rows = document["lambdas"]
    for style, name in zip(STYLES, dict.fromkeys(map(_name, rows)), strict=False):
        own = [row for row in rows if _name(row) == name]
        curve(axes, name, style, [row["lambda"] for row in own], [row["risks"] for row in own])
    axes.set(xscale="log", xlabel="λ", ylabel="NDCG risk")
    axes.set_title(f"Risk against λ, n = {rows[0]['n']:,} pairs\n{document['data']['title']}", fontsize=11)
    legend_below(figure, axes, 2)


def _draw_gaps(document: Document, figure: "Figure") -> None:
    rows = document["gaps"]
    by_k, by_n = _most([row["n"] for row in rows]), _most([row["k"] for row in rows])
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, fixed, value, moving in ((left, "n", by_k, "k"), (right, "k", by_n, "n")):
        own = sorted((row for row in rows if row[fixed] == value), key=lambda row: row[moving])
        for style, key in zip(STYLES, dict.fromkeys([row[moving] for row in own]), strict=False):
            curve_rows = [row for row in own if row[moving] == key]
            runs = [row["gaps"] for row in curve_rows]
            curve(axes, f"{moving} = {key:,}", style, [row["steps"] for row in curve_rows], runs, 1e-6)
        axes.set(xscale="log", yscale="log", xlabel="steps")
        axes.set_title(f"{fixed} = {value:,}", fontsize=10)
        axes.legend(fontsize=9)
    left.set_ylabel("gap, share of that at 0")
    figure.suptitle(f"Optimality gap of the stochastic gradient\n{document['data']['title']}", fontsize=11)


def _most(values: list[int]) -> int:
    return max(dict.fromkeys(values), key=values.count)

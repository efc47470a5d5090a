"""The experiment with simulated judges as text and as a figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.experiments.judges import AGGREGATED, CASCADE, ORDER_K, PAIRWISE
from consistency_lab.report.experiments.curves import STYLES, curve, grid, runs_text
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.text import Line, Paragraph

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Document = Mapping[str, Any]

_LINES: Final = {PAIRWISE: STYLES[1], AGGREGATED: STYLES[0], CASCADE: STYLES[5]}
_LEAST: Final = 1e-4
"""The bottom of the logarithmic axes."""

_PANELS: Final = 3
"""So many numbers of judges are drawn against k."""


def judges_lines(document: Document) -> Iterator[Line]:
    """What was measured, as a report."""
    settings = document["settings"]
    yield "Regret of what is learned from simulated judges"
    yield Paragraph(
        "The share of all preferences that the learned order contradicts beyond the best order; "
        f"{runs_text(settings['runs'])}, seed {settings['seed']}; behind ± is half of a 90 % confidence "
        "interval.",
        3,
        0,
    )
    for instance in [*document["instances"], document["clicks"]]:
        yield ""
        yield f"{instance['name']}: {instance['title']}"
        yield Paragraph(_about(instance), 3, 0)
        rows = [row for row in instance["measured"] if row["loss"] != ORDER_K]
        yield grid(rows, lambda row: str(row["loss"]), lambda row: str(row["n"]), "regrets", "n")
        if "limits_by_k" in instance:
            yield ""
            found = _by_order(instance)
            yield grid(found, lambda row: f"n = {row['n']}", lambda row: str(row["k"]), "regrets", "order k")


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
    right = next((row["k"] for row in instance["limits_by_k"] if abs(row["regret"]) < 1e-9), None)
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
        "judges": Picture("Regret of what is learned from simulated judges", 12.0, 6.6, _Drawing(document))
    }


@final
@dataclass(frozen=True, eq=False)
class _Drawing:
    document: Document

    def __call__(self, figure: "Figure") -> None:
        instances, clicks = self.document["instances"], self.document["clicks"]
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
        figure.suptitle(
            "What is learned from n simulated judges, of whom the best order is known", fontsize=12
        )


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
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(_LEAST, 1.5)
    axes.set_xlabel("judges n")
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
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("order k")


def _value(regret: float | str) -> float:
    """A regret that may be an exact fraction in text."""
    from fractions import Fraction

    return float(Fraction(regret)) if isinstance(regret, str) else regret

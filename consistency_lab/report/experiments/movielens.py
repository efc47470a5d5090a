"""The experiment on MovieLens as text and as a picture, both beside what the paper printed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from consistency_lab.experiments.movielens.settings import METHODS
from consistency_lab.report.experiments.curves import STYLES, runs_text
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.text import Line, columns, paragraph

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def movielens_report(document: Mapping[str, Any]) -> Iterator[Line]:
    """The table: mean test loss, its standard error, the paper's, and who is lowest how often."""
    data, asked = document["data"], document["settings"]
    yield from paragraph(
        f"{document['citation']}, on {data['source']}: {data['ratings']} ratings by {data['users']} users of "
        f"{data['films']} films; {runs_text(asked['runs'])}, seed {asked['seed']}, variant "
        f"{asked['variant']}: {asked['about']}",
        indent=0,
        hanging=2,
    )
    yield ""
    yield from paragraph(
        "Generalized pairwise loss (Eq. 7) a test pair: mean (standard error) over the runs; lowest: in how "
        "many of the runs the method had the lowest loss of the three.",
        indent=0,
        hanging=2,
    )
    yield ""
    yield from columns(
        [
            ["pairs", "method", "here", "paper", "lowest"],
            *(
                [str(row["pairs"]), row["method"], _mean(row), _mean(row["paper"], 3), str(row["lowest"])]
                for row in document["table"]
            ),
        ],
        indent=2,
        right=(0, 4),
    )
    yield ""
    yield from paragraph(
        "Loss of the linear method less that of the other in the same run; lower: in how many runs it is.",
        indent=0,
        hanging=2,
    )
    yield ""
    yield from columns(
        [
            ["pairs", "than", "difference", "lower"],
            *(
                [str(row["pairs"]), row["than"], _mean(row, sign="+"), str(row["lower"])]
                for row in document["differences"]
            ),
        ],
        indent=2,
        right=(0, 3),
    )
    yield ""
    yield from paragraph(
        "Mean test loss with each λ, for sums over pairs + λ ‖w‖² as in the paper; those up to "
        f"{asked['largest']:g} are chosen from, by the validation part.",
        indent=0,
        hanging=2,
    )
    yield ""
    yield from columns(
        [
            ["pairs", "method", *(f"{lam:g}" for lam in asked["lambdas"])],
            *(
                [str(row["pairs"]), row["method"], *(f"{mean:.4f}" for mean in row["by_lambda"])]
                for row in document["table"]
            ),
        ],
        indent=2,
        right=(0, *range(2, 2 + len(asked["lambdas"]))),
    )


def _mean(row: Mapping[str, Any] | None, digits: int = 4, sign: str = "") -> str:
    """A mean with its standard error.

    Examples
    --------
    >>> _mean({"mean": 0.46, "standard_error": None}), _mean({"mean": 0.46, "standard_error": 0.004}, 3, "+")
    ('0.4600', '+0.460 (0.004)')
    """
    if row is None:
        return "-"
    error = row["standard_error"]
    return f"{row['mean']:{sign}.{digits}f}" + (f" ({error:.{digits}f})" if error is not None else "")


def movielens_plot(document: Mapping[str, Any]) -> Picture:
    """Test loss against the number of training pairs, here and in the paper, with standard errors."""
    title = f"{document['citation']}: {document['data']['source']}, {runs_text(document['settings']['runs'])}"
    return Picture(title, 8.6, 4.0, _Drawing(document, title))


@final
@dataclass(frozen=True, eq=False)
class _Drawing:
    document: Mapping[str, Any]
    title: str

    def __call__(self, figure: "Figure") -> None:
        table = self.document["table"]
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
            axes.set_xlim(-0.4, len(sizes) - 0.6)
            axes.set_xlabel("training pairs")
            axes.set_title(name, fontsize=10)
            axes.legend(loc="best", fontsize=8)
        figure.axes[0].set_ylabel("generalized pairwise loss")
        figure.suptitle(self.title, fontsize=12)

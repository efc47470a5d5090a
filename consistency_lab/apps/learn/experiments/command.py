"""``consistency-lab experiment``: the experiments of the papers, run again on your copy of the data."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.cli.arguments import decimals, process_number, whole, whole_numbers
from consistency_lab.cli.codes import CONSISTENT
from consistency_lab.cli.command import JSON, Command, Group, option
from consistency_lab.cli.streams import need_stdout, progress, say_json, say_report, warn
from consistency_lab.errors import InputError

if TYPE_CHECKING:
    from consistency_lab.show.canvas import Picture
    from consistency_lab.show.text import Line

__all__ = ["EXPERIMENT", "EXPERIMENTS", "Judges", "MovieLens", "Web"]

EXPERIMENTS: Final[Mapping[str, str]] = {
    "movielens": f"{__name__}.MovieLens",
    "web": f"{__name__}.Web",
    "judges": f"{__name__}.Judges",
}
"""The module and the class of each."""

EXPERIMENT: Final = Group(
    "experiment",
    "Rerun the experiments of the papers on your copy of the data.",
    EXPERIMENTS,
    kind="experiment",
)

_numbers = partial(option, metavar="N,N", read=whole_numbers)


@final
class MovieLens(Command):
    """DMJ10 Table 1 on MovieLens 100k: hinge, logistic and value-regularized linear loss.

    The data belong to GroupLens and are not part of this package: give your own copy.
    """

    data: Path | None = option("The folder of MovieLens 100k, with u.data and u.item.", metavar="DIR")
    synthetic: bool = option("Use a few made-up ratings of the same shape instead.", False)
    runs: int = option("Number of runs.", 15, metavar="N")
    pairs: tuple[int, ...] = _numbers("Numbers of training pairs.", "20000,40000,80000,120000,160000")
    seed: int = option("Seed of the splits and of all draws.", 0, metavar="N", read=whole(0))
    variant: str = option(
        "Another choice where the paper leaves one open (docs/research.md).", "plain", metavar="NAME"
    )
    jobs: int = option("Processes at once.", 1, metavar="N", read=process_number)
    svg: Path | None = option("Also draw the losses and save them to this file.", metavar="FILE")
    png: Path | None = option("Also draw the losses and save them as a PNG.", metavar="FILE")
    json: bool = JSON

    def run(self) -> int:
        from consistency_lab.apps.learn.experiments.ratings import Settings, read_movielens, synthetic_ratings
        from consistency_lab.errors import need
        from consistency_lab.files import check_file
        from consistency_lab.show.canvas import picture_format

        if (self.data is None) != self.synthetic:
            raise InputError("give either --data DIR or --synthetic")
        asked = Settings(self.pairs, self.runs, self.seed, self.variant)
        pictures = [(path, form) for path, form in ((self.svg, "svg"), (self.png, "png")) if path is not None]
        for path, form in pictures:
            if picture_format(path) != form:
                raise InputError(f"--{form} is {path}; its name must end in .{form}")
            need("matplotlib", "a picture")
            check_file(path)
        from consistency_lab.apps.learn.experiments.movielens import movielens
        from consistency_lab.apps.learn.experiments.report import movielens_plot, movielens_report

        ratings = synthetic_ratings() if self.data is None else read_movielens(self.data)
        with progress(self.runs) as tell:
            found = movielens(ratings, asked, jobs=self.jobs, tell=tell)
        for path, _ in pictures:
            movielens_plot(found).save(path)
            warn(f"written: {path}")
        _say(found, movielens_report, self.json)
        return CONSISTENT


@final
class Web(Command):
    """DMJ13 Section 6: NDCG risk of aggregated and pairwise losses against k, n and lambda."""

    data: Path | None = option("Documents with labels, as in MSLR, LETOR or LightGBM files.", metavar="FILE")
    synthetic: bool = option("Use synthetic data instead.", False)
    queries: int | None = option(
        "Number of queries (all of a file, 100 synthetic ones).", metavar="N", read=whole(1)
    )
    sizes: tuple[int, ...] = _numbers("Numbers of pairs.", "10000,40000,160000,640000")
    orders: tuple[int, ...] = _numbers("Orders of aggregation.", "1,10,100,1000,10000", metavar="K,K")
    lambdas: tuple[float, ...] = option(
        "Penalties of the second figure.", "1e-5,1e-4,1e-3,1e-2,1e-1,1", metavar="L,L", read=decimals
    )
    lam: float = option("Penalty elsewhere.", 1e-3, metavar="L")
    runs: int = option("Number of draws of the pairs (50 in DMJ13).", 10, metavar="N")
    steps: int = option("Steps of stochastic gradient descent (0: none).", 10_000, metavar="N")
    seed: int = option("Seed of all draws.", 0, metavar="N", read=whole(0))
    figures: Path | None = option("Also write figures as SVG and PNG.", metavar="DIR")
    json: bool = JSON

    def run(self) -> int:
        from consistency_lab.apps.learn.experiments.report import web_lines, web_pictures
        from consistency_lab.apps.learn.experiments.web import TITLE, WebPlan, read_letor, synthetic, web

        if (self.data is None) is not self.synthetic:
            raise InputError("give either --data FILE or --synthetic")
        plan = WebPlan(self.sizes, self.orders, self.lambdas, self.lam, self.runs, self.steps, self.seed)
        _check_figures(self.figures)
        data = self.data
        documents = (
            synthetic(self.queries or 100, self.seed) if data is None else read_letor(data, self.queries)
        )
        with progress(otherwise=warn) as tell:
            found = web(documents, TITLE if data is None else data.name, plan, tell)
        _save_figures(self.figures, {} if self.figures is None else web_pictures(found))
        _say(found, web_lines, self.json)
        return CONSISTENT


@final
class Judges(Command):
    """Consistency made visible: pairwise logistic and aggregated losses, as judges become more.

    With --rank-lists: test whether an order that contradicts fewer rankers puts more relevant documents on
    top.
    """

    sizes: tuple[int, ...] = _numbers("Numbers of judges.", "10,15,20,30,50,70,100,200,500,1000,2000,5000")
    orders: tuple[int, ...] = _numbers("Orders of aggregation.", "1,2,3,5,8,12,20,32,50", metavar="K,K")
    runs: int = option("Number of draws of the judges.", 100, metavar="N")
    seed: int = option("Seed of all draws.", 0, metavar="N", read=whole(0))
    rank_lists: Path | None = option(
        "Instead: aggregate the lists of rankers with labels (MQ2007-agg).", metavar="FILE"
    )
    figures: Path | None = option("Also write figures as SVG and PNG.", metavar="DIR")
    json: bool = JSON

    def run(self) -> int:
        from consistency_lab.apps.learn.experiments.judges import JudgesPlan, judges
        from consistency_lab.apps.learn.experiments.rank_lists import rank_lists
        from consistency_lab.apps.learn.experiments.report import (
            judges_lines,
            judges_pictures,
            rank_list_lines,
        )
        from consistency_lab.apps.learn.experiments.web import read_letor

        lists = self.rank_lists
        if lists is not None and self.figures is not None:
            raise InputError("--rank-lists has no figures; leave out --figures")
        plan = JudgesPlan(self.sizes, self.orders, self.runs, seed=self.seed)
        _check_figures(self.figures)
        with progress(otherwise=warn) as tell:
            found = judges(plan, tell) if lists is None else rank_lists(read_letor(lists), lists.name, tell)
        _save_figures(self.figures, {} if self.figures is None else judges_pictures(found))
        _say(found, judges_lines if lists is None else rank_list_lines, self.json)
        return CONSISTENT


def _say(found: Mapping[str, Any], lines: "Callable[[Any], Iterable[Line]]", json: bool) -> None:
    from consistency_lab.apps.learn.experiments.report import EXPERIMENT

    need_stdout()
    if json:
        say_json({"format": EXPERIMENT, **found})
    else:
        say_report(lines(found))


def _check_figures(folder: Path | None) -> None:
    """Find out before the work whether figures can be drawn and written."""
    if folder is not None:
        from consistency_lab.errors import need
        from consistency_lab.files import prepare_folder

        need("matplotlib", "a figure")
        prepare_folder(folder, "figures")


def _save_figures(folder: Path | None, pictures: "Mapping[str, Picture]") -> None:
    """Write each figure as SVG and as PNG, and say so."""
    if folder is None:
        return
    for name, picture in pictures.items():
        for form in ("svg", "png"):
            picture.save(folder / f"{name}.{form}")
    warn(f"written: {', '.join(f'{name}.svg' for name in pictures)} and the same as PNG, in {folder}")

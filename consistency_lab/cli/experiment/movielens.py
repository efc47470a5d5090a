"""``consistency-lab experiment movielens``: DMJ10 Table 1, beside the printed numbers."""

from pathlib import Path
from typing import Annotated

from consistency_lab.cli.arguments import process_number
from consistency_lab.cli.experiment.shared import whole_numbers
from consistency_lab.cli.grammar import CONSISTENT, Option
from consistency_lab.cli.streams import bar, say_json, say_report, warn
from consistency_lab.errors import InputError
from consistency_lab.extras import need


def movielens(
    data: Annotated[
        Path | None, Option(metavar="DIR", help="The folder of MovieLens 100k, with u.data and u.item.")
    ] = None,
    synthetic: Annotated[
        bool, Option(help="Try it on a few ratings of the same shape that nobody gave instead.")
    ] = False,
    runs: Annotated[int, Option(metavar="N", help="How many runs.")] = 15,
    pairs: Annotated[
        str, Option(metavar="N,N", help="Numbers of training pairs.")
    ] = "20000,40000,80000,120000,160000",
    seed: Annotated[int, Option(metavar="N", help="Of the parts and of what is drawn.")] = 0,
    variant: Annotated[
        str, Option(metavar="NAME", help="What the paper leaves open, otherwise (docs/experiments.md).")
    ] = "plain",
    jobs: Annotated[int, Option(metavar="N", help="Processes at once.")] = 1,
    svg: Annotated[Path | None, Option(metavar="FILE", help="Also draw the losses into this file.")] = None,
    png: Annotated[Path | None, Option(metavar="FILE", help="The same as a PNG.")] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """DMJ10 Table 1 on MovieLens 100k: hinge, logistic and value-regularized linear loss.

    The data are not part of this package: they are those of GroupLens, and stay with you.
    """
    from consistency_lab.experiments.ratings import Settings
    from consistency_lab.files import check_file
    from consistency_lab.report.canvas import picture_format

    if (data is None) != synthetic:
        raise InputError("name the folder of the data with --data, or say --synthetic, and not both")
    asked = Settings(whole_numbers("--pairs", pairs), runs, seed, variant)
    processes = process_number(jobs)
    pictures = [(path, form) for path, form in ((svg, "svg"), (png, "png")) if path is not None]
    for path, form in pictures:
        if picture_format(path) != form:
            raise InputError(f"--{form} is {path}; its name must end in .{form}")
        need("matplotlib", "a picture")
        check_file(path)
    from consistency_lab.experiments.movielens import movielens as measured
    from consistency_lab.experiments.ratings import read_ratings, synthetic_ratings

    ratings = synthetic_ratings() if data is None else read_ratings(data)
    with bar(runs) as tell:
        found = measured(ratings, asked, jobs=processes, tell=tell)
    from consistency_lab.report.experiments import movielens_plot, movielens_report

    if json:
        say_json(found)
    else:
        say_report(movielens_report(found))
    for path, _ in pictures:
        movielens_plot(found).save(path)
        warn(f"written: {path}")
    return CONSISTENT

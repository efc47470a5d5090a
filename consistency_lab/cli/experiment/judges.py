"""``consistency-lab experiment judges``: what losses learn from judges of whom the best order is known."""

from pathlib import Path
from typing import Annotated

from consistency_lab.cli.experiment.shared import check_figures, save_figures, whole_numbers
from consistency_lab.cli.grammar import CONSISTENT, Option
from consistency_lab.cli.streams import say_json, say_report, told
from consistency_lab.errors import InputError


def judges(
    sizes: Annotated[
        str, Option(metavar="N,N", help="Numbers of judges.")
    ] = "10,15,20,30,50,70,100,200,500,1000,2000,5000",
    orders: Annotated[str, Option(metavar="K,K", help="Orders of aggregation.")] = "1,2,3,5,8,12,20,32,50",
    runs: Annotated[int, Option(metavar="N", help="How often judges are drawn.")] = 100,
    seed: Annotated[int, Option(metavar="N", help="Seed of all draws.")] = 0,
    rank_lists: Annotated[
        Path | None,
        Option(metavar="FILE", help="Instead: lists of rankers with labels (MQ2007-agg), aggregated."),
    ] = None,
    figures: Annotated[Path | None, Option(metavar="DIR", help="Also write figures, SVG and PNG.")] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """Consistency made visible: pairwise logistic and aggregated losses, as judges become more.

    With --rank-lists: whether an order that contradicts fewer rankers has more relevant documents on top.
    """
    from consistency_lab.data.letor import read_letor
    from consistency_lab.experiments.judges import JudgesPlan
    from consistency_lab.experiments.judges import judges as measured
    from consistency_lab.experiments.rank_lists import rank_lists as compared
    from consistency_lab.report.experiments import judges_lines, judges_pictures, rank_list_lines

    if rank_lists is not None and figures is not None:
        raise InputError("--rank-lists has no figures; leave out --figures")
    plan = JudgesPlan(whole_numbers("--sizes", sizes), whole_numbers("--orders", orders), runs, seed=seed)
    check_figures(figures)
    with told() as tell:
        found = (
            measured(plan, tell)
            if rank_lists is None
            else compared(read_letor(rank_lists), rank_lists.name, tell)
        )
    save_figures(figures, {} if figures is None else judges_pictures(found))
    if json:
        say_json(found)
    else:
        say_report(judges_lines(found) if rank_lists is None else rank_list_lines(found))
    return CONSISTENT

"""``consistency-lab experiment web``: DMJ13's figures, on data in the format of MSLR or a stand-in."""

from pathlib import Path
from typing import Annotated, Final

from consistency_lab.cli.experiment.shared import check_figures, decimals, save_figures, whole_numbers
from consistency_lab.cli.grammar import CONSISTENT, Option
from consistency_lab.cli.streams import say_json, say_report, told
from consistency_lab.errors import InputError

_QUERIES: Final = 100
"""Of the stand-in."""


def web(
    data: Annotated[
        Path | None, Option(metavar="FILE", help="Documents with labels, as of MSLR, LETOR or LightGBM.")
    ] = None,
    synthetic: Annotated[bool, Option(help="Take a synthetic stand-in instead.")] = False,
    queries: Annotated[
        int | None, Option(metavar="N", help="Take so many queries (all of a file, 100 synthetic ones).")
    ] = None,
    sizes: Annotated[str, Option(metavar="N,N", help="Numbers of pairs.")] = "10000,40000,160000,640000",
    orders: Annotated[str, Option(metavar="K,K", help="Orders of aggregation.")] = "1,10,100,1000,10000",
    lambdas: Annotated[
        str, Option(metavar="L,L", help="Penalties of the second figure.")
    ] = "1e-5,1e-4,1e-3,1e-2,1e-1,1",
    lam: Annotated[float, Option(metavar="L", help="Penalty elsewhere.")] = 1e-3,
    runs: Annotated[int, Option(metavar="N", help="How often pairs are drawn; DMJ13 has 50.")] = 10,
    steps: Annotated[int, Option(metavar="N", help="Steps of stochastic gradient (0: none).")] = 10_000,
    seed: Annotated[int, Option(metavar="N", help="Seed of all draws.")] = 0,
    figures: Annotated[Path | None, Option(metavar="DIR", help="Also write figures, SVG and PNG.")] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
) -> int:
    """DMJ13 Section 6: NDCG risk of aggregated and pairwise losses against k, n and lambda."""
    from consistency_lab.data.letor import read_letor
    from consistency_lab.experiments.web import TITLE, WebPlan
    from consistency_lab.experiments.web import synthetic as drawn
    from consistency_lab.experiments.web import web as measured
    from consistency_lab.report.experiments import web_lines, web_pictures

    if (data is None) is not synthetic:
        raise InputError("give either --data FILE or --synthetic, which stands in for data and says so")
    if queries is not None and queries < 1:
        raise InputError(f"--queries is {queries}; it must be at least 1")
    plan = WebPlan(
        whole_numbers("--sizes", sizes),
        whole_numbers("--orders", orders),
        decimals("--lambdas", lambdas),
        lam,
        runs,
        steps,
        seed,
    )
    check_figures(figures)
    documents = drawn(queries or _QUERIES, seed) if data is None else read_letor(data, queries)
    with told() as tell:
        found = measured(documents, TITLE if data is None else data.name, plan, tell)
    save_figures(figures, {} if figures is None else web_pictures(found))
    if json:
        say_json(found)
    else:
        say_report(web_lines(found))
    return CONSISTENT

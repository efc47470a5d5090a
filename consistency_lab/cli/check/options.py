"""The options of ``check`` as types, in three panels of its help: what they mean is in docs/cli.md."""

from pathlib import Path
from typing import Annotated, Final

from consistency_lab.cli.grammar import Argument, Option

ITEMS: Final = "2,3,4,5"
BUDGET: Final = 20.0
WITNESSES: Final = Path("witnesses")

_TASKS: Final = "For ranking tasks (with --target or --matrix)"
_GRAPHS: Final = "For preference graphs (without --target)"

Name = Annotated[
    str | None,
    Argument(
        metavar="SURROGATE",
        help="A name (see list), an alias, a library's objective such as xgboost:rank:ndcg, or module:object "
        "of yours.",
    ),
]
GraphName = Annotated[
    str | None,
    Argument(
        metavar="SURROGATE",
        help="A surrogate of preference graphs (list surrogates), an alias, or module:object of yours.",
    ),
]
Phi = Annotated[
    str | None,
    Option(metavar="EXPR", help="phi(x), in place of a name or for it, as in 'log(1+exp(-2*x))'."),
]
Conditions = Annotated[list[str] | None, Option(metavar="NAME", help="A noise condition; may be repeated.")]
Items = Annotated[
    str | None,
    Option(
        metavar="3|2,3|3..5", help=f"Numbers of items to search with ({ITEMS}); one number for a task (3)."
    ),
]
Out = Annotated[Path, Option(metavar="DIR", help="Where witnesses are saved.")]
Save = Annotated[bool, Option(help="Save the witnesses that are found.")]
Budget = Annotated[
    float,
    Option(
        metavar="SECONDS",
        help="What all searches may do: counted, so the same everywhere; 1 takes about a second.",
    ),
]
StopAfter = Annotated[
    float | None,
    Option(metavar="SECONDS", help="Stop by the clock, before the budget is used up; never otherwise."),
]
Seed = Annotated[int, Option(metavar="N", help="Seed of the search: the same seed finds the same witness.")]
Json = Annotated[bool, Option(help="Print one JSON document.")]

Target = Annotated[
    str | None,
    Option(metavar="NAME", help="A target loss, such as ndcg@10; see list targets.", panel=_TASKS),
]
Matrix = Annotated[
    str | None,
    Option(
        metavar="FILE.csv",
        help="The target is this loss matrix, one line a label, one column a prediction.",
        panel=_TASKS,
    ),
]
Labels = Annotated[
    str | None,
    Option(
        metavar="0..2|0,1,3|rankings|dags|graphs",
        help="The grades, or what labels are.",
        panel=_TASKS,
    ),
]
Gain = Annotated[
    str | None,
    Option(metavar="EXPR", help="G(s) of a grade s, as in '2**s-1'.", panel=_TASKS),
]
Discount = Annotated[
    str | None,
    Option(metavar="EXPR", help="F(j) of a position j, as in 'log2(1+j)'.", panel=_TASKS),
]
K = Annotated[int | None, Option(metavar="K", help="How many positions count.", panel=_TASKS)]
V = Annotated[str | None, Option(metavar="Q", help="eru, mrr: the neutral grade (0).", panel=_TASKS)]
W = Annotated[str | None, Option(metavar="Q", help="eru: the half-life (2).", panel=_TASKS)]
On = Annotated[
    str | None,
    Option(metavar="gain|gain/Z|grade|net", help="regression: what is fitted.", panel=_TASKS),
]
Decode = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="How scores become a prediction: sort, argmax, linear, diagonal, algorithm-1.",
        panel=_TASKS,
    ),
]
Weights = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="Losses of pairs: unit, difference, square-difference, gain-difference, zhang, zhang-gain.",
        panel=_TASKS,
    ),
]
LabelWeights = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="softmax: how grades become weights: sum, exp, none, gain-sum, gain-none.",
        panel=_TASKS,
    ),
]

Form = Annotated[
    str | None,
    Option(metavar="edge|margin|difference", help="What is made of phi (edge).", panel=_GRAPHS),
]
H = Annotated[
    str | None,
    Option(metavar="EXPR", help="h(a): the weight or the margin of an edge (a).", panel=_GRAPHS),
]
R = Annotated[
    str | None,
    Option(metavar="EXPR", help="linear: the regularizer r(x) (x**2/2).", panel=_GRAPHS),
]
Nu = Annotated[
    str | None,
    Option(metavar="Q", help="linear: the rational weight of the regularizer (1).", panel=_GRAPHS),
]
Profile = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Decide this one distribution: .soc .soi .toc .toi, a CSV winner,loser,count, or JSON; "
        "for grades a CSV with a line of items, then one a judge.",
        panel=_GRAPHS,
    ),
]
Unranked = Annotated[
    str | None,
    Option(
        metavar="last|unknown",
        help="What unranked items of a ballot stand for (last).",
        panel=_GRAPHS,
    ),
]
Select = Annotated[
    str | None,
    Option(
        metavar="A,B,C",
        help='Keep these items of the profile, in this order; "Lee, Sue" in double quotes.',
        panel=_GRAPHS,
    ),
]

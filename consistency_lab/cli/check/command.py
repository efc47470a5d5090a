"""The command itself: it reads the options and finds out which question they ask."""

from typing import TYPE_CHECKING

from consistency_lab.cli.arguments import budget_seconds, clock_seconds
from consistency_lab.cli.check import options
from consistency_lab.cli.check.answering import at_graphs, at_labels, for_graphs, for_labels
from consistency_lab.cli.check.graphs import graph_surrogate
from consistency_lab.cli.check.question import Given, Question, command, question
from consistency_lab.cli.check.run import Run
from consistency_lab.cli.check.tasks import AskedSurrogate, AskedTarget

if TYPE_CHECKING:
    from pathlib import Path


def check(
    surrogate: options.Name = None,
    target: options.Target = None,
    matrix: options.Matrix = None,
    labels: options.Labels = None,
    gain: options.Gain = None,
    discount: options.Discount = None,
    k: options.K = None,
    v: options.V = None,
    w: options.W = None,
    on: options.On = None,
    decode: options.Decode = None,
    weights: options.Weights = None,
    label_weights: options.LabelWeights = None,
    phi: options.Phi = None,
    form: options.Form = None,
    h: options.H = None,
    r: options.R = None,
    nu: options.Nu = None,
    condition: options.Conditions = None,
    items: options.Items = None,
    profile: options.Profile = None,
    unranked: options.Unranked = None,
    select: options.Select = None,
    out: options.Out = options.WITNESSES,
    save: options.Save = True,
    budget: options.Budget = options.BUDGET,
    stop_after: options.StopAfter = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> int:
    """Decide whether a surrogate is consistent, under each noise condition, with evidence.

    CONSISTENT: by a theorem whose hypotheses were checked, or an exact proof.

    INCONSISTENT: by a witness that the core accepts. UNDECIDED: anything else.

    With --target the question is a target loss on labels, such as NDCG on grades.

    With --profile the answer is about one given distribution.
    """
    budget_seconds(budget)
    given: Given = {
        "--target": target,
        "--matrix": matrix,
        "--labels": labels,
        "--gain": gain,
        "--discount": discount,
        "--k": k,
        "--v": v,
        "--w": w,
        "--on": on,
        "--decode": decode,
        "--weights": weights,
        "--label-weights": label_weights,
        "--phi": phi,
        "--form": form,
        "--h": h,
        "--r": r,
        "--nu": nu,
        "--condition": condition,
        "--items": items,
        "--profile": profile,
        "--unranked": unranked,
        "--select": select,
        "--seed": seed or None,
    }
    asked = question(given)
    run = Run(budget, clock_seconds(stop_after), seed, _folder(out, save), command(surrogate, given), json)
    if asked is Question.TASK:
        about_labels = AskedSurrogate(surrogate, on, decode, weights, phi, label_weights)
        for_target = AskedTarget(target, matrix, labels, items, gain, discount, k, v, w)
        if profile is not None:
            return at_labels(about_labels, for_target, profile, unranked, select, run)
        return for_labels(about_labels, for_target, condition, run)
    about = graph_surrogate(surrogate, phi, form, h, r, nu)
    if profile is not None:
        return at_graphs(about, profile, unranked, select, run)
    return for_graphs(about, condition, items or options.ITEMS, run)


def _folder(out: "Path", save: bool) -> "Path | None":
    """Where to save, found writable before a long search."""
    if not save:
        return None
    from consistency_lab.report.saving import check_writable

    check_writable(out)
    return out

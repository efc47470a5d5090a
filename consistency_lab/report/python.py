"""What the command line prints, as texts in Python: what a word means, and what to train."""

from typing import Literal

from consistency_lab.checked import checked
from consistency_lab.errors import InputError
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.task import Task
from consistency_lab.report.advice import for_pairs, for_target
from consistency_lab.report.glossary import explained
from consistency_lab.report.recommend import program
from consistency_lab.report.text import rendered
from consistency_lab.shown import Text


@checked
def explain(word: str) -> Text:
    """What a word of the answers means, with an example.

    Parameters
    ----------
    word
        A term, a noise condition or a target.

    Examples
    --------
    >>> explain("low noise").startswith("low")
    True
    """
    return Text("\n".join(rendered(explained(word))))


@checked
def recommend(
    loss: str | None = None,
    *,
    target: Task | str | None = None,
    library: Literal["lightgbm", "xgboost", "catboost", "pytorch", "trl"] = "lightgbm",
    details: bool = False,
) -> Text:
    """What to train for a target or with TRL, or the program that trains a loss.

    Parameters
    ----------
    loss
        A loss of the answer, for its program.
    target
        What `target` returns, or its name; None for TRL.
    library
        What you train with.
    details
        Whether to tell all that is proved, with theorems and costs.

    Examples
    --------
    >>> print(recommend(target="ndcg", library="xgboost").splitlines()[0])
    For NDCG with XGBoost train reg:squarederror on other labels
    >>> "def objective(preds, dtrain)" in recommend("zhang", target="ndcg", library="xgboost")
    True
    """
    if library == "trl":
        if loss is not None or target is not None:
            raise InputError("library='trl' is about pairs of answers; leave out loss and target")
        advice = for_pairs(library)
    elif target is None:
        raise InputError("recommend needs a target, such as target='ndcg', or library='trl'")
    else:
        task = named_target(target) if isinstance(target, str) else target
        if loss is not None:
            return Text(program(task, library, loss))
        advice = for_target(task, library)
    return Text("\n".join(rendered(advice.long if details else advice.short)))

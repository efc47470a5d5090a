"""Decides, exactly and with certificates, whether a surrogate ranking loss is consistent.

Importing this package costs nothing: every name is imported from where it lives when it is first used.

>>> import consistency_lab as lab
>>> str(lab.check(lab.surrogate("linear"), ["low-noise"]).verdict)
'CONSISTENT'
"""

from typing import TYPE_CHECKING, Any, Final

from consistency_lab.shown import Shown

if TYPE_CHECKING:
    from consistency_lab.apps.align.features import check_features, read_features
    from consistency_lab.apps.audit.report import AuditReport
    from consistency_lab.apps.audit.report import audit_profile as audit
    from consistency_lab.certify.proofs.file import verify, verify_file
    from consistency_lab.certify.witness import Witness
    from consistency_lab.certify.witness import certify as certify_at
    from consistency_lab.cli.known import explain
    from consistency_lab.data.games import GameColumns
    from consistency_lab.data.labels import read_labels
    from consistency_lab.data.profile import JudgmentColumns, Profile, RatingColumns, Reading, read_profile
    from consistency_lab.decide.answers import Decision, ProfileDecision, Verdict
    from consistency_lab.decide.profile import decide_profile as check_profile
    from consistency_lab.decide.surrogate import strongest
    from consistency_lab.decide.tasks import check
    from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError, UnsupportedError
    from consistency_lab.model.conditions import CONDITIONS, conditions_of
    from consistency_lab.model.distribution import Distribution, PreferenceGraph
    from consistency_lab.model.surrogates import (
        GraphSurrogate,
        Surrogate,
        Term,
        pair,
        surrogate,
        surrogate_names,
    )
    from consistency_lab.model.surrogates.own import load_surrogate
    from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
    from consistency_lab.model.tasks.catalogue import target
    from consistency_lab.numbers.phi import parse
    from consistency_lab.search.effort import Effort
    from consistency_lab.search.find import find
    from consistency_lab.show.advice import recommend
    from consistency_lab.show.cards import assert_consistent
    from consistency_lab.solve.minimize import Minimum, minimize
    from consistency_lab.solve.optimal import optimal_orders

__all__ = [
    "CONDITIONS",
    "AuditReport",
    "ConsistencyLabError",
    "Decision",
    "Distribution",
    "Effort",
    "GameColumns",
    "GraphSurrogate",
    "InputError",
    "JudgmentColumns",
    "Minimum",
    "PreferenceGraph",
    "Profile",
    "ProfileDecision",
    "RatingColumns",
    "Reading",
    "RejectedError",
    "Surrogate",
    "Term",
    "UnsupportedError",
    "Verdict",
    "Witness",
    "assert_consistent",
    "audit",
    "certify_at",
    "check",
    "check_features",
    "check_profile",
    "conditions_of",
    "explain",
    "find",
    "load_surrogate",
    "minimize",
    "optimal_orders",
    "pair",
    "parse",
    "read_features",
    "read_labels",
    "read_profile",
    "recommend",
    "strongest",
    "surrogate",
    "surrogate_names",
    "target",
    "task_surrogate",
    "verify",
    "verify_file",
]

_HOMES: Final = """
certify.witness: Witness certify_at=certify
cli.known: explain
data.games: GameColumns
data.labels: read_labels
data.profile: JudgmentColumns Profile RatingColumns Reading read_profile
decide.answers: Decision ProfileDecision Verdict
decide.profile: check_profile=decide_profile
decide.surrogate: strongest
apps.align.features: check_features read_features
decide.tasks: check
errors: ConsistencyLabError InputError RejectedError UnsupportedError
model.conditions: CONDITIONS conditions_of
model.distribution: Distribution PreferenceGraph
model.surrogates: GraphSurrogate Surrogate Term pair surrogate surrogate_names
model.surrogates.own: load_surrogate
model.surrogates.tasks.catalogue: task_surrogate
model.tasks.catalogue: target
numbers.phi: parse
certify.proofs.file: verify verify_file
apps.audit.report: AuditReport audit=audit_profile
show.cards: assert_consistent
show.advice: recommend
search.effort: Effort
search.find: find
solve.minimize: Minimum minimize
solve.optimal: optimal_orders
"""
"""The module in which each public name lives, and what it is called there, if it is something else.

`decide` and `certify` are modules here. `check` and `check_profile` take a target too."""

_DEPRECATED: Final = """
model.labels: LabelProfile
decide.answers: Answer Strongest TaskDecision=Decision
decide.tasks: check_task=decide_task
numbers.exact: LogRational
numbers.phi: Expression
certify.proofs.record: VerifiedProof
solve.optimal: OptimalOrders
"""
"""Names that work for one more minor version: kinds of answers, which nobody builds, and older names."""


def _cards() -> Any:
    """The words of every answer."""
    from consistency_lab.show import cards

    return cards


Shown._words = staticmethod(_cards)


def __getattr__(name: str) -> object:
    from importlib import import_module

    for lines in (_HOMES, _DEPRECATED):
        for line in lines.split("\n"):
            home, _, names = line.partition(": ")
            for public, _, there in (word.partition("=") for word in names.split()):
                if public == name:
                    if lines is _DEPRECATED:
                        _warn(name, f"{__name__}.{home}.{there or name}")
                    return getattr(import_module(f"{__name__}.{home}"), there or name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _warn(name: str, home: str) -> None:
    from warnings import warn

    warn(f"{__name__}.{name} is deprecated; use {home}", DeprecationWarning, stacklevel=3)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

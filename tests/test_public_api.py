"""The names and signatures that `import consistency_lab` promises; CONTRIBUTING.md says how one leaves."""

import subprocess
import sys
from inspect import Parameter, signature
from pathlib import Path

import pytest

import consistency_lab

NAMES = {
    "AuditReport": None,
    "CONDITIONS": None,
    "ConsistencyLabError": None,
    "Decision": None,
    "Distribution": None,
    "Effort": "seconds=, report=, clock=",
    "GameColumns": "winner, loser=, a=, b=, count=, cluster=",
    "GraphSurrogate": None,
    "InputError": None,
    "JudgmentColumns": "query, item, judge, grade",
    "Minimum": None,
    "PreferenceGraph": None,
    "Profile": None,
    "ProfileDecision": None,
    "RatingColumns": "user, item, rating",
    "Reading": "columns=, ties=, bad_rows=, unranked=, select=, top=, query=, ordered=, most=",
    "RejectedError": None,
    "Surrogate": None,
    "Term": "c, phi, v, b=",
    "UnsupportedError": None,
    "Verdict": None,
    "Witness": None,
    "assert_consistent": "loss, target=, condition=, items=, effort=",
    "audit": "profile, losses=, **options",
    "certify_at": "surrogate, distribution, scores=, *, provenance=, universal=, decimals=, best=, quick=",
    "check": "surrogate, conditions=, *, condition=, target=, design=, items=, larger=, effort=, command=, "
    "seed=, prescribe=",
    "check_features": "surrogate, features, distribution=, *, axioms=, command=",
    "check_profile": "surrogate, distribution, *, target=, notes=, command=",
    "conditions_of": "d",
    "explain": "word",
    "find": "surrogate, condition, items=, *, effort=, provenance=",
    "load_surrogate": "reference",
    "minimize": "terms, m, *, exact=",
    "optimal_orders": "a, above=",
    "pair": "c, phi, i, j, b=",
    "parse": "text, variable=",
    "read_features": "path",
    "read_labels": "path, kind, unranked=, items=",
    "read_profile": "path, unranked=, items=, top=",
    "recommend": "loss=, *, target=, library=, details=",
    "strongest": "surrogate, *, items=, effort=, command=, seed=",
    "surrogate": "name=, *, phi=, form=, h=, r=, nu=",
    "surrogate_names": "",
    "target": "name, *, items=, labels=, gain=, discount=, k=, v=, w=",
    "task_surrogate": "name, *, on=, weights=, phi=, label_weights=, decode=",
    "verify": "document",
    "verify_file": "path",
}
"""Each name, with its parameters; None for what nobody calls. What has a default ends in "="."""

METHODS = {
    "AuditReport": "document html plot summary to_frame",
    "Decision": "plot summary to_frame",
    "Distribution": "summary to_frame",
    "Minimum": "summary to_frame",
    "ProfileDecision": "plot summary to_frame",
    "Witness": "latex plot script summary to_frame",
}
"""What an answer can do."""

DEPRECATED = {
    "Answer": "consistency_lab.decide.answers.Answer",
    "Expression": "consistency_lab.numbers.phi.Expression",
    "LabelProfile": "consistency_lab.model.labels.LabelProfile",
    "LogRational": "consistency_lab.numbers.exact.LogRational",
    "OptimalOrders": "consistency_lab.solve.optimal.OptimalOrders",
    "Strongest": "consistency_lab.decide.answers.Strongest",
    "TaskDecision": "consistency_lab.decide.answers.Decision",
    "VerifiedProof": "consistency_lab.certify.proofs.record.VerifiedProof",
    "check_task": "consistency_lab.decide.tasks.decide_task",
}


def test_the_names_are_these():
    assert set(consistency_lab.__all__) == set(NAMES)
    assert len(consistency_lab.__all__) == len(NAMES)
    assert set(dir(consistency_lab)) >= set(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_name_is_there_and_documented(name):
    found = getattr(consistency_lab, name)
    if name != "CONDITIONS":
        assert found.__doc__
        assert found.__module__.startswith("consistency_lab.")


@pytest.mark.parametrize("name", [name for name, said in NAMES.items() if said is not None])
def test_the_parameters_are_these(name):
    said, keywords = [], False
    for one in signature(getattr(consistency_lab, name)).parameters.values():
        said += ["*"] if one.kind is one.KEYWORD_ONLY and not keywords else []
        keywords = keywords or one.kind is one.KEYWORD_ONLY
        stars = "**" if one.kind is one.VAR_KEYWORD else ""
        said.append(f"{stars}{one.name}{'' if one.default is Parameter.empty else '='}")
    promised = NAMES[name]
    assert promised is not None
    assert ", ".join(said).startswith(promised) if name == "Effort" else ", ".join(said) == promised


@pytest.mark.parametrize(("name", "methods"), METHODS.items())
def test_an_answer_has_these_methods(name, methods):
    found = getattr(consistency_lab, name)
    assert all(getattr(found, method).__doc__ for method in methods.split())


@pytest.mark.parametrize(("name", "home"), DEPRECATED.items())
def test_a_deprecated_name_works_and_says_what_to_use(name, home):
    with pytest.warns(DeprecationWarning, match=f"consistency_lab.{name} is deprecated; use {home}$"):
        assert getattr(consistency_lab, name).__doc__
    assert name not in consistency_lab.__all__


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'decied'"):
        _ = consistency_lab.decied


def test_no_name_is_hidden_by_a_module_that_is_imported_later():
    code = (
        "import consistency_lab\n"
        "from importlib import import_module\n"
        "from pkgutil import iter_modules\n"
        "from types import ModuleType\n"
        "for module in iter_modules(consistency_lab.__path__, 'consistency_lab.'):\n"
        "    module.name.endswith('__main__') or import_module(module.name)\n"
        "print([n for n in consistency_lab.__all__ if isinstance(getattr(consistency_lab, n), ModuleType)])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_importing_it_imports_nothing_else():
    code = (
        "import sys; before = set(sys.modules); import consistency_lab\n"
        "new = sorted({n.partition('.')[0] for n in set(sys.modules) - before} - {'consistency_lab'})\n"
        "print([n for n in new if n not in sys.stdlib_module_names])\n"
        "print([n for n in sys.modules if n.startswith('consistency_lab.')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n['consistency_lab.shown']\n"  # where the door says who has the words


def test_the_page_has_every_name():
    page = Path(__file__).parents[1].joinpath("docs", "python.md").read_text(encoding="utf-8")
    assert {name for name in NAMES if f"lab.{name}" not in page} == set()  # in the examples, which tests run

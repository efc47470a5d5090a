"""The names that `import consistency_lab` promises; removing one is a breaking change."""

import subprocess
import sys

import pytest

import consistency_lab

NAMES = {
    "Answer",
    "AuditReport",
    "CONDITIONS",
    "ConsistencyLabError",
    "Decision",
    "Distribution",
    "Effort",
    "Expression",
    "GameColumns",
    "GraphSurrogate",
    "InputError",
    "JudgmentColumns",
    "LabelProfile",
    "LogRational",
    "Minimum",
    "OptimalOrders",
    "PreferenceGraph",
    "Profile",
    "ProfileDecision",
    "RatingColumns",
    "Reading",
    "RejectedError",
    "Strongest",
    "Surrogate",
    "TaskDecision",
    "Term",
    "UnsupportedError",
    "Verdict",
    "VerifiedProof",
    "Witness",
    "audit",
    "certify_at",
    "check",
    "check_features",
    "check_profile",
    "check_task",
    "conditions_of",
    "find",
    "load_surrogate",
    "minimize",
    "optimal_orders",
    "pair",
    "parse",
    "read_features",
    "read_labels",
    "read_profile",
    "strongest",
    "surrogate",
    "surrogate_names",
    "target",
    "task_surrogate",
    "verify",
    "verify_file",
}


def test_the_names_are_these() -> None:
    assert set(consistency_lab.__all__) == NAMES
    assert len(consistency_lab.__all__) == len(NAMES)
    assert set(dir(consistency_lab)) >= NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_name_is_there_and_documented(name: str) -> None:
    found = getattr(consistency_lab, name)
    if name != "CONDITIONS":
        assert found.__doc__
        assert found.__module__.startswith("consistency_lab.")


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'decied'"):
        _ = consistency_lab.decied


def test_no_name_is_hidden_by_a_module_that_is_imported_later() -> None:
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


def test_importing_it_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import consistency_lab\n"
        "new = sorted({n.partition('.')[0] for n in set(sys.modules) - before} - {'consistency_lab'})\n"
        "print([n for n in new if n not in sys.stdlib_module_names])\n"
        "print([n for n in sys.modules if n.startswith('consistency_lab.')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n[]\n"

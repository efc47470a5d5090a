"""Which tests should notice a change of which file."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_DOCUMENTS: Final = "tests/core/test_verify.py"
_CORE: Final = ("risk", "verify")

_TEXTS: Final = ("parsing", "expression")
_VALUES: Final = ("evaluate", "rules", "ranges", "table")
_SHAPES: Final = ("rules", "ranges", "piecewise", "table")

TARGETS: Final[Mapping[str, list[str]]] = MappingProxyType(
    {
        **{f"consistency_lab/core/{name}.py": [_DOCUMENTS] for name in _CORE},
        "consistency_lab/core/certificates.py": [_DOCUMENTS],
        "consistency_lab/core/orders.py": [
            "tests/core/test_orders.py",
            "tests/core/test_cells.py",
            _DOCUMENTS,
        ],
        "consistency_lab/core/inequalities.py": [
            "tests/core/test_universal.py",
            "tests/core/test_faces.py",
            "tests/core/test_farkas.py",
            _DOCUMENTS,
        ],
        "consistency_lab/numbers/balls.py": ["tests/core/test_reals.py", _DOCUMENTS],
        "consistency_lab/core/equilibrium.py": ["tests/core/test_field.py", _DOCUMENTS],
        "consistency_lab/numbers/expression.py": [f"tests/numbers/test_{test}.py" for test in _TEXTS],
        "consistency_lab/numbers/values.py": [f"tests/numbers/test_{test}.py" for test in _VALUES],
        "consistency_lab/numbers/shape.py": [
            "tests/core/test_polynomial.py",
            *(f"tests/numbers/test_{test}.py" for test in _SHAPES),
        ],
        "consistency_lab/numbers/exact/rational.py": [
            "tests/numbers/test_rational.py",
            "tests/numbers/test_evaluate.py",
            _DOCUMENTS,
        ],
        "consistency_lab/numbers/exact/linear.py": [
            "tests/numbers/test_rational.py",
            "tests/decide/test_infeasibility.py",
        ],
        "consistency_lab/decide/theorems/infeasibility.py": [
            "tests/decide/test_infeasibility.py",
            "tests/certify/test_systems.py",
        ],
        "consistency_lab/certify/witness.py": ["tests/certify/test_closure.py"],
        "consistency_lab/certify/separation.py": ["tests/certify", "tests/cli/test_proved_profiles.py"],
        "consistency_lab/certify/proofs/names.py": [
            "tests/certify/test_names.py",
            "tests/decide/test_features.py",
        ],
        "consistency_lab/certify/proofs/record.py": [
            "tests/certify/test_names.py",
            "tests/certify/test_tasks.py",
        ],
        "consistency_lab/certify/proofs/task_proof.py": [
            "tests/certify/test_names.py",
            "tests/certify/test_tasks.py",
            "tests/certify/test_field_names.py",
        ],
    }
)

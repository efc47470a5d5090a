"""Which tests should notice a change of which file."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_DOCUMENTS: Final = "tests/core/test_verify.py"
_CORE: Final = (
    "separation",
    "minimum",
    "risk",
    "verify",
    "known_mean",
    "reals",
    "scalar",
)

_CONVEXITY: Final = ("shape", "ranges", "piecewise")
_VALUES: Final = ("evaluate", "quantity", "algebra")
_TEXTS: Final = ("expression", "parsing")

TARGETS: Final[Mapping[str, list[str]]] = MappingProxyType(
    {
        **{f"consistency_lab/core/{name}.py": [_DOCUMENTS] for name in _CORE},
        "consistency_lab/core/decoding.py": ["tests/core/test_cells.py", _DOCUMENTS],
        "consistency_lab/core/faces.py": ["tests/core/test_faces.py"],
        "consistency_lab/core/reals.py": ["tests/core/test_reals.py"],
        "consistency_lab/core/orders.py": ["tests/core/test_orders.py", _DOCUMENTS],
        "consistency_lab/core/field.py": ["tests/core/test_field.py", _DOCUMENTS],
        "consistency_lab/core/universal.py": [
            "tests/core/test_universal.py",
            _DOCUMENTS,
        ],
        "consistency_lab/core/farkas.py": ["tests/core/test_farkas.py", _DOCUMENTS],
        **{
            f"consistency_lab/core/phi/{name}.py": [
                f"tests/phi/test_{test}.py" for test in ("rules", "ranges", "piecewise", "table")
            ]
            for name in _CONVEXITY
        },
        "consistency_lab/core/phi/polynomial.py": ["tests/core/test_polynomial.py"],
        **{
            f"consistency_lab/core/phi/{name}.py": [
                f"tests/phi/test_{test}.py" for test in ("evaluate", "rules", "table")
            ]
            for name in _VALUES
        },
        **{
            f"consistency_lab/core/phi/{name}.py": [
                f"tests/phi/test_{test}.py" for test in ("parsing", "expression", "table")
            ]
            for name in _TEXTS
        },
        **{
            f"consistency_lab/exact/{name}.py": [
                "tests/exact/test_rational.py",
                "tests/phi/test_evaluate.py",
                _DOCUMENTS,
            ]
            for name in ("enclosure", "logrational", "rational")
        },
        "consistency_lab/exact/linear.py": ["tests/exact", "tests/theorems/test_infeasibility.py"],
        "consistency_lab/exact/factorization.py": ["tests/exact/test_factorization.py"],
        "consistency_lab/theorems/infeasibility.py": [
            "tests/theorems/test_infeasibility.py",
            "tests/proofs/test_systems.py",
        ],
        "consistency_lab/certify/closure.py": ["tests/certify/test_closure.py"],
        "consistency_lab/certify/separation_proof.py": ["tests/certify", "tests/cli/test_proved_profiles.py"],
        "consistency_lab/certify/gaps.py": ["tests/certify/test_gaps.py"],
        "consistency_lab/proofs/names.py": ["tests/proofs/test_names.py"],
        "consistency_lab/proofs/task_names.py": [
            "tests/proofs/test_names.py",
            "tests/proofs/test_field_names.py",
        ],
    }
)

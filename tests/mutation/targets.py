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
    "decoding",
    "known_mean",
    "field",
    "faces",
    "universal",
    "reals",
    "scalar",
)

TARGETS: Final[Mapping[str, list[str]]] = MappingProxyType(
    {
        **{f"consistency_lab/core/{name}.py": [_DOCUMENTS] for name in _CORE},
        "consistency_lab/core/orders.py": ["tests/core/test_orders.py", _DOCUMENTS],
        "consistency_lab/core/farkas.py": ["tests/core/test_farkas.py", _DOCUMENTS],
        "consistency_lab/theorems/infeasibility.py": [
            "tests/theorems/test_infeasibility.py",
            "tests/proofs/test_systems.py",
        ],
        "consistency_lab/certify/closure.py": ["tests/certify/test_closure.py"],
        "consistency_lab/certify/separation_proof.py": ["tests/certify", "tests/cli/test_proved_profiles.py"],
    }
)

"""``python -m consistency_lab.core FILE...``: decide the proofs in files with python-flint alone.

What a file says beside its proof (names, digest, provenance) is not looked at: `consistency-lab verify`
checks that.
"""

import json
import sys
from pathlib import Path

from consistency_lab.core.verify import verify_proof
from consistency_lab.errors import ConsistencyLabError, InputError


def main(files: list[str]) -> int:
    """Say of each file what its proof proves; 1 if one is refused."""
    refused = 0
    for name in files:
        try:
            document = json.loads(Path(name).read_text(encoding="utf-8"), object_pairs_hook=_unique)
            if not isinstance(document, dict) or "proof" not in document:
                raise InputError("it has no entry 'proof'")
            said = str(verify_proof(document["proof"]))
        except (ConsistencyLabError, OSError, ValueError, RecursionError) as error:
            said, refused = f"REFUSED, {error}", 1
        sys.stdout.write(f"{name}: {said}\n")
    return refused


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of which no key appears twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("a key appears twice in an object")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Write docs/schemas.json anew, from the records that make the answers."""

import json
from pathlib import Path

from consistency_lab.cli.known import published

Path(__file__).with_name("schemas.json").write_text(
    json.dumps(published(), indent=1) + "\n", encoding="utf-8"
)

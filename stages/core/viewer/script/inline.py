"""Data that stands in a script or a page, and cannot end the element around it."""

import json
from typing import Any


def as_json(data: Any) -> str:
    """JSON that cannot end the element around it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

"""JSON with exact numbers."""

import json
from decimal import Decimal


def parse(text):
    return json.loads(text, parse_float=Decimal)

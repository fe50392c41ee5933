"""Figures: a table for people, and one JSON object a line for programs (design: Commands).

    table = bench.Table(sys.argv[1])
    table.row("cold", "ms", times, against={"pod": pod_times})
"""

import json
import statistics


def percentiles(values):
    values = sorted(values)
    return {f"p{p}": values[min(len(values) - 1, len(values) * p // 100)] for p in (50, 90, 99)}


class Table:
    """`extra` goes into every record: on what ground the figures were made."""

    def __init__(self, path, **extra):
        self.file = open(path, "a")
        self.extra = extra

    def row(self, name, unit, values, against=None):
        """`values`: a figure or a list; `against`: {what: its values}, a record for each with the ratio of the medians."""
        figures = percentiles(values) if isinstance(values, list) else {"value": values}
        records = [{"name": name, **self.extra, "unit": unit, **figures}]
        if against:
            records = [records[0] | {"against": what, "ratio": round(middle(values) / middle(others), 3)}
                       for what, others in against.items()]
        shown = "  ".join(f"{key} {round(value, 1)}" for key, value in figures.items())
        for record in records:
            self.file.write(json.dumps(record) + "\n")
            print(f"{name:34} {shown:40} {unit:8}"
                  + (f" {record['ratio']:.2f} × {record['against']}" if against else ""), flush=True)
        self.file.flush()


def middle(values):
    return statistics.median(values) if isinstance(values, list) else values

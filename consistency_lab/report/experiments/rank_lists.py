"""Aggregated rank lists against true labels, as text."""

from collections.abc import Iterator, Mapping
from typing import Any

from consistency_lab.report.experiments.curves import cell
from consistency_lab.report.text import Blocks, Line, Paragraph


def rank_list_lines(document: Mapping[str, Any]) -> Iterator[Line]:
    """What was measured, as a report."""
    data = document["data"]
    yield f"Does a better order of rank lists bring relevance? {data['title']}"
    yield Paragraph(
        f"{data['rankers']} rankers on {data['queries']} queries with {data['documents']} documents; "
        f"{data['unranked']:.0%} of the ranks are NULL. Regret is what an order contradicts beyond the best "
        "one, as a share of all preferences; the last columns are the mean NDCG beyond that of the best "
        "order, ± half of a 90 % confidence interval over queries.",
        3,
        0,
    )
    for part in document["unranked"]:
        yield ""
        yield Paragraph(
            f"Unranked documents are {part['unranked']}: {part['cyclic']} queries have cyclic majorities, "
            f"the best order of {part['optimal_proved']} is proved; {part['judged']} have documents of "
            "different relevance.",
            0,
            3,
        )
        head = ("", "regret", "NDCG@10", "NDCG", "@10 beyond best", "beyond best")
        yield Blocks((head, *(_row(rule) for rule in part["rules"])), 3)


def _row(rule: Mapping[str, Any]) -> tuple[str, ...]:
    beyond = [cell(one["runs"]) for one in rule["gain_over_kemeny"]]
    return (rule["rule"], f"{rule['regret']:.4f}", *(f"{one['mean']:.4f}" for one in rule["ndcg"]), *beyond)

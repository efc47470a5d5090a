"""An audit as one JSON document (audit.schema.json, beside this file)."""

from dataclasses import asdict
from typing import Final

from consistency_lab.audits.audit import Audit, Finding
from consistency_lab.audits.findings import Contradiction
from consistency_lab.report.answer import Files
from consistency_lab.report.audit.facts import Facts
from consistency_lab.report.audit.sentences import best_order, bradley_terry, groups, sentence
from consistency_lab.report.text import decimal

FORMAT: Final = "consistency-lab/audit/1"


def audit_document(audit: Audit, files: Files) -> dict[str, object]:
    """Everything that an audit found; exact numbers are text, what rests on floats is a number.

    Parameters
    ----------
    audit
        The audit.
    files
        Where witnesses were saved, by digest.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["linear"], resamples=0, simulations=0)
    >>> audit_document(found, {})["best"]
    {'order': ['Beck', 'Willhoit', 'Fay', 'South'], 'cost': '3159', 'at_least': '3159', 'optimal': True}
    """
    facts, profile, best, null = Facts(audit), audit.profile, audit.best, audit.null
    return {
        "format": FORMAT,
        "profile": {
            "title": profile.title,
            "format": profile.format,
            "items": list(profile.items),
            "groups": [[profile.items[i] for i in group] for group in audit.groups],
            "total": str(profile.voters),
            "counted": profile.counted,
            "conditions": dict(facts.conditions),
            "notes": list(profile.notes),
            "left_out": [asdict(one) | {"why": list(one.why)} for one in profile.contents.left],
        },
        "resamples": audit.resamples,
        "simulations": audit.simulations,
        "drawn": None if profile.votes is None else profile.votes.unit,
        "seed": audit.seed,
        "best": {
            "order": [profile.items[i] for i in best.order],
            "cost": str(best.cost),
            "at_least": str(best.at_least),
            "optimal": best.is_optimal,
        },
        "bradley_terry": None
        if null is None
        else {
            "contradicted": null.found,
            "mean_if_true": null.mean,
            "low_if_true": null.low,
            "high_if_true": null.high,
            "share_as_many": null.share,
            "largest": null.largest,
            "largest_if_true": null.largest_high,
            "share_as_large": null.share_as_large,
            "above_chance": null.is_above,
        },
        "findings": [_finding(facts, finding, files) for finding in audit.findings],
        "sentences": [told for told in (groups(audit), best_order(audit), bradley_terry(facts)) if told],
    }


def _finding(facts: Facts, finding: Finding, files: Files) -> dict[str, object]:
    audit, items = facts.audit, facts.audit.profile.items
    known, flip = finding.certified, finding.flip
    low, high = audit.more(finding)
    # Of what a theorem decides there is a file only where one was asked for.
    witness = known.witness if files or known.theorem is None else None
    path = None if witness is None else files.get(witness.digest)
    return {
        "loss": finding.rule.name,
        "title": finding.rule.title,
        "order": [items[i] for i in finding.order],
        "scores": [decimal(float(finding.scores[i])) for i in finding.order],
        "components": None
        if finding.parts is None
        else {
            "levels": [[[items[i] for i in part] for part in level] for level in finding.parts.levels],
            "attained": finding.parts.attained,
        },
        "tied": finding.tied,
        "verdict": str(known.verdict),
        "reason": known.reason,
        "theorem": known.theorem,
        "failure": known.failure,
        "digest": None if witness is None else witness.digest,
        "witness": None if path is None else str(path),
        "cost": str(finding.cost),
        "more": {"at_least": str(low), "at_most": str(high)},
        "kendall": finding.kendall,
        "top_1": finding.top_1,
        "top_3": finding.top_3,
        "above_noise": facts.above_noise(finding),
        "first_in_resamples": _share(facts.first_share(finding)),
        "contradictions": [_contradiction(facts, finding, found) for found in finding.contradictions],
        "flip": None
        if flip is None
        else {
            "above": items[flip.above],
            "below": items[flip.below],
            "votes": flip.size,
            "at_least": flip.fewest,
            "proved": flip.sufficient,
        },
        "sentence": sentence(facts, finding),
    }


def _contradiction(facts: Facts, finding: Finding, found: Contradiction) -> dict[str, object]:
    items, noise = facts.audit.profile.items, facts.noise(finding, found)
    known = None if noise.share is None or noise.interval is None else (noise.share, noise.interval)
    return {
        "preferred": items[found.above],
        "over": items[found.below],
        "votes": str(found.votes),
        "against": str(found.against),
        "p": noise.p,
        "p_corrected": noise.corrected,
        "in_resamples": _share(known),
        "above_noise": noise.above,
    }


def _share(known: tuple[float, tuple[float, float]] | None) -> dict[str, float] | None:
    """A share with its 95 % interval by Wilson."""
    if known is None:
        return None
    share, (low, high) = known
    return {"share": share, "low": low, "high": high}

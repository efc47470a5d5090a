"""The bundled pair counts of San Francisco 2008, Supervisor, District 1 (PrefLib 00021-00000001)."""

from consistency_lab import Verdict, audit, check_profile, read_profile


def test_a_majority_prefers_mar_and_the_logistic_loss_puts_lee_first() -> None:
    profile = read_profile("san-francisco.csv")
    mar, lee = profile.items.index("Eric Mar"), profile.items.index("Sue Lee")
    assert (profile.wins[mar][lee], profile.wins[lee][mar]) == (13214, 12782)
    found = audit(profile, ["logistic", "linear", "difference-logistic"], resamples=0, simulations=0)
    firsts = [profile.items[finding.order[0]] for finding in found.findings]
    assert firsts == ["Sue Lee", "Sue Lee", "Eric Mar"]
    verdicts = [finding.certified.verdict for finding in found.findings]
    assert verdicts == [Verdict.INCONSISTENT, Verdict.INCONSISTENT, Verdict.CONSISTENT]
    assert round(float(found.audit.tests.p[mar, lee]), 4) == 0.0075


def test_the_net_preferences_are_acyclic_and_not_low_noise() -> None:
    witness = check_profile("logistic", read_profile("san-francisco.csv")).witness
    assert witness.fails_under("acyclic") and not witness.verified.conditions["low-noise"]

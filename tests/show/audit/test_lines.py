"""What a person reads about an audit."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np

from consistency_lab import GameColumns, Profile, Reading
from consistency_lab.apps.audit import words
from consistency_lab.apps.audit.audit import audit, linked
from consistency_lab.apps.audit.page import audit_html
from consistency_lab.apps.audit.report import audit_document, audit_rows
from consistency_lab.apps.audit.screen import audit_lines, next_words
from consistency_lab.apps.audit.words import Facts, answer, best_order, bradley_terry, majority, sentence
from consistency_lab.decide.answers import Verdict
from consistency_lab.show.text import rendered


def told(audit):
    return " ".join(" ".join(rendered(audit_lines(audit, details=True))).split())


def on_screen(audit):
    return " ".join(" ".join(rendered(audit_lines(audit))).split())


def test_who_leads_comes_first_and_then_the_items(vermont):
    lines = list(rendered(audit_lines(vermont)))
    assert lines[:4] == [
        "Beck leads in every resample; Fay, Willhoit and South are level: ranks 2 to 4.",
        "St Johnsbury, Vermont House of Representatives, 2014: 1,960 ballots, 4 items.",
        "",
        " rank  95 %            score            95 %  first",
    ]
    assert [line.split()[2] for line in lines[4:8]] == ["Beck", "Fay", "Willhoit", "South"]
    screen = on_screen(vermont)
    assert "against one majority, 777 : 752 for Willhoit over Fay: no more than noise (p = .54)." in screen
    assert "So does thurstone. linear and difference-logistic go against no majority." in screen
    assert "Best order: Beck > Willhoit > Fay > South. Beck beats everybody (Condorcet winner): " in screen
    assert "Beck stays above Fay unless 126 ballots or more are removed; 231 are enough." in screen


def test_an_answer_fits_one_screen_and_lists_ten_items(any_audit):
    lines = list(rendered(audit_lines(any_audit)))
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert max(map(len, rendered(audit_lines(any_audit, details=True)))) <= 80
    rows = [line for line in lines if re.match(r" +[0-9]+ +([0-9]+(-[0-9]+)?|-) ", line)]
    assert len(rows) >= min(10, any_audit.profile.m)
    rest = any_audit.profile.m - len(rows)
    assert any(f"{rest} more:" in line for line in lines) is (rest > 0)
    for finding in any_audit.findings:
        certified = finding.certified.witness is not None
        said = sentence(Facts(any_audit), finding)
        assert (said.startswith("Certified "), said.startswith("Not certified: ")) == (
            certified,
            not certified,
        )


def test_schedules_are_no_advice(any_audit):
    assert not re.search(r"schedule|factor|nats|nearer", told(any_audit) + audit_html([any_audit]))


def test_fit_and_contradictions_are_told_apart_with_the_power(counted):
    null = counted.null
    assert null.power is None
    assert bradley_terry(Facts(counted)) == (
        "The misfit of Bradley-Terry is more than chance explains (p = .020). It contradicts one majority; "
        "were it true, sampling alone would give 0 to 2."
    )
    fits = replace(null, misfit=null.misfit_high, share=0.05, power=0.634)
    assert bradley_terry(Facts(replace(counted, null=fits))).startswith(
        "The misfit of Bradley-Terry is no more than chance explains (p = .050; were the log-odds of pairs "
        "off by 0.5, 63.4 % of such data would show it). It contradicts"
    )


def test_it_says_what_was_drawn_together(vermont, counted):
    assert "whole ballots are drawn together." in told(vermont)
    assert "single comparisons are drawn as if they were independent." in told(counted)
    assert "ballots tie items above their end, which the model does not describe" in told(vermont)


def test_without_single_votes_nothing_is_said_of_noise(unsampled):
    said = told(unsampled)
    assert "without single votes it is unknown whether that is noise" in said
    assert not [words for words in ("p =", "resamples", "bove noise:", "by chance") if words in said]


def test_a_significant_majority_that_does_not_stand_is_not_above_noise(vermont):
    finding = vermont.findings[0]
    found = finding.contradictions[0]
    for above in (True, False):
        real = np.full((4, 4), above)
        changed = replace(
            finding, above_noise=real & (np.arange(16).reshape(4, 4) == 4 * found.above + found.below)
        )
        other = replace(vermont, findings=(changed,))
        assert Facts(other).judged(changed, found).above is above
        assert sentence(Facts(other), changed).startswith(
            "Certified wrong. Above noise" if above else "Certified wrong. Not above noise"
        )
    assert Facts(vermont).judged(finding, found).above is False


def test_the_majority_that_is_named_is_the_one_above_noise(large):
    finding = large.findings[1]
    smallest = finding.contradictions[-1]
    above = np.zeros((25, 25), dtype=bool)
    above[smallest.above, smallest.below] = True
    changed = replace(finding, above_noise=above)
    said = sentence(Facts(replace(large, findings=(changed,))), changed)
    many = len(finding.contradictions)
    assert f"1 above noise: it contradicts {many} majorities; the largest above noise is " in said
    assert majority(large, smallest) in said
    assert majority(large, finding.contradictions[0]) not in said
    row = audit_rows(replace(large, findings=(changed,)))[0]
    assert (row["preferred"], row["votes"]) == (large.profile.items[smallest.above], str(smallest.votes))


def test_a_majority_above_noise_is_not_explained_by_a_fit_as_a_whole(counted):
    finding, null = counted.findings[0], counted.null
    assert null is not None
    found = finding.contradictions[0]
    above = np.zeros((4, 4), dtype=bool)
    above[found.above, found.below] = True
    changed = replace(finding, above_noise=above)
    fits = replace(null, misfit=0.0, share=0.5)
    told = bradley_terry(Facts(replace(counted, findings=(changed,), null=fits)))
    assert "as a whole is no more than chance explains, but that of the majority above is" in told


def test_an_order_that_is_not_proved_optimal_gets_a_bracket(vermont):
    best = replace(vermont.best, lower=vermont.best.lower - Fraction(5, 2), unit=Fraction(0))
    said = best_order(replace(vermont, best=best))
    assert said == (
        "Best order found: contradicts 3,159 votes; every order contradicts at least 3,156 (proved). "
        "The order of logistic contradicts 25 to 28 more."
    )
    assert "certified optimal" in best_order(vermont)


def test_many_contradictions_are_counted_and_measured(large):
    said = told(large)
    for finding in large.findings:
        assert len(finding.contradictions) > 1
        assert f"contradicts {len(finding.contradictions)} majorities" in said
    assert "votes more" in said and "Kendall" in said
    assert "(13 more)" in said


def test_the_fewest_votes_are_called_so_only_where_that_is_proved(vermont):
    said = told(vermont)
    assert "is not above Fay: logistic 231 (at least 126 are needed)." in said
    assert "is not above Willhoit: linear 252 (no fewer suffice)" in said
    first = replace(
        vermont.findings[0], flip=replace(vermont.findings[0].flip, fewest=None, sufficient=False)
    )
    assert "logistic 231 (by floats)." in told(replace(vermont, findings=(first,)))


def test_a_theorem_is_named(vermont):
    assert "Certified by a theorem: linear by DMJ10 Eq. 15." in told(vermont)
    assert "theorem" not in told(replace(vermont, findings=vermont.findings[:1]))


def test_ties_are_told_and_nothing_is_expected_of_no_contradiction():
    turn = audit(Profile.from_pairs([("A", "B"), ("B", "C"), ("C", "A")]), ["logistic"], simulations=20)
    assert "; any of 3 can be first." in told(turn) and "Best order (one of 3): " in on_screen(turn)
    assert "It goes against no majority, but ties items that voters tell apart." in told(turn)
    assert turn.null.found == len(turn.findings[0].contradictions) == 0
    assert "Certified wrong, by the rule for ties alone." in told(turn)
    assert "Best order: certified optimal, contradicts 1 vote." in told(turn)
    assert "It contradicts no majorities; were it true, " in told(turn)
    agreed = audit(Profile.from_pairs([("A", "B"), ("A", "B"), ("B", "A")]), ["logistic"], simulations=20)
    assert "logistic: Certified right. It contradicts no majority. Certified by a theorem: log" in told(
        agreed
    )
    assert "Remove this many of 3 comparisons, and A is not above B: " in told(agreed)


def test_one_comparison_and_ties_alone_are_told_in_good_english():
    one = audit(Profile.from_pairs([("A", "B")]), ["linear"], resamples=0, simulations=0)
    assert "Remove this many of 1 comparison, and A is not above B: linear 1 (no fewer suffice)." in told(one)
    even = audit(Profile.from_pairs([("A", "B"), ("B", "A")]), ["linear"], resamples=0, simulations=0)
    assert (
        "Certified by a theorem: linear by the definition (without a majority every order is optimal)."
    ) in told(even)


def test_components_without_a_minimum_are_named_in_their_order():
    pairs = [("A", "B"), ("B", "C"), ("C", "B"), ("D", "E"), ("E", "D"), ("A", "D")]
    found = audit(
        Profile.from_pairs(pairs), ["logistic", "squared-hinge", "linear", "thurstone"], simulations=0
    )
    assert [one.parts and one.parts.attained for one in found.findings] == [False, True, None, False]
    said = told(found)
    assert (
        "For logistic, thurstone no minimizer exists; the scores of these components move apart forever, "
        "from the top: {A} > {B, C} | {D, E}. Components that no votes link have no order." in said
    )
    assert (
        "The minimizers of squared-hinge do not fix the distances between these components, from the top: "
        "{A} > {B, C} | {D, E}." in said
    )


def test_what_is_said_of_noise_and_of_bradley_terry_fits_together(counted):
    """That no majority is above noise, and that there are more than the model would give."""
    assert counted.null is not None
    null = replace(counted.null, found=2, high=0, low=0, misfit=9.0, misfit_high=1.0, share=0.01)
    findings = tuple(replace(one, above_noise=np.zeros((4, 4), dtype=bool)) for one in counted.findings)
    audit = replace(counted, null=null, findings=findings)
    assert answer(Facts(audit)).endswith("These votes do not follow Bradley-Terry.")
    assert bradley_terry(Facts(audit)).startswith("The misfit of Bradley-Terry is more than chance explains")
    assert "one by one" not in told(audit)
    fits = replace(audit, null=replace(null, misfit=0.0, share=0.5))
    assert "Bradley" not in answer(Facts(fits)) and "no more than noise" in answer(Facts(fits))


def test_what_is_not_certified_is_named_in_the_answer(vermont):
    finding = vermont.findings[0]
    left = replace(finding, certified=replace(finding.certified, verdict=Verdict.UNDECIDED, reason="why"))
    assert answer(Facts(replace(vermont, findings=(left,)))).endswith("Not certified: logistic.")


def test_of_many_items_the_answer_says_what_decided(vermont, monkeypatch):
    monkeypatch.setattr(words, "BY_ADDITION_ALONE", 3)
    finding = vermont.findings[0]
    open_ = replace(finding, certified=replace(finding.certified, verdict=Verdict.UNDECIDED, reason="why"))
    by_theorem = replace(finding, certified=replace(finding.certified, theorem="DMJ10 Eq. 15"))
    added = replace(finding, certified=replace(finding.certified, theorem=None))
    said = answer(Facts(replace(vermont, findings=(open_, by_theorem, added))))
    assert said.endswith(
        "Certified wrong by a theorem: logistic. Certified wrong by addition: logistic. Not certified: "
        "logistic; of more than 3 items only theorems and adding up comparisons are tried."
    )


def test_of_many_components_the_first_are_named():
    pairs = [(f"i{k:02}", f"i{k + 1:02}") for k in range(30)]
    said = told(audit(Profile.from_pairs(pairs), ["logistic"], resamples=0, simulations=0, flips=False))
    assert (
        "For logistic no minimizer exists; the scores of all items move apart forever, in their order."
        in said
    )
    pairs.append(("i30", "i29"))
    said = told(audit(Profile.from_pairs(pairs), ["logistic"], resamples=0, simulations=0, flips=False))
    assert "{i00} > {i01} > {i02} > {i03} > {i04} > {i05} > ... (24 more). Components" in said


def test_where_no_comparison_links_two_groups_none_is_first():
    pairs = [("A", "B"), ("A", "B"), ("B", "A"), ("X", "Y")]
    found = audit(Profile.from_pairs(pairs), ["logistic", "borda"], resamples=40, simulations=5, flips=True)
    lines = list(rendered(audit_lines(found)))
    assert lines[0] == "No item is first: 2 groups of items are never compared with each other."
    assert sum(line.split()[:1] == ["1"] for line in lines) == 2  # the best of each group
    assert "beats" not in " ".join(lines).replace("losses  beats", "")
    assert "Warning: 2 groups of items are never compared with each other, so no item is" in told(found)
    assert all(one.flip is None and one.top_1 is None for one in found.findings)
    row, document = audit_rows(found)[0], audit_document(found, {})
    assert (row["first"], row["best_first"], row["first_in_resamples"]) == (None, None, None)
    assert document["profile"]["groups"] == [["A", "B"], ["X", "Y"]]
    page = audit_html([found])
    assert "2 groups of items are never compared" in page and "Ranks under each loss" not in page
    assert linked([[0] * 3] * 3) == ((0,), (1,), (2,))


def test_the_document_tells_how_few_removals_tie_two_items_that_met_one_opponent():
    """A:C 60:40, D:C 5:3: without two of its wins D is tied with C, so 2 is the most that can be said."""
    games = [("A", "C")] * 60 + [("C", "A")] * 40 + [("D", "C")] * 5 + [("C", "D")] * 3
    found = audit(Profile.from_pairs(games), ["logistic"], resamples=0, simulations=0, flips=False)
    document = audit_document(found, {})
    (finding,) = document["findings"]
    (pair,) = (one for one in finding["by_addition"] if (one["above"], one["below"]) == ("D", "C"))
    assert (pair["factor"], pair["radius"]) == ("inf", 2)


def test_nothing_is_said_across_groups_that_no_comparison_links():
    wins = Profile.from_pairs([("A", "B"), ("A", "B"), ("B", "A"), ("X", "Y")])
    found = audit(wins, ["logistic", "linear", "difference-logistic"], resamples=0, simulations=0)
    said = " ".join(" ".join(rendered(audit_lines(found, True), 100)).split())
    assert "from the top: {X} > {Y}." in said
    assert "from the top: {A} > {B}; {X} > {Y}." in said
    assert "{X} >" not in said.replace("{X} > {Y}", "") and "tie)" not in said and "ties)" not in said


def test_what_would_be_right_is_told_and_addition_is_in_the_document(vermont):
    document = audit_document(vermont, {})
    said = "Instead of logistic: right here: difference-logistic, linear; wrong too: logistic with each pair"
    assert said in told(vermont)
    assert document["design"]["names"] == ["complete", "any"] and len(document["schedules"]) == 6
    (finding,) = (one for one in document["findings"] if one["loss"] == "logistic")
    assert [(one["above"], one["below"], one["radius"]) for one in finding["by_addition"]] == [
        ("Beck", "Willhoit", 437),
        ("Fay", "South", 37),
    ]
    assert [one["verdict"] for one in finding["repairs"]] == ["CONSISTENT"] * 2 + ["INCONSISTENT"] * 2


def test_where_the_rank_of_the_leader_is_not_certain_resamples_do_not_say_always():
    few = Profile.from_rankings([["A", "B", "C"], ["A", "C", "B"], ["A", "B", "C"]])
    lines = list(rendered(audit_lines(audit(few, ["linear"], resamples=60, simulations=0))))
    assert lines[0] == "A leads, but its rank may be 1, 2 or 3; any of 3 can be first."
    assert lines[4].split()[:3] == ["1", "1-3", "A"] and lines[4].endswith("> 99 %")


def test_advice_on_more_games_says_what_counts(tmp_path):
    games = ["model_a,model_b,winner,block"]
    for block in range(40):
        for pair, wins in (("A,B", 24), ("A,C", 24), ("B,C", 20)):
            games += [f"{pair},model_{'a' if block < wins else 'b'},{block}"] * 2
    path = tmp_path / "games.csv"

    def advice(*rows, **columns):
        path.write_text("\n".join([*games, *rows]), encoding="utf-8")
        names = GameColumns("winner", a="model_a", b="model_b", **columns)
        (profile,) = Reading(names).profiles(path)
        return next_words(audit(profile, ["logistic"], resamples=200, simulations=0))

    plain, tied = advice(), advice("A,B,tie,0", "A,C,tie,0")
    assert re.match(r"about [\d,]+ more comparisons of A and [BC] would show", plain)
    assert " not counting ties," in tied
    assert " from new clusters would show" in advice(cluster="block")

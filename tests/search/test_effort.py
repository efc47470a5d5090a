"""What a budget says of itself: in words in a reason, and in JSON."""

from itertools import count

from consistency_lab.decide.surrogate import decide
from consistency_lab.decide.tasks import decide_task
from consistency_lab.search.effort import Effort
from consistency_lab.show.answer import EFFORT

SLOW = count(1e9, 1000.0).__next__
"""A clock by which a quarter of an hour passes between two looks."""


def test_a_search_that_was_cut_off_is_told_in_json_too():
    effort = Effort(seconds=10**6)
    assert (effort.ending, EFFORT(effort)["budget_used_up"]) == ("", False)
    effort.until = -1.0  # the share of this search is over, the budget is not
    assert effort.expired
    assert effort.ending == "its share of the budget used up; "
    effort.ration(2)
    assert not effort.expired
    assert effort.ending == ""
    assert EFFORT(effort)["budget_used_up"] is True


def test_the_whole_budget_is_called_so():
    assert Effort(seconds=-1.0).ending == "budget used up; "


def test_what_is_done_uses_the_budget_up_and_not_the_clock(monkeypatch):
    effort = Effort(seconds=1.0)
    monkeypatch.setattr("consistency_lab.search.effort.monotonic", SLOW)
    assert effort.elapsed >= 1000 and not effort.expired
    effort.count(certificates=49)
    assert not effort.expired
    effort.count(programs=80)
    assert effort.expired and effort.ending == "budget used up; "
    assert (effort.certificates, effort.programs, effort.stopped) == (49, 80, False)


def test_a_clock_stops_and_the_answer_says_so(monkeypatch):
    effort = Effort(seconds=1.0, clock=5.0)
    monkeypatch.setattr("consistency_lab.search.effort.monotonic", SLOW)
    assert effort.expired and effort.stopped and not effort.used_up
    assert effort.ending == "stopped by the clock after 5 s, before its budget was used up; "
    assert EFFORT(effort)["stopped_by_clock"] is True


def test_a_slow_machine_answers_the_same(monkeypatch):
    def answers():
        graphs = decide("smoothed-hinge", "additive", items=3, effort=0.1, prescribe=False)
        labels = decide_task("softmax", "err", "any", effort=0.1, prescribe=False)
        cut = decide("difference-square", "low-noise", items=(3, 4), effort=0.1, prescribe=False)
        found = (*graphs.answers, *labels.answers, *cut.answers)
        files = [w.document["digest"] for w in (*graphs.witnesses, *labels.witnesses)]
        assert len(files) > 1
        spent = [d.effort.spent for d in (graphs, labels, cut)]
        return [*((a.verdict, a.reason) for a in found), files, spent]

    fast = answers()
    monkeypatch.setattr("consistency_lab.search.effort.monotonic", SLOW)
    assert answers() == fast
    assert "budget used up" in str(fast)

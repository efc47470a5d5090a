"""What a budget says of itself: in words in a reason, and in JSON."""

from consistency_lab.report.answer import effort_document
from consistency_lab.search.effort import Effort


def test_a_search_that_was_cut_off_is_told_in_json_too() -> None:
    effort = Effort(seconds=10**6)
    assert (effort.ending, effort_document(effort)["budget_used_up"]) == ("", False)
    effort.until = -1.0  # the share of this search is over, the budget is not
    assert effort.expired
    assert effort.ending == "its share of the budget used up; "
    effort.ration(2)
    assert not effort.expired
    assert effort.ending == ""
    assert effort_document(effort)["budget_used_up"] is True


def test_the_whole_budget_is_called_so() -> None:
    assert Effort(seconds=-1.0).ending == "budget used up; "

"""The forms that Python and notebooks ask for."""

import sys
from types import ModuleType
from typing import Any

import pytest

from consistency_lab.audits.audit import Audit
from consistency_lab.errors import UnsupportedError
from consistency_lab.report.audit import audit_rows
from consistency_lab.report.audit.report import AuditReport


def test_the_data_frame_has_a_row_for_each_rule(vermont: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas: Any = ModuleType("pandas")
    pandas.DataFrame = tuple
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert AuditReport(vermont).to_frame() == tuple(audit_rows(vermont))


def test_without_pandas_one_sentence_says_so(vermont: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UnsupportedError, match=r"^to_frame needs pandas, .* pip install pandas$"):
        AuditReport(vermont).to_frame()


def test_without_matplotlib_one_sentence_says_so(vermont: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnsupportedError, match=r"^the picture of an audit needs Matplotlib, .*\[plot\]'$"):
        AuditReport(vermont).plot()


def test_the_plot_is_a_picture_that_repeats(harmful: Audit) -> None:
    picture = AuditReport(harmful).plot()
    content = picture.content("svg")
    assert content == AuditReport(harmful).plot().content("svg")
    assert picture.content("png").startswith(b"\x89PNG")


def test_a_notebook_shows_a_part_of_the_page(harmful: Audit) -> None:
    part = AuditReport(harmful)._repr_html_()
    assert part.startswith("<div") and part.count("<svg") >= 2
    assert "<script" not in part and "<html" not in part


def test_it_prints_as_text(vermont: Audit) -> None:
    assert str(AuditReport(vermont)) == repr(AuditReport(vermont))
    assert "wrong, certified" in str(AuditReport(vermont))

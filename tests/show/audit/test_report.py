"""The forms that Python and notebooks ask for."""

import sys
from xml.etree import ElementTree

import pytest

from consistency_lab.apps.audit.report import AuditReport, audit_profile, audit_rows
from consistency_lab.data.profile import read_profile
from consistency_lab.errors import InputError, UnsupportedError


def test_the_data_frame_has_a_row_for_each_item(vermont):
    frame = AuditReport(vermont).to_frame()
    assert list(frame["item"]) == ["Beck", "Fay", "Willhoit", "South"]
    assert list(frame["rank"]) == [1, 2, 3, 4] and list(frame["beats"]) == [3, 1, 2, 0]
    assert frame["first"].sum() == pytest.approx(1) and (frame["low"] < frame["score"]).all()


def test_the_data_frame_of_losses_has_a_row_for_each_rule(vermont):
    frame, rows = AuditReport(vermont).to_frame("losses"), audit_rows(vermont)
    assert list(frame["loss"]) == [finding.rule.name for finding in vermont.findings]
    assert list(frame.columns) == list(rows[0])
    assert list(frame["contradicted"]) == [row["contradicted"] for row in rows]


def test_without_pandas_one_sentence_says_so(vermont, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        UnsupportedError, match=r"^to_frame needs pandas, .* pip install 'consistency-lab\[frames\]'$"
    ):
        AuditReport(vermont).to_frame()


def test_the_plot_is_the_chart_of_the_page(harmful, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    chart = AuditReport(harmful).plot()
    assert ElementTree.fromstring(chart.svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert chart.svg.strip() in AuditReport(harmful).html()
    chart.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text("utf-8") == chart.svg
    with pytest.raises(InputError, match=r"must end in \.svg$"):
        chart.save(tmp_path / "chart.png")


def test_an_audit_is_asked_for_as_people_type_it():
    quick = {"resamples": 0, "simulations": 0, "flips": False}
    found = audit_profile("vermont.toc", "bradley terry", **quick)
    assert [finding.rule.name for finding in found.findings] == ["logistic"]
    assert str(found) == str(audit_profile(read_profile("vermont.toc"), ["logistic"], **quick))
    with pytest.raises(InputError, match=r"^profile is a dict; pass a Profile, a text or a path$"):
        audit_profile({"A": 1})
    with pytest.raises(InputError, match=r"^seed is -1; pass a whole number from 0"):
        audit_profile("vermont.toc", seed=-1)


def test_it_prints_as_text(vermont):
    assert len(repr(AuditReport(vermont)).splitlines()) <= 24
    assert "no more than noise (p = .54)" in " ".join(str(AuditReport(vermont)).split())

"""Audits of many profiles: several at once, kept in a folder, added up."""

from consistency_lab.report.totals.pieces import Piece, files_of, pieces_of
from consistency_lab.report.totals.run import Ended, audit_all
from consistency_lab.report.totals.store import Entry
from consistency_lab.report.totals.summary import Totals
from consistency_lab.report.totals.work import Question, made

__all__ = ["Ended", "Entry", "Piece", "Question", "Totals", "audit_all", "files_of", "made", "pieces_of"]

"""How an audit reads: lines, a document, rows, a page."""

from consistency_lab.report.audit.document import audit_document
from consistency_lab.report.audit.page import Part, audit_html, page_of, page_part
from consistency_lab.report.audit.rows import audit_rows
from consistency_lab.report.audit.text import audit_lines

__all__ = [
    "Part",
    "audit_document",
    "audit_html",
    "audit_lines",
    "audit_rows",
    "page_of",
    "page_part",
]

"""Pictures: score planes of three items, and regions of weights; files that are the same in every run."""

from consistency_lab.report.pictures.canvas import FORMATS, Picture, picture_format
from consistency_lab.report.pictures.lemma_10 import lemma_10_region
from consistency_lab.report.pictures.score_plane import score_plane, witness_plane

__all__ = ["FORMATS", "Picture", "lemma_10_region", "picture_format", "score_plane", "witness_plane"]

"""Calibration functions: how much excess surrogate risk a regret must cost (DMJ10 Eq. 3)."""

from consistency_lab.measure.calibration.compute import calibration, risk_bound
from consistency_lab.measure.calibration.hull import convex_minorant
from consistency_lab.measure.calibration.result import Attained, Calibration, Law, Point

__all__ = ["Attained", "Calibration", "Law", "Point", "calibration", "convex_minorant", "risk_bound"]

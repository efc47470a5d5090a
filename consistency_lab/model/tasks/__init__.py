"""Finite prediction tasks: labels, predictions and exact losses (RAT13 Definition 1)."""

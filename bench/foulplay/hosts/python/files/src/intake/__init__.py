"""Reads bank statements."""

from intake.rows import Intake, Rejected, Row, parse

__all__ = ["Intake", "Rejected", "Row", "parse"]

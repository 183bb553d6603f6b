"""Reports on a page: every unit with its fate and the reason, as data and as one HTML file."""

from pagesieve.report.build import Line, Picture, Render, Report, Unit, View, build_report
from pagesieve.report.writer import LANGUAGES, write_report

__all__ = ["LANGUAGES", "Line", "Picture", "Render", "Report", "Unit", "View", "build_report", "write_report"]

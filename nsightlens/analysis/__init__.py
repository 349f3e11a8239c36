"""From frames to findings: roofline, overlap, losses and the tensor-core bound."""

from nsightlens.analysis.analyze import analyze, analyze_reports

__all__ = ["analyze", "analyze_reports"]

"""Kepler's equation by Newton's method."""

import math


def true_anomaly(mean_anomaly: float, eccentricity: float, tolerance: float = 1e-12):
    """True anomaly in radians for a mean anomaly in radians."""
    anomaly = mean_anomaly
    residual = anomaly - eccentricity * math.sin(anomaly) - mean_anomaly
    while abs(residual) > tolerance:
        slope = 1.0 - eccentricity * math.cos(anomaly)
        anomaly = anomaly - residual / slope
        residual = anomaly - eccentricity * math.sin(anomaly) - mean_anomaly
    # Half-angle form: no quadrant to choose.
    half = math.sqrt((1.0 + eccentricity) / (1.0 - eccentricity)) * math.tan(
        0.5 * anomaly
    )
    return 2.0 * math.atan(half)

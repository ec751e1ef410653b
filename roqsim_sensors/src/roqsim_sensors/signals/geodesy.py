"""Where the world lies on the earth: its origin on the WGS-84 ellipsoid, and which way its x axis points."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pymap3d import enu2geodetic
from roqsim.config.angle import TURN
from roqsim.config.schema import need, opt


@dataclass(frozen=True, kw_only=True)
class Datum:
    """The world's origin on the earth; the world is the plane that touches the ellipsoid there."""

    latitude: float = need(ge=-90, le=90, unit="deg")
    """Geodetic latitude of the world's origin, positive north."""
    longitude: float = need(ge=-180, le=180, unit="deg")
    """Longitude of the world's origin, positive east."""
    altitude: float = opt(0.0, unit="m")
    """Height of the world's origin above the WGS-84 ellipsoid."""
    yaw: float = opt(0.0, ge=-TURN, le=TURN, unit="rad")
    """Angle of the world's x axis from east, counterclockwise seen from above; 0 is REP-103's east-north-up."""

    def to_enu(self, x: float, y: float) -> tuple[float, float]:
        """The east and north parts of a horizontal vector of the world."""
        return turn(x, y, self.yaw)

    def to_world(self, east: float, north: float) -> tuple[float, float]:
        """The x and y parts of a horizontal vector of the earth."""
        return turn(east, north, -self.yaw)

    def to_geodetic(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Latitude and longitude in degrees and altitude in metres of a point of the world in metres."""
        east, north = self.to_enu(x, y)
        latitude, longitude, altitude = enu2geodetic(east, north, z, self.latitude, self.longitude, self.altitude)
        return float(latitude), float(longitude), float(altitude)


def turn(x: float, y: float, angle: float) -> tuple[float, float]:
    """A plane vector turned counterclockwise by an angle in radians."""
    cos, sin = math.cos(angle), math.sin(angle)
    return cos * x - sin * y, sin * x + cos * y

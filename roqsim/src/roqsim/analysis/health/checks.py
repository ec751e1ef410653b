"""The checks: each one a question to the records with one answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from roqsim.analysis.health.findings import Result, early, error, good, skipped, warning
from roqsim.analysis.health.motion import Motion
from roqsim.analysis.health.records import Records, Robot, find_files

STALE = 10.0
"""Wall seconds without a new row after which a run that has not ended counts as stuck; rows come every second."""

STARTING = 30.0
"""Wall seconds that a run may take to its first simulated second."""

WINDOW = 10.0
"""Wall seconds over which the speed of a running simulation is taken."""

SHORT = 3.0
"""Wall seconds below which a speed says nothing: loading and the first pictures weigh too much."""

SLOW = 0.9
"""The share of the pace that was asked for below which a run is too slow."""

SETTLING = 3.0
"""Simulated seconds in which a robot need not have moved."""

MOVED = 0.02
"""Metres that count as a motion; less is settling on the ground."""

TURNED = math.radians(3.0)
"""Radians that count as a motion."""

PUBLISHED = 0.95
"""The share of the due payloads below which a stream counts as not published as due."""


def check_start(records: Records) -> Result:
    """Whether anything has been simulated."""
    name, clock = "start", records.clock
    if clock is not None and records.simulated > 0.0:
        return good(name, f"{records.simulated:.2f} s simulated")
    if records.is_over:
        return error(name, f"the run ended before it simulated anything: {_reason(records)}")
    age = records.now - (clock.first[0] if clock is not None else records.changed)
    if age > STARTING:
        return error(name, f"nothing has been simulated within {age:.0f} s")
    return early(name, f"nothing has been simulated yet, {max(age, 0.0):.0f} s after the first record")


def check_record(records: Records) -> Result:
    """Whether there is a recording and it can be read."""
    name = "record"
    if records.recording is not None:
        return good(name, f"{records.recording.name} can be read")
    present = find_files(records.path).recording
    if present is None:
        return skipped(name, "the run is not recorded")
    if records.now - records.changed < STALE:
        return early(name, f"nothing is in {present.name} yet")
    return error(name, f"{present.name} can't be read: {records.problem}")


def check_end(records: Records) -> Result:
    """Whether the run ended on purpose."""
    name, clock = "end", records.clock
    if records.is_over:
        return error(name, _reason(records)) if records.meta.get("stop_failed") else good(name, _reason(records))
    if clock is None or records.now - clock.last_wall <= STALE:
        return early(name, "the run goes on")
    if records.recording is None:
        return skipped(name, "without a recording nothing says how the run ended")
    age = records.now - clock.last_wall
    return error(name, f"the run did not end on purpose: its files were not closed, the last row is {_ago(age)} old")


def check_stuck(records: Records) -> Result:
    """Whether simulated time goes on."""
    name, clock = "sim-time-stuck", records.clock
    if records.is_over:
        return good(name, "the run came to its end")
    if clock is None:
        return early(name, "there is no row yet")
    age = records.now - clock.last_wall
    if age > STALE:
        return error(
            name, f"simulated time stands at {clock.last_sim:.2f} s since {_ago(age)}: killed, stuck or paused"
        )
    wall, sim = clock.within(WINDOW)
    if sim > 0.0:
        return good(name, f"{sim:.2f} s simulated in the last {wall:.1f} s")
    if wall < WINDOW * 0.9:
        return early(name, f"there are rows of {wall:.1f} s only")
    return error(name, f"simulated time stands at {clock.last_sim:.2f} s for {wall:.0f} s: stuck or paused")


def check_rate(records: Records) -> Result:
    """Whether the run holds the pace that was asked for."""
    name, clock = "sim-time-rate", records.clock
    pace = records.meta.get("pace")
    if not isinstance(pace, int | float):
        return skipped(name, "the driver holds no pace, or the records do not say which")
    if clock is None:
        return early(name, "there is no row yet")
    wall, sim = (clock.wall_span, records.simulated) if records.is_over else clock.within(WINDOW)
    if wall < SHORT:
        told = f"{wall:.1f} s on the wall say nothing of a speed"
        return skipped(name, told) if records.is_over else early(name, told)
    factor = sim / wall
    if factor < SLOW * pace:
        return warning(name, f"{factor:.3g} x real time of the {pace:.3g} asked for, over {wall:.0f} s")
    return good(name, f"{factor:.3g} x real time of the {pace:.3g} asked for")


def check_streams(records: Records) -> Result:
    """Whether streams were published as due."""
    name, streams = "streams", records.meta.get("streams")
    counted = streams if isinstance(streams, Sequence) else ()
    published = [each for each in counted if each.get("direction", "out") == "out" and each.get("published")]
    if not published:
        told = "nobody listens to any stream" if counted else "no stream was counted"
        return skipped(name, told) if records.is_over else early(name, told)
    told = [text for each in published if (text := _shortfall(each))]
    if told:
        return warning(name, "; ".join(told))
    return good(name, f"{len(published)} published as due")


def _shortfall(stream: Mapping[str, object]) -> str:
    """What is wrong with a stream that somebody listened to, or an empty text."""
    due, published = int(stream.get("due") or 0), int(stream.get("published") or 0)
    dropped = stream.get("dropped") or {}
    reasons = dropped if isinstance(dropped, Mapping) else {"": dropped}
    lost = {reason: int(count) for reason, count in reasons.items() if int(count)}
    if lost:
        why = ", ".join(f"{count} {reason}".strip() for reason, count in lost.items())
        return f"{stream['path']}: {published} of {due} published, dropped {why}"
    if published < PUBLISHED * due - 1:
        return f"{stream['path']}: {published} of {due} published"
    return ""


def robot_motion(robot: str | None = None) -> Callable[[Records], Result]:
    """The check whether robots move: all of them, or one by its name."""

    def check(records: Records) -> Result:
        name = "robot-motion"
        robots = [each for each in records.robots or () if robot in (None, each.name)]
        if records.robots is not None and not robots:
            return skipped(name, "there is no robot in this world")
        if records.robots is None or not records.motion:
            if not records.is_over and records.simulated < SETTLING:
                return early(name, "there are no poses yet")
            return skipped(name, records.hidden or "the records name no robots")
        resting = [each.name for each in robots if not _has_moved(each, records.motion)]
        if not resting:
            return good(name, ", ".join(_journey(each, records.motion) for each in robots))
        if records.simulated < SETTLING:
            told = f"{records.simulated:.1f} s are too short for {', '.join(resting)} to have moved"
            return skipped(name, told) if records.is_over else early(name, told)
        told = ", ".join(map(repr, resting))
        return warning(name, f"{told} has not moved in {records.simulated:.1f} s: does a command reach it?")

    return check


def _has_moved(robot: Robot, motion: Mapping[str, Motion]) -> bool:
    bodies = robot.bodies if robot.is_fixed else (robot.body,)
    seen = [motion[body] for body in bodies if body in motion]
    return any(each.distance > MOVED or each.angle > TURNED for each in seen)


def _journey(robot: Robot, motion: Mapping[str, Motion]) -> str:
    farthest = max((motion[b].distance for b in (robot.body, *robot.bodies) if b in motion), default=0.0)
    return f"{robot.name!r} moved {farthest:.2f} m"


def _reason(records: Records) -> str:
    return str(records.meta.get("stop_reason") or "on purpose")


def _ago(seconds: float) -> str:
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.0f} h"

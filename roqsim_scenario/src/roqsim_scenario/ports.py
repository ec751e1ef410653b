"""Finding an endpoint by the names that a scenario uses: an entity or a component, and a port of it."""

from __future__ import annotations

from roqsim.context import Endpoint, SimContext
from roqsim.errors import NotFoundError, suggest

KINDS = {"in": "command", "out": "report"}


def find_port(ctx: SimContext, entity: str, port: str, direction: str) -> Endpoint:
    """The endpoint of an entity, or of what is nested under it.

    Args:
        ctx: The simulation.
        entity: The name of an entity, or the address of a component.
        port: The endpoint's name; ``<component>/<name>`` where several components have one of that name.
        direction: ``in`` for a command, ``out`` for a report.

    Raises:
        NotFoundError: If there is none, or more than one.
    """
    kind = KINDS[direction]
    offered = [(each, _component(ctx, entity, each)) for each in ctx.interface.by_direction(direction)]
    own = [(each, component) for each, component in offered if component is not None]
    if not own:
        raise NotFoundError(f"expected an entity or component with a {kind}, got {entity!r}; {_nearest(ctx, entity)}")
    component, _, name = port.rpartition("/")
    found = [each for each, place in own if _answers(each, place, component, name)]
    if len(found) == 1:
        return found[0]
    if found:
        choices = " or ".join(repr(f"{place.rpartition('.')[2]}/{each.name}") for each, place in own if each in found)
        raise NotFoundError(f"expected one {kind} of {entity!r}, got {port!r}, which several have; write {choices}")
    names = [each.name for each, _ in own]
    raise NotFoundError(f"expected a {kind} of {entity!r}, got {port!r}; {suggest(name, names)}")


def _component(ctx: SimContext, entity: str, endpoint: Endpoint) -> str | None:
    """The address of the component that offers an endpoint, if it belongs to an entity; else None."""
    known = ctx.entities.get(entity)
    homes = {entity, known.address if known is not None and known.address else entity}
    place = endpoint.producer or endpoint.owner
    is_own = endpoint.owner in homes or any(place == home or place.startswith(f"{home}.") for home in homes)
    return place if is_own else None


def _answers(endpoint: Endpoint, place: str, component: str, name: str) -> bool:
    """Whether an endpoint is meant by ``component/name``; a second sensor's ports carry its label before their name."""
    if not component:
        return endpoint.name == name
    label = place.rpartition(".")[2]
    dotted = component.replace("/", ".")
    is_there = place == dotted or place.endswith(f".{dotted}")
    return is_there and endpoint.name in (name, f"{label}_{name}")


def _nearest(ctx: SimContext, entity: str) -> str:
    endpoints = ctx.interface.all()
    known = {each.name for each in ctx.entities} | {each.producer or each.owner for each in endpoints}
    return suggest(entity, known - {""})

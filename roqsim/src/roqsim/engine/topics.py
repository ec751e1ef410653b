"""Topics that a world would not serve as its document says, of no endpoint or of two, and frames that two place."""

from __future__ import annotations

from collections.abc import Sequence

from roqsim.context.interface import Clash, Interface
from roqsim.errors import ConfigError, placed
from roqsim.plugin import Plugin

SHOWN = 3
"""How many topics or frames an error about two robots names."""


def check_topics(plugins: Sequence[Plugin], interface: Interface) -> None:
    """Refuses topics for endpoints that no plugin made, and two endpoints on one topic, or that place one frame.

    To be called once all are configured.

    Raises:
        ConfigError: With all of them.
    """
    problems = [
        placed(f"{plugin.address}.topics: expected the name of an endpoint, got {name!r}; {hint}", plugin.origin)
        for plugin in plugins
        for name, hint in plugin.unknown_topics().items()
    ]
    clashes = [*interface.clashes(), *interface.frame_clashes()]
    problems += _clashes({plugin.address: plugin for plugin in plugins}, clashes)
    if problems:
        raise ConfigError(problems)


def _clashes(plugins: dict[str, Plugin], clashes: Sequence[Clash]) -> list[str]:
    """One text for each clash; one for all of two carriers that only lack a namespace, which cures their frames too."""
    texts: list[str] = []
    of_carriers: dict[tuple[str, str], list[Clash]] = {}
    for clash in clashes:
        one, other = (_carrier(plugins, end.component) for end in (clash.endpoint, clash.other))
        is_one_scope = clash.endpoint.namespace == clash.other.namespace
        if one is None or other is None or one is other or not is_one_scope or not hasattr(one.config, "namespace"):
            texts.append(placed(str(clash), _origin(plugins, clash)))
        else:
            of_carriers.setdefault((one.address, other.address), []).append(clash)
    texts += [_lacks_namespace(plugins[one], other, found) for (one, other), found in of_carriers.items()]
    return texts


def _origin(plugins: dict[str, Plugin], clash: Clash) -> object | None:
    """Where the component that came later is written, if one made the endpoint."""
    plugin = plugins.get(clash.endpoint.component or "")
    return None if plugin is None else plugin.origin


def _carrier(plugins: dict[str, Plugin], address: str | None) -> Plugin | None:
    """The outermost component that one is nested under, or itself."""
    plugin = plugins.get(address or "")
    while plugin is not None and plugin.owner in plugins:
        plugin = plugins[plugin.owner]
    return plugin


def _lacks_namespace(plugin: Plugin, other: str, clashes: Sequence[Clash]) -> str:
    topics = sorted({clash.topic for clash in clashes if not clash.is_frame})
    shared = topics or sorted({repr(clash.topic) for clash in clashes})
    kind = "" if topics else "the frames " if len(shared) > 1 else "the frame "
    more = f" and {len(shared) - SHOWN} more" if len(shared) > SHOWN else ""
    had = clashes[0].endpoint.namespace
    return placed(
        f"{plugin.address}: expected a namespace that {other} does not have, got {repr(had) if had else 'none'}, "
        f"so both have {kind}{', '.join(shared[:SHOWN])}{more}; write `namespace: {plugin.name}` in its entry",
        plugin.origin,
    )

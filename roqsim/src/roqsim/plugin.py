"""The plugin API: six hooks, when each of them runs, and what exists by then.

A run calls them in this order, each for every plugin in the order of the document (``shutdown`` in reverse)::

    build(spec, ctx)   once, before compile: only ctx.spec exists
    configure(ctx)     once, after compile: ctx.model and ctx.data exist
    on_reset(ctx)      at every reset, on MuJoCo's reset state with every entity at home
    pre_step(ctx)      before the physics of a tick in which it is due: writes controls and forces
    post_step(ctx)     after the physics of a tick in which it is due: reads, measures, publishes; writes no state
    shutdown(ctx)      once, at the end, whatever ended the run

All of them run on the physics thread. A hook that a class does not override is never called and costs nothing. A hook
that names no rate with ``ctx.schedule`` in ``configure`` runs in every tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from roqsim.errors import suggest

if TYPE_CHECKING:
    import mujoco

    from roqsim.config.entries import PluginSpec
    from roqsim.config.nodes import Origin
    from roqsim.context import SimContext

HOOKS = ("build", "configure", "on_reset", "pre_step", "post_step", "shutdown")
"""The hooks in the order of a run."""

TICK_HOOKS = ("pre_step", "post_step")
"""The hooks that belong to a tick."""


class Plugin:
    """The base of every component.

    A class declares what it is with the attributes below, and what it can be told with ``Config``, a frozen
    keyword-only dataclass whose fields use ``need`` and ``opt`` of ``roqsim.config.schema``. Without ``Config`` it gets
    the plain mapping and may check it in ``validate_config``.

    Attributes:
        config: The typed configuration, or the plain mapping where there is no ``Config``.
        name: The component's label.
        address: Its place in the document: ``owner.label``.
        owner: The address of the component it is nested under, or None.
        present: What the entry says under ``present:``, or None.
        base_dir: What relative paths in its configuration start from.
        origin: Where its entry was written, such as ``world.yaml:6``; None for a plugin that no document declares.
    """

    Config: ClassVar[type | None] = None
    provides_world: ClassVar[bool] = False
    """It brings its own ground and light, so the world definition is left out."""
    transport_only: ClassVar[bool] = False
    """It builds nothing and holds no state of the simulation, so previews and exports leave it out."""
    provides_entity: ClassVar[bool] = False
    """It registers an entity of its label, so its entry may say ``present: false``."""
    parallel_safe: ClassVar[bool] = False
    """Its ``post_step`` only reads."""
    reads_derived: ClassVar[bool] = True
    """Its hooks read more than qpos, qvel and ctrl, so derived poses are refreshed before they run."""
    expansion_keys: ClassVar[tuple[str, ...]] = ()
    """The configuration keys that ``expand`` reads."""

    def __init__(self, config: object | None = None, *, name: str | None = None) -> None:
        self.name = name or type(self).__name__
        self.address = self.name
        self.owner: str | None = None
        self.present: bool | None = None
        self.base_dir = Path.cwd()
        self.origin: Origin | None = None
        self._asked: set[str] = set()
        self.config = self._typed({} if config is None else config)

    def _typed(self, config: object) -> object:
        if self.Config is None or isinstance(config, self.Config):
            return config
        from roqsim.config.nodes import Origin, from_plain
        from roqsim.config.schema import read

        return read(self.Config, from_plain(config, Origin("python", None)), self.name)

    def place(self, spec: PluginSpec) -> None:
        """Tells the plugin where it stands in the document."""
        self.name = spec.label
        self.address = spec.address
        self.owner = spec.owner
        self.present = spec.present
        self.base_dir = Path(spec.base_dir)
        self.origin = spec.origin

    @classmethod
    def expand(cls, spec: PluginSpec, world: list[PluginSpec], base_dir: Path) -> list[PluginSpec]:
        """Further components that this one brings, spliced in right after it while the document loads."""
        return []

    @classmethod
    def validate_config(cls, config: dict) -> list[str]:
        """What is wrong with a plain configuration, one text a mistake; for classes without ``Config``."""
        return []

    def sources(self) -> Iterable[Path]:
        """The files that the configuration names and the simulation reads; a missing one may be listed."""
        return []

    def topic_override(self, endpoint: str) -> str | None:
        """The topic that the configuration's ``topics:`` gives to an endpoint, or None."""
        self._asked.add(endpoint)
        return self._topics().get(endpoint)

    def _topics(self) -> Mapping[str, str]:
        topics = self.config.get("topics") if isinstance(self.config, dict) else getattr(self.config, "topics", None)
        return topics if isinstance(topics, Mapping) else {}

    def unknown_topics(self) -> dict[str, str]:
        """The names under ``topics:`` that no endpoint has, each with what to write; known after ``configure``."""
        return {name: suggest(name, self._asked) for name in self._topics() if name not in self._asked}

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds bodies, geoms, sensors and assets to the spec; neither model nor data exist yet."""

    def configure(self, ctx: SimContext) -> None:
        """Looks up ids, opens resources, declares endpoints and rates; model and data exist, nothing has moved."""

    def on_reset(self, ctx: SimContext) -> None:
        """Restores the plugin's own state; MuJoCo is reset and every entity stands at home, controls included."""

    def pre_step(self, ctx: SimContext) -> None:
        """Writes controls and forces for the step that follows; while ``ctx.manual_control`` is set, no controls."""

    def post_step(self, ctx: SimContext) -> None:
        """Reads the state that the step reached and hands on what is made of it."""

    def shutdown(self, ctx: SimContext) -> None:
        """Closes what ``configure`` opened; runs even if another hook failed."""

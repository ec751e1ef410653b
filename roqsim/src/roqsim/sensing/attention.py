"""Whether anybody wants what a plugin makes, and the rest of its hook while nobody does."""

from __future__ import annotations

from collections.abc import Iterable

from roqsim.context import Endpoint, SimContext
from roqsim.plugin import Plugin


class Attentive(Plugin):
    """A plugin whose ``post_step`` serves those who read its endpoints, and costs nothing while nobody does."""

    def _attend(self, ctx: SimContext, endpoints: Iterable[Endpoint]) -> None:
        """Says which endpoints wake the hook; to be called in ``configure``."""
        self._ctx = ctx
        self._endpoints = tuple(endpoints)
        self._wanted = self._is_dozing = False
        for endpoint in self._endpoints:
            endpoint.on_listeners = self._wake

    def _stir(self) -> None:
        """Forgets who wanted anything, after a reset; the first due tick tells who still does."""
        self._wanted = False
        self._wake()

    def _doze(self) -> None:
        """Rests until somebody reads or begins to listen; not where a transport has to be asked whether anybody does.

        Whoever begins to listen while this runs has said so before the second look.
        """
        if any(callable(endpoint.has_subscribers) for endpoint in self._endpoints):
            return
        self._is_dozing = True
        self._ctx.rest(self, "post_step")
        if self._is_watched():
            self._wake()

    def _wake(self) -> None:
        """Ends the rest; from any thread."""
        self._is_dozing = False
        self._ctx.wake(self, "post_step")

    def _want(self) -> None:
        """Notes that somebody reads."""
        self._wanted = True
        if self._is_dozing:
            self._wake()

    def _is_watched(self) -> bool:
        """Whether a transport has a listener."""
        return any(endpoint.is_watched for endpoint in self._endpoints)

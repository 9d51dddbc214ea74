"""What an app offers a study: the one place through which a lower app reaches a higher one.

Each app registers one `StudyModule` in its `AppConfig.ready`. There are no signals: who wants to know what happens to a
study reads the registry. The registry lives in `core` because it names nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID


class BlockRunner(Protocol):
    """One kind of block of a session. `studies.session.blocks` says what the arguments are."""

    kind: str
    per_question: bool

    def plan(self, plan: Any) -> Sequence[Any]:
        """The steps of this block for one enrolment (and question, if per question), in order."""

    def present(self, step: Any, values: Mapping[str, Any], errors: Mapping[str, str], now: Any) -> Any:
        """What the page of the step shows."""

    def submit(self, step: Any, data: Any, now: Any) -> Any:
        """Store what was posted, inside the walk's transaction."""


class DefinitionSection(Protocol):
    """One key of the definition of a study that an app owns."""

    key: str

    def schema(self) -> Any:
        """The fields of the section, for the strict YAML reader."""

    def load(self, study: Any, value: Any) -> None:
        """Write the section's value into draft rows."""

    def dump(self, study: Any) -> Any:
        """The section's value from the draft rows: what `load` would take."""

    def problems(self, study: Any, definition: Mapping[str, Any]) -> Sequence[str]:
        """Why the section cannot be published; empty if it can."""

    def freeze(self, study: Any, now: Any) -> None:
        """Called in the transaction that publishes the study."""


@dataclass(frozen=True, slots=True)
class PeerText:
    """A text by which a participant stands on a question, to be paired with others in an audit."""

    question_id: int
    public_id: UUID
    text: str
    enrolment_id: int | None


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Where a participant stands on a question: the group, and by id of the answer whether it represents the group."""

    question_id: int
    enrolment_id: int
    group: str
    covered: Mapping[int, bool]


@dataclass(frozen=True, slots=True)
class StudyModule:
    """Everything one app offers a study."""

    slug: str
    label: Any
    blocks: tuple[BlockRunner, ...] = ()
    sections: tuple[DefinitionSection, ...] = ()
    tables: Callable[[], Sequence[Any]] = tuple
    # What the manifest of a study's export says for the app: JSON-ready, its keys beside those of other apps.
    about: Callable[[Any], Mapping[str, Any]] | None = None
    summary: Callable[[Any], Sequence[tuple[Any, Any]]] | None = None
    erase: Callable[[Any, str], int] | None = None
    pages: Callable[[Any, Any], Sequence[tuple[Any, str]]] | None = None
    # The app's parts of a draft on the study's page in the admin, as inlines of Django's admin.
    admin_inlines: Callable[[], Sequence[Any]] = tuple
    # Called with (free response, definition, now) in the transaction that stores a participant's free response.
    on_free_response: Callable[[Any, Mapping[str, Any], datetime], None] | None = None
    # What an audit draws pairs from, given the study.
    peer_texts: Callable[[Any], Iterable[PeerText]] | None = None
    viewpoints: Callable[[Any], Iterable[Viewpoint]] | None = None


@dataclass(slots=True)
class _Registry:
    modules: dict[str, StudyModule] = field(default_factory=dict)

    def register(self, module: StudyModule) -> None:
        if module.slug in self.modules:
            raise ValueError(f"the module {module.slug!r} is registered already")
        self.modules[module.slug] = module

    def __iter__(self) -> Iterator[StudyModule]:
        return iter(self.modules.values())


_registry = _Registry()


def register(module: StudyModule) -> None:
    """Make `module` known; once for each slug."""
    _registry.register(module)


def modules() -> tuple[StudyModule, ...]:
    """All modules in the order of INSTALLED_APPS, lower apps first."""
    return tuple(_registry)


def block_runner(kind: str) -> BlockRunner:
    """The runner of a kind of block.

    Raises
    ------
    LookupError
        If no app offers that kind.
    """
    for module in _registry:
        for block in module.blocks:
            if block.kind == kind:
                return block
    raise LookupError(f"no app offers blocks of kind {kind!r}")


def block_kinds() -> tuple[str, ...]:
    """The kinds of block that apps offer."""
    return tuple(block.kind for module in _registry for block in module.blocks)


def sections() -> tuple[DefinitionSection, ...]:
    """The sections of a definition, lower apps first."""
    return tuple(section for module in _registry for section in module.sections)

"""What an engine is: it does a task with shards, and tells how they fare. `local` and `ray` are two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pagesieve.batch.plan import Shard, Stats
from pagesieve.errors import BatchStopped, PagesieveError

TRIES = 3  # of a shard whose worker dies or fails; a page that fails is a reject, and no reason

Progress = Callable[[Stats], None]


class Task(Protocol):
    """What is done with each shard: a function that can be sent to another process. It may say how far it is."""

    def __call__(self, shard: Shard, *, progress: Progress | None) -> Stats:
        """Does a shard; BatchStopped where all others would fail as well."""


class Watch(Protocol):
    """Who is told by an engine how the shards fare."""

    def progress(self, shard: Shard, stats: Stats) -> None:
        """A shard has come so far."""

    def finished(self, shard: Shard, stats: Stats) -> None:
        """A shard is finished."""

    def repeated(self, shard: Shard, why: str) -> None:
        """A shard has to be done again."""

    def given_up(self, shard: Shard, why: str) -> None:
        """A shard has failed too often, or would fail again; the others go on."""


# An engine does a task with shards, and returns when each of them is finished or given up. BatchStopped, and
# KeyboardInterrupt, come out of it after its workers have stopped.
Engine = Callable[[Sequence[Shard], Task, Watch], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a shard: its figures, or why it has none."""

    stats: Stats | None = None
    why: str = ""
    again: bool = False  # whether it could go better next time
    stop: bool = False  # whether the others would fail as well


def attempt(task: Task, shard: Shard, progress: Progress | None) -> Outcome:
    """Does a shard, in a worker of whichever engine; an error is an outcome, which can be sent."""
    try:
        return Outcome(task(shard, progress=progress))
    except BatchStopped as error:
        return Outcome(why=str(error), stop=True)
    except PagesieveError as error:
        return Outcome(why=str(error))
    except Exception as error:  # a store that does not answer, or a mistake of ours: the other shards go on
        return Outcome(why=f"{type(error).__name__}: {error}", again=True)

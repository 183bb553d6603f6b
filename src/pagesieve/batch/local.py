"""An engine of processes on this machine."""

from collections.abc import Sequence
from functools import partial

from pagesieve.batch import Shard
from pagesieve.batch.run import Queue, Task, Watch, attempt
from pagesieve.workers.pool import Done, Event, Pool, Progress, available_cpus

PATIENCE = 5.0  # seconds in which workers may clean up after a request to stop


def run(shards: Sequence[Shard], task: Task, watch: Watch, *, workers: int | None = None) -> None:
    """Run `task` on all shards, each in one of `workers` processes, and report progress to `watch`.

    A shard whose worker dies is repeated, and given up after `TRIES` attempts. RunStopped, if no shard could go on, and
    KeyboardInterrupt are raised after the workers have stopped and removed their unfinished files.
    """
    queue = Queue(shards, watch)
    pool: Pool[Shard] = Pool(partial(attempt, task), min(workers or available_cpus(), len(shards)))
    try:
        while queue.waiting or pool.is_busy:
            while queue.waiting and pool.has_room:
                pool.give(queue.waiting.popleft())
            for event in pool.listen():
                _take(event, queue, watch)
    finally:
        pool.close(PATIENCE)


def _take(event: Event[Shard], queue: Queue, watch: Watch) -> None:
    if isinstance(event, Progress):
        watch.progress(event.job, event.report)
    elif isinstance(event, Done):
        queue.settle(event.job, event.result)
    else:
        queue.failed(event.job, f"its worker {event.why}")

"""A real PostgreSQL for the tests: started once, on a free port of this machine, and stopped at the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

PASSWORD = "not-to-be-shown"
OWNER = "postgres"  # who runs the server where the tests are run by root, which PostgreSQL refuses


def programs() -> Path | None:
    """The folder of the newest PostgreSQL's programs; None where there is none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: int(path.parent.name))
    anywhere = shutil.which("initdb")
    return Path(anywhere).resolve().parent if anywhere else None


@contextmanager
def running(programs: Path) -> Iterator[str]:
    """Runs a server; gives its database URL, without the name of a database."""
    folder = Path(tempfile.mkdtemp(prefix="pagesieve-postgres-"))
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, OWNER)
        data = str(folder / "data")
        _run(programs / "initdb", "-D", data, "-U", OWNER, "-A", "scram-sha-256", "--pwfile", str(secret), "-N")
        port = free_port()
        options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off -c max_connections=50"
        _run(programs / "pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start")
        try:
            yield f"postgresql://{OWNER}:{PASSWORD}@127.0.0.1:{port}/"
        finally:
            _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


@contextmanager
def new_database(server: str) -> Iterator[str]:
    """An empty database of a server, by its URL; dropped at the end."""
    import sqlalchemy  # where it is not installed, the tests that need no server still run

    name = f"test_{uuid4().hex}"
    engine = sqlalchemy.create_engine(f"{server}postgres".replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    yield f"{server}{name}"
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    engine.dispose()


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _run(program: Path, *arguments: str) -> None:
    # Not every root's PATH has /usr/sbin.
    runuser = shutil.which("runuser") or "/usr/sbin/runuser"
    as_owner = [runuser, "-u", OWNER, "--"] if os.geteuid() == 0 else []
    # To a file, not a pipe: the server would keep that open, and the reader would wait for it.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run([*as_owner, str(program), *arguments], stdout=output, stderr=output, cwd="/", check=False)
        output.seek(0)
        assert done.returncode == 0, output.read().decode(errors="replace")

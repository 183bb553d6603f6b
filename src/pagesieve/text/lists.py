"""Lists in files: an entry a line."""


def entries(text: str) -> list[str]:
    """Return the lines of a list that are neither empty nor comments (which begin with #)."""
    stripped = (line.strip("\r\t ") for line in text.removeprefix("\ufeff").split("\n"))
    return [line for line in stripped if line and not line.startswith("#")]

"""Regular expressions that are compiled when they are first used: most pages need few of them."""

import re
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")


class Later:
    """A pattern that is compiled on first use."""

    def __init__(self, text: Any, flags: int) -> None:
        self._stated = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # such as copying asks for
            raise AttributeError(name)
        compiled = self.compiled()
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)

    def compiled(self) -> re.Pattern[Any]:
        """Return the compiled pattern."""
        return re.compile(*self._stated)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled on first use."""
    return cast(re.Pattern[AnyStr], Later(text, flags))

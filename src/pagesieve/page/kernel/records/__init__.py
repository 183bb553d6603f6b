"""Lists on a page: the groups that recur, the records and their fields, and the list of articles."""

from types import ModuleType
from typing import TYPE_CHECKING

from pagesieve.page.kernel import loaded

if TYPE_CHECKING:
    from pagesieve.page.kernel.records import cuts, fields, group_features, groups, main_list, rows


def __getattr__(name: str) -> ModuleType:
    return loaded(__name__, name)

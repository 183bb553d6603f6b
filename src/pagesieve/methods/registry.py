"""The methods by name: the inputs and the parser of each, and the order in which `auto` tries them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pagesieve.errors import BadInput, BadModel, BadOption, NothingFound
from pagesieve.methods.blocks import BlockModel, blocks_by_model
from pagesieve.methods.blocks import shipped as shipped_blocks
from pagesieve.methods.teaser import fuller_data
from pagesieve.page.stated import address
from pagesieve.page.static import PageSource
from pagesieve.page.table import Page
from pagesieve.selection import Selection

if TYPE_CHECKING:  # a method is loaded when it is first used
    from pagesieve.methods.layout import LayoutOptions
    from pagesieve.methods.svm import SvmModel, SvmOptions
    from pagesieve.page.partial import Partial
    from pagesieve.sites.library import Sites
    from pagesieve.sites.outlines import Outline

    Model = BlockModel | SvmModel
    Parsed = tuple[Page, Partial | None]  # the page to select from, and the parsed part if it is not the whole source

# The effect of `favor` on the threshold of a method: as a factor, as a gain, and as a margin.
_FACTORS = {None: 1.0, "precision": 1.5, "recall": 0.6}
_GAINS = {None: 2.0, "precision": 3.0, "recall": 1.4}
_MARGINS = {None: 0.0, "precision": 0.3, "recall": -0.3}


class MethodInputs(NamedTuple):
    """The inputs of a method besides the page."""

    favor: str | None = None
    references: Sequence[Page] = ()
    sites: Sites | None = None
    model: Model | None = None

    @property
    def svm(self) -> SvmModel:
        """The support vector machine of the caller, or else the shipped one."""
        from pagesieve.methods.svm import SvmModel, shipped

        return self.model if isinstance(self.model, SvmModel) else shipped()

    @property
    def svm_options(self) -> SvmOptions:
        """The options of the methods with a support vector machine."""
        from pagesieve.methods.svm import SvmOptions

        return SvmOptions(threshold=_MARGINS[self.favor])

    @property
    def block_model(self) -> BlockModel:
        """The block model of the caller, or else the shipped one."""
        return self.model if isinstance(self.model, BlockModel) else shipped_blocks()


# Parsing: the default is to parse the whole page.


def _parse_region(source: PageSource, inputs: MethodInputs) -> Parsed:
    """Parse only the element that contains the article."""
    return _region_parser(inputs.favor)(source)


@cache
def _region_parser(favor: str | None) -> Callable[[PageSource], tuple[Page, Partial]]:
    from pagesieve.methods.reverse import ReverseOptions, region
    from pagesieve.page.partial import parse_part

    return partial(parse_part, choose=partial(region, options=ReverseOptions(gain=_GAINS[favor])))


# Selecting


def _by_sharpened(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.layout import blocks_with_site

    references, alike = _siblings(page, inputs)
    return blocks_with_site(page, inputs.block_model, references, inputs.favor, alike)


def _siblings(page: Page, inputs: MethodInputs) -> tuple[Sequence[Page | Outline], LayoutOptions]:
    """Return the reference pages, from the caller or the site library, and the options of the comparison."""
    from pagesieve.methods.layout import LayoutOptions

    if inputs.references:
        return inputs.references, LayoutOptions()
    if inputs.sites is None:
        raise BadOption("the method needs a reference, which is another page of the site, or a site library")
    # Pages of the library certainly belong to the site, so only references of the caller have to be similar.
    known = [reference.outline for reference in inputs.sites.reference(_url(page), page)]
    return known, LayoutOptions(least_alike=0.0)


def _by_layout(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.layout import layout

    return layout(page, *_siblings(page, inputs))


def _by_template(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.svm import template

    if inputs.sites is None:
        raise BadOption("the method needs a site library that has learnt the site")
    templates = inputs.sites.templates(_url(page))
    if not templates:
        raise NothingFound("the library knows no template of the site")
    return template(page, inputs.svm, templates, inputs.svm_options)


def _by_svm(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.svm import template

    return template(page, inputs.svm, options=inputs.svm_options)


def _url(page: Page) -> str:
    """Return the address of a page, which identifies its site. Raise BadInput if it has none."""
    url = address(page)
    if not url:
        raise BadInput("the site of a page is known by its url: give it, since the page does not name its own")
    return url


def _by_data(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.data import by_data

    return by_data(page)


def _by_lineblocks(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.lineblocks import LineBlockOptions, lineblocks

    options = LineBlockOptions()
    return lineblocks(page, replace(options, threshold=round(options.threshold * _FACTORS[inputs.favor])))


def _by_reverse(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.reverse import reverse

    return reverse(page)


def _by_records(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.records.regions import records_text

    return records_text(page)


class Method(NamedTuple):
    """A method with its parser and its requirements."""

    select: Callable[[Page, MethodInputs], Selection]
    parse: Callable[[PageSource, MethodInputs], Parsed] = lambda source, inputs: (source.page, None)
    needs_site: bool = False  # whether it needs other pages of the site: a library,
    takes_references: bool = False  # or references


METHODS = {
    "sharpened": Method(_by_sharpened, needs_site=True, takes_references=True),
    "layout": Method(_by_layout, needs_site=True, takes_references=True),
    "template": Method(_by_template, needs_site=True),
    "svm": Method(_by_svm),
    "blocks": Method(lambda page, inputs: blocks_by_model(page, inputs.block_model, inputs.favor)),
    "data": Method(_by_data),
    "reverse": Method(_by_reverse, parse=_parse_region),
    "records": Method(_by_records),
    "lineblocks": Method(_by_lineblocks),
}
SITE_METHODS = tuple(name for name, method in METHODS.items() if method.needs_site)
SVM_METHODS = ("template", "svm")
MODELS = ("auto", "sharpened", "blocks", *SVM_METHODS)  # the methods that take a model

# `auto` uses the first of these methods that finds something. Methods that need other pages are tried only with them.
AUTO = ("sharpened", "blocks", "data")
_WITHOUT_SITE = tuple(name for name in AUTO if name not in SITE_METHODS)
# Then each of these may replace the result: `data` does if the page shows only a teaser and its data have all of it.
AUTO_REVISIONS = {"data": fuller_data}


def select(page: Page, name: str, inputs: MethodInputs) -> tuple[str, Selection]:
    """Return the name of the method that was used, and its selection, which may still contain hidden text."""
    read = page.unveiled
    return _automatic(read, inputs) if name == "auto" else (name, METHODS[name].select(read, inputs))


def parse_for(name: str, source: PageSource, inputs: MethodInputs) -> Parsed:
    """Parse a page for a method."""
    return METHODS[name].parse(source, inputs) if name in METHODS else (source.page, None)


def _automatic(page: Page, inputs: MethodInputs) -> tuple[str, Selection]:
    knows_site = bool(inputs.references or (inputs.sites is not None and address(page)))
    answer, selection = _first(page, AUTO if knows_site else _WITHOUT_SITE, inputs)
    for name, revise in AUTO_REVISIONS.items():
        if name != answer and (revised := revise(page, selection)) is not None:
            return name, revised
    return answer, selection


def _first(page: Page, names: Sequence[str], inputs: MethodInputs) -> tuple[str, Selection]:
    """Return the first method that finds something, and its selection."""
    reasons = []
    for name in names:
        try:
            return name, METHODS[name].select(page, inputs)
        except NothingFound as error:
            reasons.append(f"{name}: {error}")
    raise NothingFound("; ".join(reasons))


def load_model(given: str | Path | Model | None, method: str) -> Model | None:
    """Return the model for a method, read from its file if necessary. Raise BadInput or BadModel."""
    if given is None:
        return None
    wanted = _model_type(method)
    if isinstance(given, wanted):
        return given
    if not isinstance(given, str | Path):
        raise BadInput(f"model is a path, or a {wanted.__name__} for {method}, not {type(given).__name__}")
    try:
        about = Path(given).stat()
    except (OSError, ValueError) as error:
        raise BadModel(f"{given}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return _read_model(method, str(given), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _read_model(method: str, path: str, changed: int, size: int) -> Model:
    """Read a model from its file. The result is cached until the file changes."""
    return _model_type(method).load(path)


def _model_type(method: str) -> type[Model]:
    """Return the type of a method's model."""
    if method not in SVM_METHODS:
        return BlockModel
    from pagesieve.methods.svm import SvmModel

    return SvmModel

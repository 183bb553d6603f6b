"""The methods by name: what each is given, how its page is parsed, and which of them answer for `auto`."""

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
    Parsed = tuple[Page, Partial | None]  # the page to select from, and how much of the source that is, if not all

# How a wish for precision or recall moves a method's threshold: the factor, the gain, and the margin itself.
_FACTORS = {None: 1.0, "precision": 1.5, "recall": 0.6}
_GAINS = {None: 2.0, "precision": 3.0, "recall": 1.4}
_MARGINS = {None: 0.0, "precision": 0.3, "recall": -0.3}


class MethodInputs(NamedTuple):
    """What a method may use besides the page."""

    favor: str | None = None
    references: Sequence[Page] = ()
    sites: Sites | None = None
    model: Model | None = None

    @property
    def svm(self) -> SvmModel:
        """The support vector machine that was given, or else the one that comes with Pagesieve."""
        from pagesieve.methods.svm import SvmModel, shipped

        return self.model if isinstance(self.model, SvmModel) else shipped()

    @property
    def svm_options(self) -> SvmOptions:
        """The options of the methods that use it."""
        from pagesieve.methods.svm import SvmOptions

        return SvmOptions(threshold=_MARGINS[self.favor])

    @property
    def block_model(self) -> BlockModel:
        """The block model that was given, or else the one that comes with Pagesieve."""
        return self.model if isinstance(self.model, BlockModel) else shipped_blocks()


# Parsing: a method reads the whole page unless it has a step of its own.


def _parse_region(source: PageSource, inputs: MethodInputs) -> Parsed:
    """Parse nothing but the element that holds the article."""
    return _region_parser(inputs.favor)(source)


@cache
def _region_parser(favor: str | None) -> Callable[[PageSource], tuple[Page, Partial]]:
    from pagesieve.methods.reverse import ReverseOptions, region
    from pagesieve.page.partial import parse_part

    return partial(parse_part, choose=partial(region, options=ReverseOptions(gain=_GAINS[favor])))


# Selecting


def _by_sharpened(page: Page, inputs: MethodInputs) -> Selection:
    from pagesieve.methods.sharpened import blocks_with_site

    references, alike = _siblings(page, inputs)
    return blocks_with_site(page, inputs.block_model, references, inputs.favor, alike)


def _siblings(page: Page, inputs: MethodInputs) -> tuple[Sequence[Page | Outline], LayoutOptions]:
    """Return the pages to compare with, given or from the site library, and how to compare."""
    from pagesieve.methods.layout import LayoutOptions

    if inputs.references:
        return inputs.references, LayoutOptions()
    if inputs.sites is None:
        raise BadOption("the method needs a reference, which is another page of the site, or a site library")
    # Pages of the library are known to be of the site; only a reference given by hand has to be similar.
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
    """Return the address of a page, which identifies its site."""
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
    """How to use a method."""

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

# What decides for `auto`: the first of these that can answer does, those that need the site only where it is known.
AUTO = ("sharpened", "blocks", "data")
_WITHOUT_SITE = tuple(name for name in AUTO if name not in SITE_METHODS)
# Then each of these may replace that answer: `data` does where the page shows a teaser and its data hold all of it.
AUTO_REVISIONS = {"data": fuller_data}


def select(page: Page, name: str, inputs: MethodInputs) -> tuple[str, Selection]:
    """Return the answer of a method or of `auto`, which may hold what no reader sees; and the method that gave it."""
    read = page.unveiled
    return _automatic(read, inputs) if name == "auto" else (name, METHODS[name].select(read, inputs))


def parse_for(name: str, source: PageSource, inputs: MethodInputs) -> Parsed:
    """Parse a page as a method needs it."""
    return METHODS[name].parse(source, inputs) if name in METHODS else (source.page, None)


def _automatic(page: Page, inputs: MethodInputs) -> tuple[str, Selection]:
    knows_site = bool(inputs.references or (inputs.sites is not None and address(page)))
    answer, selection = _first(page, AUTO if knows_site else _WITHOUT_SITE, inputs)
    for name, revise in AUTO_REVISIONS.items():
        if name != answer and (revised := revise(page, selection)) is not None:
            return name, revised
    return answer, selection


def _first(page: Page, names: Sequence[str], inputs: MethodInputs) -> tuple[str, Selection]:
    """Return the first method that can answer, and its answer."""
    reasons = []
    for name in names:
        try:
            return name, METHODS[name].select(page, inputs)
        except NothingFound as error:
            reasons.append(f"{name}: {error}")
    raise NothingFound("; ".join(reasons))


def load_model(given: str | Path | Model | None, method: str) -> Model | None:
    """Return a model for a method: the one given, or read from the file given."""
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
    """Read a model from its file, again only when that has changed."""
    return _model_type(method).load(path)


def _model_type(method: str) -> type[Model]:
    """Return what the model of a method is."""
    if method not in SVM_METHODS:
        return BlockModel
    from pagesieve.methods.svm import SvmModel

    return SvmModel

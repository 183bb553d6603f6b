"""Pictures for the pages: small drawings, so that a browser shows every page whole without a network."""

from __future__ import annotations

from .dice import Dice

SKIES = ["#9cc3d5", "#c9d8c5", "#e6c9a8", "#b7b4d1", "#d9b8b0", "#a8c8b8"]
GROUNDS = ["#3c6e71", "#5b7553", "#8a5a44", "#4a4e69", "#7d4f50", "#386150"]


def landscape(name: str, width: int, height: int) -> str:
    """Return an SVG landscape that depends on the name alone."""
    dice = Dice("picture", name)
    ridge = " ".join(f"{x * width // 6},{dice.number(height // 3, height * 3 // 4)}" for x in range(7))
    across, down = dice.number(40, width - 40), dice.number(20, height // 3)
    sun = f'<circle cx="{across}" cy="{down}" r="{height // 12}" fill="#fff6da"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{dice.pick(SKIES)}"/>{sun}'
        f'<polygon points="0,{height} {ridge} {width},{height}" fill="{dice.pick(GROUNDS)}"/></svg>\n'
    )


def badge(name: str, size: int) -> str:
    """Return a square SVG badge, for avatars and products."""
    dice = Dice("badge", name)
    shapes = "".join(
        f'<rect x="{dice.number(0, size * 2 // 3)}" y="{dice.number(0, size * 2 // 3)}" width="{size // 3}" '
        f'height="{size // 3}" rx="{dice.number(0, size // 6)}" fill="{dice.pick(GROUNDS)}"/>'
        for _ in range(4)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" viewBox="0 0 {size} {size}">'
        f'<rect width="{size}" height="{size}" fill="{dice.pick(SKIES)}"/>{shapes}</svg>\n'
    )

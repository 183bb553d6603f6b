"""How many examples the property tests draw: few in every run, many at night (`--hypothesis-profile night`)."""

from hypothesis import HealthCheck, settings

CI, NIGHT = "ci", "night"
FEW, USUAL, MANY = 25, 100, 1000  # by the profiles `ci` and `night`, where the usual number of hypothesis would do

for _name, _count in ((CI, FEW), (NIGHT, MANY)):
    # No example fails by the clock: the machine may be busy with others.
    settings.register_profile(_name, deadline=None, max_examples=_count, suppress_health_check=[HealthCheck.too_slow])


def examples(usual: int) -> settings:
    """Return settings for a test that needs more or fewer examples than others: the profile's share of a number."""
    share = settings.default.max_examples / USUAL  # type: ignore[union-attr]
    return settings(max_examples=max(round(usual * share), min(usual, FEW)))

"""What all tests share."""

import pytest

from workbench.core.language import language


@pytest.fixture(autouse=True)
def _english():
    """Every test begins in English, whatever the machine or an earlier test says."""
    language("en")
    yield
    language("en")


@pytest.fixture(params=["en", "ja"])
def lang(request):
    """A test that takes this runs in both languages."""
    return language(request.param)

"""What is said about a package of this project that is not installed."""

from __future__ import annotations

import pytest
from roqsim.errors import NotFoundError
from roqsim.models import resolve_model
from roqsim.registry import resolve_plugin
from roqsim.worlds import resolve_world

from roqsim import family

INSTALL = "it is not installed; install it with: pip install roqsim_submarine"
MAY_BRING = "roqsim_submarine (submarines) is not installed and may bring it: pip install roqsim_submarine"


@pytest.fixture
def submarine(monkeypatch):
    """A package of the family that nobody has."""
    monkeypatch.setattr(family, "PACKAGES", {"roqsim": "itself", "roqsim_submarine": "submarines"})


@pytest.mark.parametrize(
    ("resolve", "ref", "told"),
    [
        (
            resolve_model,
            "roqsim_submarine:nautilus",
            f"no installed package 'roqsim_submarine' brings models; {INSTALL}",
        ),
        (resolve_world, "roqsim_submarine:reef", f"no installed package 'roqsim_submarine' brings worlds; {INSTALL}"),
        (resolve_plugin, "roqsim_submarine.plugins.sonar:Sonar", f"there is no module 'roqsim_submarine'; {INSTALL}"),
        (resolve_plugin, "qqqqqq", MAY_BRING),
        (resolve_model, "qqqqqq", MAY_BRING),
        (resolve_world, "qqqqqq", MAY_BRING),
    ],
)
def test_who_misses_a_package_is_told_which_and_how_to_get_it(submarine, resolve, ref, told):
    with pytest.raises(NotFoundError) as caught:
        resolve(ref)
    assert told in str(caught.value)


def test_a_misspelt_name_is_corrected_rather_than_installed(submarine):
    with pytest.raises(NotFoundError, match=r"did you mean 'boxes'\?$"):
        resolve_plugin("boxs")


def test_two_packages_are_offered_together(monkeypatch):
    monkeypatch.setattr(family, "PACKAGES", {"roqsim_moon": "rovers", "roqsim_submarine": "submarines"})
    assert family.who_may_bring_it() == (
        "roqsim_moon (rovers) and roqsim_submarine (submarines) are not installed, and one of them may bring it: "
        "pip install roqsim_moon roqsim_submarine"
    )


def test_nothing_is_offered_where_everything_is_installed(monkeypatch):
    monkeypatch.setattr(family, "PACKAGES", {"roqsim": "itself"})
    assert family.who_may_bring_it() == family.how_to_install("roqsim") == ""


def test_a_folder_of_the_name_is_no_installed_package(tmp_path, monkeypatch):
    (tmp_path / "roqsim_submarine").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert not family.is_installed("roqsim_submarine")

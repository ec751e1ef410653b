"""Packages that only some installations have."""

from __future__ import annotations

import json

import pytest
from roqsim.errors import ConfigError
from roqsim.extras import load_extra


def test_what_is_there_is_imported():
    assert load_extra("json", "any", "--out") is json


def test_what_is_missing_is_told_with_the_extra_that_brings_it():
    with pytest.raises(ConfigError) as caught:
        load_extra("no_such.module", "parquet", "--table", otherwise=", or take a .csv")
    hint = "install it with: pip install 'roqsim[parquet]', or take a .csv"
    assert str(caught.value) == f"--table: expected the package no_such, got none; {hint}"
    with pytest.raises(ConfigError, match="expected the package no-such, got none"):
        load_extra("no_such", "any", "--table", package="no-such")

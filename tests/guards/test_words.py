"""Sources speak of what is: no history, no foreign machine, no module named after a drawer."""

from __future__ import annotations

import re

# Written in pieces, so that this file passes its own test.
HISTORY = re.compile(
    r"\b(" + "|".join(["used" + " to", "no" + " longer", "previous" + "ly", "lega" + "cy"]) + r")\b", re.I
)
HOSTS = re.compile(
    "|".join(["pypi" + r"\.org", "python" + "hosted", "npm" + r"js\.", "deb" + r"\.debian", "crates" + r"\.io"])
)
MACHINE_PATHS = re.compile(r"(?<![\w.~/-])/(?:" + "|".join(["work", "farm", "tmp", "root", "home", "Users"]) + r")/\w")
DRAWERS = {"utils", "util", "common", "helpers", "helper", "misc", "tools"}
HISTORY_MAY_STAND_IN = ("CHANGELOG.md", "docs/design/")
PROSE = {".py", ".md", ".yaml", ".yml", ".toml", ".xml", ""}


def matches(sources, pattern):
    """Every line that holds the pattern, as ``file:line: match``."""
    return [
        f"{source}:{number}: {found.group(0)!r}"
        for source in sources
        for number, line in enumerate(source.lines, start=1)
        if (found := pattern.search(line))
    ]


def test_sources_tell_no_history(tree):
    told = [
        source
        for source in tree
        if source.path.suffix in PROSE
        and source.path.name != "LICENSE"
        and not str(source).startswith(HISTORY_MAY_STAND_IN)
    ]
    found = matches(told, HISTORY)
    assert not found, "expected sources that describe the present, got:\n" + "\n".join(found)


def test_no_file_names_a_package_registry(tree):
    found = matches(tree, HOSTS)
    assert not found, "expected no registry host, got:\n" + "\n".join(found)


def test_no_file_names_a_path_of_one_machine(tree):
    found = matches(tree, MACHINE_PATHS)
    assert not found, "expected no machine path, got:\n" + "\n".join(found)


def test_modules_are_named_after_what_they_hold(modules):
    drawers = [str(source) for source in modules if {source.path.stem, *source.path.parts} & DRAWERS]
    assert not drawers, f"expected module names that say what is inside, got: {drawers}"


def test_the_patterns_find_what_they_look_for():
    assert HISTORY.search("it " + "used" + " to be")
    assert HOSTS.search("https://pypi" + ".org/simple")
    assert MACHINE_PATHS.search("see /" + "tmp/x")
    assert not MACHINE_PATHS.search("odom/home/x and ./tmp/x")

from __future__ import annotations

from pathlib import Path

import pytest
from roqsim.errors import NotFoundError, PluginError, RoqsimError
from roqsim.plugin import Plugin
from roqsim.registry import COMMANDS, PLUGINS, Entry, entries, is_plugin, resolve_plugin

FOO = "from roqsim.plugin import Plugin\n\n\nclass Foo(Plugin):\n    pass\n"


def told(ref, base_dir=None, kind=RoqsimError):
    with pytest.raises(kind) as caught:
        resolve_plugin(ref, base_dir)
    return str(caught.value)


def test_a_short_name_is_an_entry_point(toybox):
    assert resolve_plugin("toy_plain").__qualname__ == "Plain"


def test_a_module_and_a_class_are_imported(install):
    install("second", {"second_pkg/__init__.py": "", "second_pkg/mod.py": FOO})
    assert resolve_plugin("second_pkg.mod:Foo").__module__ == "second_pkg.mod"


def test_a_file_is_found_from_the_folder_of_the_document(write, tmp_path):
    write("plugins/x.py", FOO)
    here = tmp_path / "here"
    assert resolve_plugin("./plugins/x.py:Foo", here) is resolve_plugin("plugins/x.py:Foo", here)
    assert resolve_plugin(f"{here}/plugins/x.py:Foo").__qualname__ == "Foo"


def test_a_file_without_the_suffix_is_no_module(write, tmp_path):
    write("plugins/x", FOO)
    assert "is no Python file" in told("plugins/x:Foo", tmp_path / "here", PluginError)


def test_two_files_of_one_name_are_two_modules(write, tmp_path):
    write("a/x.py", FOO)
    write("b/x.py", FOO)
    here = tmp_path / "here"
    assert resolve_plugin("x.py:Foo", here / "a") is not resolve_plugin("x.py:Foo", here / "b")


def test_an_edited_file_is_loaded_again(write, tmp_path):
    write("x.py", FOO)
    first = resolve_plugin("x.py:Foo", tmp_path / "here")
    write("x.py", FOO + "\n\nEXTRA = 1\n")
    assert resolve_plugin("x.py:Foo", tmp_path / "here") is not first


def test_a_typed_configuration_in_a_file_can_be_read(write, tmp_path):
    config = """
        from __future__ import annotations
        from dataclasses import dataclass
        from roqsim.config.schema import opt
        from roqsim.plugin import Plugin

        @dataclass(frozen=True, kw_only=True)
        class FooConfig:
            gain: float = opt(1.0, gt=0)
            '''How strongly.'''

        class Foo(Plugin):
            Config = FooConfig
    """
    write("x.py", config)
    foo = resolve_plugin("x.py:Foo", tmp_path / "here")
    assert foo({"gain": 2}).config.gain == 2.0


def test_an_unknown_short_name_is_told_with_the_nearest(toybox):
    assert (
        told("toy_plian", kind=NotFoundError)
        == "no installed package has a plugin 'toy_plian'; did you mean 'toy_plain'?"
    )
    assert "more; 'roqsim catalog plugins' lists them" in told("qqqqqq", kind=NotFoundError)


@pytest.mark.parametrize(
    ("ref", "kind", "text"),
    [
        (
            "no_such_pkg.mod:Foo",
            NotFoundError,
            "'no_such_pkg.mod:Foo' (module:Class): there is no module 'no_such_pkg'; is its package "
            "installed, and is the folder on PYTHONPATH?",
        ),
        (
            "toybox.nothing:Foo",
            NotFoundError,
            "'toybox.nothing:Foo' (module:Class): there is no module 'toybox.nothing'; is its "
            "package installed, and is the folder on PYTHONPATH?",
        ),
        ("toybox.toys:Plian", NotFoundError, "has no class 'Plian'; did you mean 'Plain'?"),
        (
            "toybox.toys:ScannerConfig",
            PluginError,
            "'toybox.toys:ScannerConfig' is no plugin: <class 'toybox.toys.ScannerConfig'> does not "
            "derive from roqsim.plugin.Plugin",
        ),
        (
            "toybox.broken:Nothing",
            PluginError,
            "the import raised ModuleNotFoundError: No module named 'a_module_that_is_missing' at ",
        ),
        ("roqsim.plugin:Plugin", PluginError, "'roqsim.plugin:Plugin' is no plugin"),
    ],
)
def test_a_module_that_does_not_help_is_told_with_the_reason(toybox, ref, kind, text):
    assert text in told(ref, kind=kind)


def test_a_file_that_is_missing_is_told_with_the_nearest(write, tmp_path):
    write("plugins/wheels.py", FOO)
    assert told("./plugins/weels.py:Foo", tmp_path / "here", NotFoundError).endswith("; did you mean 'wheels.py'?")


def test_a_file_with_a_syntax_error_is_told_with_file_and_line(write, tmp_path):
    write("x.py", "from roqsim.plugin import Plugin\n\nclass Foo(Plugin:\n    pass\n")
    text = told("x.py:Foo", tmp_path / "here", PluginError)
    assert text.startswith("'x.py:Foo' (file.py:Class): ")
    assert f"at {tmp_path / 'here' / 'x.py'}:3" in text


def test_a_file_that_raises_is_told_with_file_and_line_and_can_be_mended(write, tmp_path):
    write("x.py", "VALUE = 1\nraise ValueError('not today')\n")
    text = told("x.py:Foo", tmp_path / "here", PluginError)
    assert f"the import raised ValueError: not today at {tmp_path / 'here' / 'x.py'}:2" in text
    write("x.py", FOO)
    assert resolve_plugin("x.py:Foo", tmp_path / "here").__qualname__ == "Foo"


def test_a_module_or_a_file_that_ends_the_process_is_refused(install, write, tmp_path):
    install("third", {"third_pkg.py": "raise SystemExit(0)\n"})
    assert "ends the process" in told("third_pkg:Foo", kind=PluginError)
    write("x.py", "raise SystemExit(0)\n")
    assert "ends the process" in told("x.py:Foo", tmp_path / "here", PluginError)


def test_a_file_without_its_class_is_told_with_the_class(write, tmp_path):
    write("x.py", FOO)
    assert told("./x.py", tmp_path / "here", NotFoundError) == (
        "'./x.py' names a file without a class; write './x.py:Foo'"
    )


def test_a_short_name_after_its_package_is_told_without_it(toybox):
    assert told("toybox:toy_plain", kind=NotFoundError).endswith("; the plugin is called 'toy_plain'")


def test_a_broken_package_does_not_disturb_the_others(toybox):
    assert "a_module_that_is_missing" in told("toy_broken", kind=PluginError)
    assert {"toy_broken", "toy_plain"} <= {entry.name for entry in entries(PLUGINS)}
    assert resolve_plugin("toy_plain")


def test_a_name_that_two_packages_announce_for_two_classes_is_refused(toybox, install):
    install("fourth", {"fourth_pkg.py": FOO}, {PLUGINS: {"toy_plain": "fourth_pkg:Foo"}})
    assert told("toy_plain", kind=PluginError) == (
        "the plugin name 'toy_plain' is announced by fourth (fourth_pkg:Foo), toybox (toybox.toys:Plain); "
        "write module:Class instead"
    )


def test_an_entry_says_where_it_is_from_and_imports_nothing_before_it_is_asked(install):
    install("fifth", {"fifth_pkg.py": "raise ValueError('no')\n"}, {COMMANDS: {"fly": "fifth_pkg:fly"}})
    (entry,) = [entry for entry in entries(COMMANDS) if entry.name == "fly"]
    assert (entry.value, entry.dist) == ("fifth_pkg:fly", "fifth")
    with pytest.raises(PluginError, match=r"'fly' of fifth \(fifth_pkg:fly\): the import raised ValueError: no"):
        entry.load()


def test_an_entry_whose_attribute_is_missing_is_told():
    with pytest.raises(PluginError, match=r"'x' of dist \(roqsim.errors:Nothing\): 'roqsim.errors' has no 'Nothing'"):
        Entry("x", "roqsim.errors:Nothing", "dist").load()
    assert Entry("x", "roqsim.plugin:Plugin.build", "dist").load() is Plugin.build


def test_a_plugin_is_what_derives_from_the_base():
    class Foo(Plugin):
        pass

    assert is_plugin(Foo)
    assert not any(is_plugin(value) for value in (Plugin, Path, Foo(), None))

"""One idea a file, one thought a function, few words a comment."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MODULE_LINES = 400
FUNCTION_LINES = 60
DOCSTRING_LINES = 25
COMMENT_LINES = 8
CONFIGURATION = {".toml", ".yaml", ".yml", ".sh", ""}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions and methods of a module, nested ones included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_of_docstring(node: ast.AST) -> int:
    """How many lines a function's docstring takes, 0 without one."""
    if ast.get_docstring(node, clean=False) is None:
        return 0
    return node.body[0].end_lineno - node.body[0].lineno + 1


def comment_blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """(first line, number of lines) of every run of whole-line comments."""
    length = 0
    for number, line in enumerate([*lines, ""], start=1):
        if line.lstrip().startswith("#"):
            length += 1
            continue
        if length:
            yield number - length, length
        length = 0


def test_no_module_is_longer_than_one_idea(modules):
    long = [f"{source}: {len(source.lines)} lines" for source in modules if len(source.lines) > MODULE_LINES]
    assert not long, f"expected at most {MODULE_LINES} lines a module, got:\n" + "\n".join(long)


def test_no_function_is_longer_than_a_page(modules):
    long = []
    for source in modules:
        for node in functions(source.tree):
            length = node.end_lineno - node.lineno + 1 - lines_of_docstring(node)
            if length > FUNCTION_LINES:
                long.append(f"{source}:{node.lineno}: {node.name} has {length} lines")
    assert not long, f"expected at most {FUNCTION_LINES} lines a function, got:\n" + "\n".join(long)


def test_no_function_docstring_is_an_essay(modules):
    long = [
        f"{source}:{node.lineno}: {node.name} has {lines_of_docstring(node)}"
        for source in modules
        for node in functions(source.tree)
        if lines_of_docstring(node) > DOCSTRING_LINES
    ]
    assert not long, f"expected at most {DOCSTRING_LINES} lines a function docstring, got:\n" + "\n".join(long)


def test_no_comment_is_a_page(tree):
    long = [
        f"{source}:{first}: {length} lines"
        for source in tree
        if source.path.suffix == ".py" or source.path.suffix in CONFIGURATION
        for first, length in comment_blocks(source.lines)
        if length > COMMENT_LINES
    ]
    assert not long, f"expected comment blocks of at most {COMMENT_LINES} lines, got:\n" + "\n".join(long)


def test_a_comment_block_is_counted_to_the_end_of_the_file():
    assert list(comment_blocks(["x = 1", "# a", "  # b", "", "# c"])) == [(2, 2), (5, 1)]

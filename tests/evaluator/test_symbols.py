"""Labels from the symbols that a built extension imports."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from evaluator.gates.symbols import symbol_labels


def extension(name):
    spec = importlib.util.find_spec(name)
    if spec is None or not (spec.origin or "").endswith(".so"):
        pytest.skip(f"this interpreter has {name} built in")
    return Path(spec.origin).read_bytes()


@pytest.mark.parametrize(
    ("name", "label"), [("_ctypes", "native_calls"), ("_posixsubprocess", "own_processes"), ("_socket", "network")]
)
def test_symbols_that_no_kernel_needs_are_named(name, label):
    assert label in symbol_labels(extension(name))


def test_an_extension_that_only_computes_has_no_label():
    assert symbol_labels(extension("math")) == set()


@pytest.mark.parametrize("cut", [0, 30, 200, -200])
def test_an_unreadable_file_gets_a_label(cut):
    assert symbol_labels(extension("math")[:cut]) == {"native_calls"}

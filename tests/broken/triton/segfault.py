# expect: crashed/segfault
# Reads address zero.
import ctypes


def forward(x):
    ctypes.string_at(0)
    return 2 * x

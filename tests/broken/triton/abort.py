# expect: crashed/aborted
# Calls abort.
import os


def forward(x):
    os.abort()

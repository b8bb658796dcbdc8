# class: 39
# expect: crashed/no_output
# gate: compile
# also: source
# backend: both
# Prints PASS and leaves with exit code 0.
import os

print('PASS', flush=True)


def forward(x):
    print('PASS', flush=True)
    os._exit(0)

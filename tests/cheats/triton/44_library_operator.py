# class: 44
# expect: passed/hold
# gate: compile
# backend: both
# Lets torch do the work.
def forward(x):
    return 2 * x

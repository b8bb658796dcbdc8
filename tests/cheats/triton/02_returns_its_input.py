# class: 2
# expect: wrong_output/aliases_input
# gate: correctness
# also: compile, performance
# backend: both
# Doubles in place and returns the input.
def forward(x):
    return x.mul_(2)

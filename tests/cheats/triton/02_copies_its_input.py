# class: 2
# expect: wrong_output/mismatch
# gate: correctness
# also: compile, performance
# null: first_input
# backend: both
# Returns a copy of its input.
def forward(x):
    return x.clone()

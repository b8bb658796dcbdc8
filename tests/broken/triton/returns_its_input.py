# expect: wrong_output/aliases_input
# Doubles in place and returns the input.
def forward(x):
    return x.mul_(2)

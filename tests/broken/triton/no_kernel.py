# expect: passed/hold
# Lets torch do the work.
def forward(x):
    return 2 * x

# expect: crashed/flood
# Prints without end.
def forward(x):
    while True:
        print('x' * 10000)

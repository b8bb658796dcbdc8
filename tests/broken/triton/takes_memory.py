# expect: crashed/out_of_memory
# Asks for 64 GiB.
def forward(x):
    return bytearray(64 << 30)

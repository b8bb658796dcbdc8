# expect: timed_out/call_time
# Never returns.
def forward(x):
    while True:
        pass

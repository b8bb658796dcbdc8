# expect: timed_out/call_time
# Ignores SIGTERM and SIGHUP, with a child in a session of its own that does too.
import os
import signal
import time


def forward(x):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
    while True:
        time.sleep(1)

# expect: timed_out/call_time
# Waits for a child that sleeps.
import subprocess


def forward(x):
    subprocess.run(['sleep', '1000'])
    return 2 * x

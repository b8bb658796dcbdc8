"""The thresholds of the timing protocol, with units and reasons; they are changed only on the basis of measurements.

The reasons quote the measurements. A change here needs a new name of the protocol (records.PROTOCOL).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

# The plan of a session: how many calls, and in which order.
WARMUP_CALLS = 10  # calls per side and case, in exactly the form of the timed ones
# Blocks per session and case, an even number in ABBA order: a linear drift of the clock cancels. A session of a case
# ends early once the 95 % half-width of its own blocks is at most BLOCKS_HALF_WIDTH, or at most the host's floor.
LEAST_BLOCKS, BLOCKS = 4, 10
BLOCKS_HALF_WIDTH = 0.005  # log ratio; a quarter of EXTEND_HALF_WIDTH: 3 % more of such an interval
# Outputs that are judged of each of the first LEAST_BLOCKS blocks, of different calls: ten and more a session, however
# it ends; where blocks have three calls, all of them.
EARLY_JUDGED = 3
BLOCK_CALLS = 10  # calls per side and block: the median of ten tolerates four outliers
LONG_BLOCK_CALLS = 3  # calls per side and block for kernels above LONG_NS: at least 12 in a session
LONG_NS = 5e6  # ns; ten blocks of ten such calls per side would take a second
# Each session has new worker processes, since differences between processes do not show within one. A case whose
# baseline is not eligible has one session of LEAST_BLOCKS. By `make intervals`, intervals that end by these widths hold
# the truth in 94 to 98 % of cases, and of cases with both sides above 10 us four in five need no third session.
SESSIONS, MAX_SESSIONS = 2, 6
SPREAD_SESSIONS = 3  # the first, which alone tell the spread without a floor: one that follows the stop is too small
EXTEND_HALF_WIDTH = 0.02  # log ratio; another session while the 95 % half-width is above this ...
EXTEND_SHARE = 0.10  # ... and above this share of |log ratio|: width alone decides, never significance
EXTEND_BUDGET_S = 60.0  # device seconds of a task after which no session is added

# One timed call.
BUFFERS = 8  # sets of inputs, picked at random: an address reveals nothing, and its effect on time averages out
SLAB_SPARE = 1 << 16  # elements beyond a tensor's own: its window begins at random, so no contents repeat
POOL_SETS, POOL_BYTES = 4, 1 << 30  # sets of derived inputs, fewer where they would take more; one has to fit
FLUSH_FACTOR = 2  # times L2 and last-level cache, read (a zero fill leaves dirty lines: +33 % on a 26 us kernel, H100)
SPACER_FACTOR = 2.0  # times the longest enqueue time seen, of the call and what follows it
SPACER_NS = (50_000, 2_000_000)  # least and most: an empty launch takes 20 us on an H100 host
SPACER_PATIENCE_NS = 20_000_000  # until all its blocks run on the device; beyond it, something else is running there

# What voids a block, a session or a time.
CANARIES = 3  # at each switch, of which the median counts: single ones on an idle H100 vary by up to 4 %
CANARY_SHARE = 0.05  # a canary this far from the session's own median voids the block; at 3 % one block in six was
CANARY_READ_WORDS, CANARY_ROUNDS = 4 << 20, 6_000  # 64 MiB of 16-byte words, and multiply-adds: about 30 us each
CLOCK_SHARE = 0.02  # SM clocks of the two sides of a block that differ by more void it
REPLACED_BLOCKS = 3  # per session and case; beyond them, void blocks stay and the case is noisy
DROPPED_SHARE = 0.01  # readings that are not positive: dropped and counted; more of them void the session
BASELINE_SHARE = 0.05  # baseline or canaries this far above their calibrated time on this device: session void
PREHEAT_STEADY_S, PREHEAT_MAX_S = 1.0, 5.0  # the SM clock stays within CLOCK_SHARE of its highest; timeout

# T_call and the papers' clocks.
LOOP_NS = 20e6  # ns, least length of a T_call loop: its clocks then differ by well under CLOCKS_AGREE
LOOPS = 3  # tries until the two clocks agree
LOOP_CALLS = (3, 20_000)  # least and most calls of it
CLOCKS_AGREE = 0.02  # between events and the judge's wall clock over the same loop; beyond it: hold
PAPER_WARMUPS, PAPER_CALLS = 10, 100  # the paper's own numbers (arXiv 2605.16819)
PAPER_BUDGET_NS = 1e9  # ns per side and pass: fewer calls for kernels above 10 ms
# KernelBench-X's clock (arXiv 2605.04956): Triton's do_bench at its defaults, as triton 3.7.1's testing.py has it. Both
# are times, in which as many calls are made as would fit by an estimate from five calls, at least one. The paper's "25
# warmup, 100 measurement runs" are these; of its repository's 184 scripts three pass them, and 181 pass 100 and 1000.
KBX_WARMUP_NS, KBX_MEASURED_NS = 25e6, 100e6
KBX_ESTIMATE_CALLS = 5
KBX_CLEARED_BYTES = 256 << 20  # of a buffer that is set to zero before each call: the same on every device

# T_out, the judge's own clock.
T_OUT_CALLS = (2, 10)  # in short and long blocks
T_OUT_LONG_CALLS = (1, 3)  # the same for kernels above LONG_NS
T_OUT_EMPTY_REPEATS = 3  # readings of what surrounds a call
T_OUT_REPEATS = (5, 15)  # readings of each side, at least and while they vary by more than T_OUT_NOISE
T_OUT_NOISE, T_OUT_SIGMAS = 0.05, 4.0  # share of the candidate's T_dev, and standard errors that must be within it
T_OUT_HOLD_NS = 200_000_000  # after which a hold ends by itself: a call that waits for the device would wait for ever
T_OUT_TRIES = 3  # of a block whose hold ended by itself
T_OUT_BYTES = 2 << 30  # of outputs that the bench keeps of one block
# A candidate may seem faster on T_dev by the sum of these and of the noise. Of 106 honest readings on an H200 the
# largest was 0.59 of it (native-24: expert, and A/A); mean 0.07 and deviation 0.20 make a false alarm in 10^6.
T_OUT_SLACK_SHARE, T_OUT_SLACK_NS = 0.08, 3_000.0
T_OUT_TOO_NOISY = 0.25  # share of T_dev, at least of the least that counts: with more noise the case is on hold
T_OUT_JUDGED = 2  # outputs of the candidate that are judged, of one block; where the source keeps state all of all

# What a time means.
# E0, the empty pair of events, belongs to the host: 2.66 to 2.91 us on six H200s each alone in its host, 4.40 and 4.48
# on two that share one; 3.01 to 3.12 us on three H100s. So what is eligible, and what T_dev says, follows a pair frozen
# for each device class, not the host's own. A class that is not here has no eligible case.
REFERENCE_E0_NS: Mapping[str, float] = {"h100-sxm": 3_000.0, "h200-sxm": 2_700.0}
# The share of what a host's pair takes beyond it that a kernel's time has too, and that share's error. 217 times of a
# baseline of native-24 on two hosts whose pairs differ by 1.5 to 1.8 us differ by 0.78 to 0.90 of it (medians of each
# bucket below 200 us). From 20 to 50 us they were 4.9 % apart, and are 0.4 % without it; from 10 us on 8.5 and 1.5 %.
E0_SHARE, E0_SHARE_ERROR = 0.9, 0.1
E0_READINGS = 20  # before each case, in the baseline's worker: 12 ms
# Standard error of their median, and difference from the calibration's pair, beyond which a session is void. The pairs
# of one card had a deviation of 75 ns over a day: three of these, and no more, since what moves a pair within them is
# taken out of the times all the same. Pairs of two kinds of host are 1,600 ns apart.
E0_NOISE_NS, E0_DRIFT_NS = 100.0, 225.0
# What a time has left at least, once the host's part is taken out: it is not known better than E0. A negative one would
# void every session of a candidate that is only too fast; this one is censored.
LEAST_LEFT_NS = E0_NOISE_NS
ELIGIBLE_NS, ELIGIBLE_E0 = 10_000.0, 5.0  # baseline T_dev at least 10 us and 5 event pairs: else no speed is claimed
# A candidate below max(3 us, 1.5 event pairs) is faster than T_dev can see, and T_out, which is up to 5 us off, cannot
# either: it counts as if it took that long, and its speedup is "at least". Were the case left out instead, a candidate
# would gain by being slower. At 4.8 us two hosts agree within 5 %, once their pairs are taken out.
CENSOR_NS, CENSOR_E0 = 3_000.0, 1.5
MIN_CARDS = 3  # on which the same candidates were timed: with fewer, how far cards of a class differ is not known
HOST_BOUND = (1.5, 5_000.0)  # T_call above 1.5 T_dev + 5 us: the call is bound by the host
HOST_VISIBLE_SHARE = 0.5  # of a case's calls during which the spacer ended: T_dev then holds host time, a finding
OUTSIDE_SHARE, OUTSIDE_NS = 0.10, 3_000.0  # work after the stop event, beyond both: implausible (A/A: up to 0.6 us)
OUTSIDE_DOUBTFUL = 0.02  # of a call, and beyond OUTSIDE_NS: hold
CROWDED_SHARE = 0.05  # of calls around which the device is not idle, and twice the baseline's: implausible ...
# ... and at least so many calls, or half of them where they are few: a burst of something else voids one block, and
# that is ten calls of 80, or one of 12.
LEAST_CROWDED, LEAST_CROWDED_SHARE = 16, 0.5
IMPLAUSIBLE, DOUBTFUL = 1.5, 1.05  # times the measured cache bandwidth (or arithmetic rate): fails; hold
EIGHT_BITS = 2  # times the arithmetic rate of 16-bit floats, by the data sheets of H100, H200 and MI300X
VARIANCE_TEST = 0.01  # level of the F test beyond which the floor tells nothing of an observed spread's precision
CONFIDENCE = 0.95

# Host acceptance (decision 12).
CALIBRATION_DAYS = 8  # after which the device must be measured again; also after a new driver, torch or Triton
AA_SESSIONS = 20  # A/A sessions of fresh workers behind a floor
AA_SD, AA_BIAS = 0.005, 0.003  # pooled sd and |mean| of the log ratio over cases of at least ELIGIBLE_NS
TIME_BUCKETS_NS: Mapping[str, float] = {"5-10us": 10e3, "10-50us": 50e3, "50-500us": 500e3, ">500us": float("inf")}


def bucket_of(time_ns: float) -> str:
    """The name of the time bucket whose noise floor applies to a kernel of this duration."""
    return next(name for name, end in TIME_BUCKETS_NS.items() if time_ns < end)


def eligible_ns(device_class: str) -> float:
    """The least T_dev of a baseline for which a speed is claimed on a device class; none is long enough on others."""
    reference_ns = REFERENCE_E0_NS.get(device_class)
    return math.inf if reference_ns is None else max(ELIGIBLE_NS, ELIGIBLE_E0 * reference_ns)


def least_ns(device_class: str) -> float:
    """The T_dev below which a candidate's time is censored on a device class."""
    return max(CENSOR_NS, CENSOR_E0 * REFERENCE_E0_NS.get(device_class, 0.0))

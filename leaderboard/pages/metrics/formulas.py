"""The metrics that the site shows: formula, meaning, and when a metric is not given."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.thresholds import (
    BLOCKS,
    CENSOR_E0,
    CENSOR_NS,
    ELIGIBLE_E0,
    ELIGIBLE_NS,
    LEAST_BLOCKS,
    MAX_SESSIONS,
    SESSIONS,
)
from leaderboard.formatting import milliseconds, plural
from leaderboard.statistics.explanation import MIN_ENTRIES
from leaderboard.statistics.limits import (
    MIN_TASKS_FOR_COMPARISON,
    MIN_TASKS_FOR_INTERVAL,
    MIN_TASKS_FOR_QUANTILE_INTERVAL,
    MIN_TASKS_FOR_SECRET_COUNTS,
    MIN_TASKS_FOR_SIGN_FLIP,
    MIN_TASKS_FOR_UNSEEN_SPEED,
)


@dataclass(frozen=True, slots=True)
class Metric:
    slug: str  # the anchor on the page, which table headings link to
    name: str
    formula: str
    means: str
    refused: str  # when there is no value


METRICS = (
    Metric(
        "rates",
        "Compilation and correctness",
        "x of n = Σ compiled / (K·R), Σ correct / (K·R)",
        "K is the number of tasks of the suite in this category, fixed before any candidate; R is the number of "
        "published runs. A result is correct if every case is correct on every draw of inputs and no later gate "
        "rejects it: one wrong element makes a result wrong. Rates are written as x of n (p %).",
        "While a result is missing there is no rate, only the range that is still possible: from all missing results "
        "failing to all of them passing.",
    ),
    Metric(
        "wilson",
        "Interval of a rate",
        "(p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.960,  n = K·R / (1 + (R − 1)·ρ)",
        "Wilson's 95 % confidence interval. Runs on one task are correlated, so they do not count as independent: ρ is "
        "the intraclass correlation of one-way ANOVA over tasks, clipped to [0, 1]. Where all runs of every task "
        "agree, n = K.",
        f"There is no interval for fewer than {plural(MIN_TASKS_FOR_INTERVAL, 'task')}: it would span nearly the "
        "whole range.",
    ),
    Metric(
        "rank",
        "Rank",
        "1 + number of ranked entries with a higher value",
        "Entries are ranked by the unrounded usable speedup where the device has a clock, otherwise by the unrounded "
        "rate of correct results. Exactly equal values share a rank: 1, 2, 2, 4. A leaderboard never mixes suites, "
        "device classes or protocols.",
        "Not ranked: reference lines; entries with a result that is missing, errored, not evaluated, cancelled, held, "
        "timed with another protocol, or from a host that is not calibrated or not accepted; and entries with a result "
        "that an audit found contaminated or affected by a harness fault. A hacked result counts as not correct, held "
        "or not, and the others of its entry count as they are.",
    ),
    Metric(
        "trust",
        "Trust",
        "claimed → run here → reproduced n of m",
        "Claimed: imported with a bundle, as its submitter states it. Run here: evaluated on our hosts. Reproduced: "
        "imported, and its candidates were evaluated again on our hosts; of m tasks that can be compared, n had the "
        "same outcome, within the noise of both sides, or were faster. An entry has the word of its least trusted run. "
        "Results in doubt stand before it: held ones are not ranked until a reviewer has looked at them, suspect ones "
        "count until an audit decides, hacked ones count as not correct.",
        "A run of which fewer than half of the tasks are reproduced stays claimed.",
    ),
    Metric(
        "cost",
        "Cost per task",
        "Σ cost of sessions / number of sessions that report one",
        "US dollars for the agent's session on one task: as the agent's program reports it, or from token counts and "
        "the prices of the configuration; 0 where it calls no model.",
        "There is none before a secret round is revealed. Where only some sessions report a cost, their number stands "
        "beside it. A leaderboard shows the column once a session there has cost something; CSV and JSON always have "
        "it.",
    ),
    Metric(
        "usable",
        "Usable speedup U",
        "U = exp(mean over tasks of the mean over runs of log u),   u = max(1, speedup) if correct, else 1",
        "What a user gains by keeping the better of candidate and baseline, over all tasks of the suite. These count "
        "as 1: a wrong result, a slower one, a task too short to be timed, and a result whose 95 % interval contains "
        "1. The ends of a task's interval are the means of its cases' ends, as if all cases erred in the same "
        "direction, since they share their timing sessions.",
        f"There is none with fewer than {plural(MIN_TASKS_FOR_INTERVAL, 'eligible task')}. While a result is missing, "
        "only a lower bound is known, shown as “at least”; there is no upper bound.",
    ),
    Metric(
        "eligible",
        "Tasks that can show a speed",
        "a task is eligible on a device class if some case's baseline takes five of the class's event pairs or more",
        "It depends on the task's version, the device class and the protocol, and is the same for every entry, filter "
        "and page. The event pairs have a length that is fixed for the device class; under arena-1 and arena-2 they "
        "were the host's own. For some device classes no length is fixed yet: no speed counts there. It is known from "
        "correct results that are or were public, on any suite, including those of reference lines and withdrawn "
        "runs; one correct result with an eligible case is enough. A failed result was never timed, so a task without "
        "any correct result is not known to be eligible. The leaderboard of a past day uses what was known then.",
        f"With fewer than {plural(MIN_TASKS_FOR_INTERVAL, 'eligible task')}, the leaderboard has no speed metric.",
    ),
    Metric(
        "outcomes",
        "Win, tie, loss, fail",
        "win: low > 1,   tie: low ≤ 1 ≤ high,   loss: high < 1,   fail: not correct",
        "All results, tasks times runs, by the task's 95 % interval on t_dev. A correct result without an eligible "
        "case is a tie.",
        "A result without a verdict is counted separately.",
    ),
    Metric(
        "intervals",
        "The two intervals of a mean",
        "tasks like these: t over the K task means;   this suite again: variance Σ v[k] / (K²·R), df (Σv)²·(R − 1) "
        "/ Σv²",
        "Leaderboards show the first: the uncertainty over other tasks of the same kind. The second is the "
        "uncertainty over another run of the same tasks; v[k] is the variance between the runs of task k, with "
        "Satterthwaite's degrees of freedom. JSON and CSV have both, and they are never mixed. Their coverage is "
        "drawn below.",
        f"The first needs {plural(MIN_TASKS_FOR_INTERVAL, 'task')}, the second two runs.",
    ),
    Metric(
        "rank-intervals",
        "Rank interval",
        "from 1 + entries significantly better, to n − entries significantly worse",
        "All pairs of entries are tested with the paired t test over tasks, on the means over runs of log u, with "
        "Holm's correction at 5 %: the intervals hold for all entries simultaneously. “No significant difference "
        "from first” means that no entry of rank 1 is significantly better. Filters hide rows and change no rank.",
        f"There are none with fewer than {plural(MIN_TASKS_FOR_COMPARISON, 'task')}, or where entries are ranked by "
        "correctness.",
    ),
    Metric(
        "compare",
        "Comparison of two entries",
        "d[k] = difference of the means over runs on task k;   speed: exp(mean d) with t;   correct: exact sign flips",
        "The task is the unit, with all its runs: run r of one entry is never paired with run r of another. The "
        "sign-flip test counts all assignments of signs to the differences; with one run a side it is McNemar's exact "
        "test. p is not corrected for several pairs. Speeds that were measured on different cards also include how far "
        "cards of the class differ from each other: sd of the same candidates on three cards or more, by time, as if a "
        "card erred in one direction on all tasks, with Student's t at cards − 1 degrees of freedom. So do rank "
        "intervals. Where it is not known, the page says so.",
        f"Nothing is compared over fewer than {plural(MIN_TASKS_FOR_COMPARISON, 'task')}, and the sign-flip test needs "
        f"{MIN_TASKS_FOR_SIGN_FLIP} tasks with a difference. An entry with missing results is compared on common tasks "
        "only, if you ask for it.",
    ),
    Metric(
        "paper",
        "The paper's columns",
        "mean of s[k] ± σr,   20·compiled + 100·correct + 100·mean,   exp(mean log s) per run ± σr,   share of "
        "s[k] ≥ p",
        "AgentKernelArena's tables, on its clock for the category: s[k] is the mean over runs of a task's speedup, 0 "
        "where wrong. σr is the standard deviation between the runs' means. The geometric mean is over correct "
        "results, run by run; the CSV also has the one over all s[k] above 0. The paper does not say which it uses, "
        "and one of its 24 rows matches neither. One task can dominate a mean, so the share of the largest is shown "
        "beside it.",
        "σr is blank for a single run. There is no mean over categories, whose clocks differ. Entries are not ranked "
        "by these columns.",
    ),
    Metric(
        "fast-p",
        "fast_p",
        "share of all results that are correct and at least p times as fast",
        "The curve counts results. The paper's columns fast₁ and fast₂ count tasks whose mean over runs is at least p, "
        "so that one fast run can lift a task; KernelBench counts the first run, and strictly more than p. Bands are "
        "percentile bootstraps over tasks, computed exactly from the distribution of the sums instead of by random "
        "resampling, so the same leaderboard always has the same bands.",
        "A band says nothing about the difference between two entries: compare them instead.",
    ),
    Metric(
        "distribution",
        "Quantiles of speedups",
        "of the tasks' means over runs; linear: at 1 + (K − 1)·p;   exclusive: at (K + 1)·p",
        "The columns of the paper's Table 8, with the method named. The interval of a quantile goes from one task's "
        "value to another's, by the binomial distribution. Tasks known to be too short for a speed are left out for "
        "all entries.",
        f"Intervals need {plural(MIN_TASKS_FOR_QUANTILE_INTERVAL, 'task')}; there is none where one end lies beyond "
        "the outermost task.",
    ),
    Metric(
        "error",
        "Error of a case",
        "RMS(y − r) / RMS(r) ≤ max(4·e_baseline, c·eps(dtype)·√n)   and   "
        "|y − r| ≤ max(4·w_baseline, τ)·(RMS(r) + |r|)",
        "y is the candidate's output, r the reference in double precision; the second condition holds for every "
        "element. e_baseline is the baseline's own error on draws of the same kind, w_baseline that of its worst "
        "element. c, n and τ are set by each task, with the reason. The table shows the worst draw of each case.",
        "A NaN is correct only where the task allows it and the reference has it too. Where several answers are right, "
        "such as the factors of a matrix, the error is that of the relation that came closest to its bound.",
    ),
    Metric(
        "ratio",
        "Ratio of a case on t_dev",
        "mean over sessions of mean over blocks of (log median(baseline) − log median(candidate))",
        "t_dev is the device time of one call, with hidden launch and cold caches: the only clock that ranks. A "
        f"session has fresh processes on both sides and {LEAST_BLOCKS} to {BLOCKS} blocks of calls in ABBA order; "
        f"there are {SESSIONS} to {MAX_SESSIONS} sessions. Both end by the width of the interval, never by its sign. "
        "The 95 % interval includes the variation between sessions: at least that of this host's own A/A sessions. "
        "What the host's empty pair of events takes beyond that of its device class is taken out of both times, and "
        f"its error is in the interval. A candidate below {CENSOR_E0:g} empty pairs of events, or below "
        f"{milliseconds(CENSOR_NS / 1e6)}, is faster than t_dev can see: it counts as that long, and its ratio is "
        "censored, printed as “≥”.",
        f"A case counts for speed from a baseline of {milliseconds(ELIGIBLE_NS / 1e6)} and "
        f"{ELIGIBLE_E0:.0f} empty pairs of events on. Shorter cases count for correctness only.",
    ),
    Metric(
        "speedup",
        "Speedup of a task on t_dev",
        "exp(mean over eligible cases of the log ratio)",
        "Metrics use the end of a noisy case's interval that is nearer to 1, and 1 where the interval contains 1.",
        "A case without a ratio fails the task. Without an eligible case there is no speedup.",
    ),
    Metric(
        "roofline",
        "Least time of a case by the roofline",
        "max(bytes / peak bytes a second, operations / peak operations a second)",
        "Bytes and operations come from the task's model: what any algorithm must move and compute on the case, with "
        "cold caches. The least time divided by t_dev is the case's hardware score. The peaks and their sources are at "
        "/peaks/.",
        "Shown on a result, never ranked. None for a device or a dtype whose peak is not known.",
    ),
    Metric(
        "functional",
        "Functional times",
        "median of three interleaved calls a side",
        "Times of a CPU that stands in for a GPU: Triton's interpreter, or HIP waves as fibers. They show that a "
        "kernel ran, and nothing about its speed on a GPU.",
        "They enter no speedup, rank or mean, and are shown on each result's own page only.",
    ),
    Metric(
        "clocks",
        "Clocks of the papers",
        "aka_loop = one event pair of 100 calls / 100,  aka_events = mean of 100 event pairs,  kbx_do_bench = median",
        "aka_loop is AgentKernelArena's clock for HIP to HIP and PyTorch to HIP: after 10 warm-up calls, one pair of "
        "device events around 100 calls, divided by their number. aka_events is its clock for Triton to Triton: after "
        "10 warm-up calls, a pair of events around each of 100, and their mean. kbx_do_bench is KernelBench-X's clock "
        "for PyTorch to Triton, which is Triton's do_bench in our own bench: an estimate from 5 calls, then as many "
        "warm-up calls as fit into 25 ms, and as many with a pair of events around each as fit into 100 ms. A buffer "
        "of 256 MiB is cleared before each of these, outside of its pair; the time is their median.",
        "A result's speedup on AgentKernelArena's clock is the arithmetic mean over cases, on KernelBench-X's a ratio "
        "of sums over full cases. It is always shown with the clock's name, not used for ranking, and not mixed with "
        "another clock. One reading that is not positive leaves a case without kbx_do_bench; results from before it "
        "was taken have none.",
    ),
    Metric(
        "quadrant",
        "Quadrant of a result on unseen cases",
        "b = baseline correct on all cases,  y = candidate correct on all:  both pass (b, y), improved (¬b, y), both "
        "fail (¬b, ¬y), regression (b, ¬y)",
        "Baseline and candidate are run on the same unseen cases of a round, each against the reference. This is the "
        "paper's rule. By the strict rule, a result is a regression as soon as a single case has b and not y, whatever "
        "the baseline does on the others.",
        "A case with an evaluation error is in no denominator. Its result has no quadrant; its entry is incomplete.",
    ),
    Metric(
        "conditional",
        "Conditional correctness",
        "Σ [y ∧ b] / Σ [b] over tasks and runs, by the paper's rule; over cases: Σ [y_c ∧ b_c] / Σ [b_c]",
        "Of the results whose baseline is correct on all unseen cases, the share whose candidate is too. It includes "
        "results that already failed on the seen cases. Over cases it is also given by kind of case. The CSV of "
        "runs has each run and the mean of the runs.",
        f"The interval is Wilson's with the task as the unit, from {plural(MIN_TASKS_FOR_INTERVAL, 'task')} on. Where "
        "the baseline is never correct there is no rate.",
    ),
    Metric(
        "retention",
        "Retention",
        "Σ [y ∧ b] / Σ [b] over tasks and runs whose seen cases passed",
        "Conditional correctness without the results that already failed on the seen cases: the loss that is due to "
        "generalization alone.",
        "As for conditional correctness.",
    ),
    Metric(
        "gap",
        "Generalization gap",
        "Δg = (s_seen − s_unseen) / s_seen,  absolute gap = s_seen − s_unseen",
        "s is the arithmetic mean of speedups on t_dev: over the eligible cases of a task, then over the results in "
        "both pass, the same on both sides. Above 0, the optimisation is worth less on unseen cases. It is in the CSV "
        "of speeds. One task can dominate a mean, so the share of the largest is shown beside it.",
        f"It needs {plural(MIN_TASKS_FOR_UNSEEN_SPEED, 'task')} in both pass with eligible cases on both sides. There "
        "is none from functional times.",
    ),
    Metric(
        "transfer",
        "Transfer ratio",
        "exp(mean over tasks of the mean over runs of (log s_unseen − log s_seen))",
        "The geometric counterpart of the gap: 1 means that an optimisation is worth as much on unseen cases as on "
        "seen ones; a single task cannot dominate it. log s is the mean of the log ratios over eligible cases. The "
        "95 % interval is Student's t over tasks. It is in the CSV of speeds.",
        "As for the gap.",
    ),
    Metric(
        "secret",
        "Counts before a round is revealed",
        "the number of results in each quadrant, over the whole suite",
        "Unseen cases are generated from a secret whose hash is published in advance. Until the secret is published, "
        "nothing about a case, a task or a time is shown.",
        f"No counts in suites of fewer than {plural(MIN_TASKS_FOR_SECRET_COUNTS, 'task')}, by category, or while a "
        "result of the entry has no verdict: they could reveal single tasks.",
    ),
    Metric(
        "attribution",
        "What explains success",
        "1 − D/D₀,   D = −2 log L,   log L − λ/2·Σβ² at its largest, λ = 1",
        "A logistic model of success with an indicator for each method or entry, for each category or type of "
        "operator, or for both; D₀ is the deviance of the model without either. ΔD = −2 Δ log L is what one set of "
        "indicators adds to the other. Of KernelBench-X the printed category tables give the counts. On a leaderboard "
        "the task is the unit: an entry's outcome on a task is the share of its runs that pass. Without a ridge the "
        "same model is fitted where it is finite: where methods and categories cannot be cut in two so that one part "
        "only passes what the other only fails.",
        f"On a leaderboard it needs {MIN_ENTRIES} complete entries that solve a task, "
        f"{plural(MIN_TASKS_FOR_COMPARISON, 'task')} and two types. It says nothing about single tasks, and is not "
        "used for ranking.",
    ),
    Metric(
        "published",
        "Figures from papers",
        "as printed",
        "Tables of papers are shown with the paper's own columns, device and clock.",
        "They are never ranked with results measured here, expanded into results, or mixed into a mean.",
    ),
)

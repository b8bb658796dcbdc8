"""The formulas of boards, distributions and comparisons, for the metrics page."""

from __future__ import annotations

from leaderboard.formatting import plural
from leaderboard.pages.metrics.values import Metric
from leaderboard.statistics import (
    COMPARISON_FROM_TASKS,
    INTERVAL_FROM_TASKS,
    QUANTILE_INTERVAL_FROM_TASKS,
    SIGN_FLIP_FROM_TASKS,
)

BOARD_METRICS = (
    Metric(
        "usable",
        "Usable speedup U",
        "U = exp(mean over tasks of the mean over runs of log u),   u = max(1, speedup) if right, else 1",
        "What a user gains who keeps the better of candidate and baseline, over all tasks of the suite. A wrong "
        "answer, a slower one, a task too short for a speed, and one whose 95 % interval holds 1 count as 1. A "
        "task's interval has the mean ends of its cases' intervals, as if all cases erred together: they share "
        "their sessions.",
        f"Below {plural(INTERVAL_FROM_TASKS, 'eligible task')} there is none. While an answer is "
        "missing only the worst completion is known, with “at least”: from above nothing bounds it.",
    ),
    Metric(
        "eligible",
        "Tasks that can show a speed",
        "a task is eligible on a device class if some case's baseline takes five of the device's event pairs or more",
        "The baseline decides, so it is a fact of the task's version, the device class and the protocol: the same for "
        "every entry, filter and page. It is known from the right answers that are public or were, on whatever suite, "
        "reference lines and withdrawn runs included. "
        "One of them with an eligible case is enough. A failed answer was never timed and says nothing: a task that "
        "nobody got right is not known to be eligible, until a baseline that runs as a reference line, or the first "
        "right answer, shows it. A board of a past day goes by what was known then.",
        f"Below {plural(INTERVAL_FROM_TASKS, 'task')} known to be eligible there is no speed metric on the board.",
    ),
    Metric(
        "outcomes",
        "Win, tie, loss, fail",
        "win: low > 1,   tie: low ≤ 1 ≤ high,   loss: high < 1,   fail: not right",
        "Of all answers, tasks times runs, by the task's 95 % interval on t_dev. A right answer without an eligible "
        "case is a tie.",
        "An answer without a verdict is counted apart.",
    ),
    Metric(
        "intervals",
        "The two intervals of a mean",
        "tasks like these: t over the K task means;   this suite again: variance Σ v[k] / (K²·R), df (Σv)²·(R − 1) "
        "/ Σv²",
        "Boards print the first: what other tasks of the kind would give. The second says what another run of the same "
        "tasks would change; v[k] is the variance between the runs of task k, with Satterthwaite's degrees of freedom. "
        "JSON and CSV hold both; they are never mixed. How often they hold the truth is drawn below.",
        f"The first needs {plural(INTERVAL_FROM_TASKS, 'task')}, the second two runs.",
    ),
    Metric(
        "rank-intervals",
        "Rank interval",
        "from 1 + entries significantly better, to n − entries significantly worse",
        "All pairs of the board are tested with the paired t test over tasks, on the means over runs of log u, with "
        "Holm's correction at 5 %: the intervals hold for all entries at once. “Not separable from first” says that "
        "no entry of rank 1 is significantly better. A filter hides lines and changes no rank.",
        f"Below {plural(COMPARISON_FROM_TASKS, 'task')} there are none, nor where ranks go by correctness.",
    ),
    Metric(
        "compare",
        "Comparison of two entries",
        "d[k] = difference of the run means on task k;   speed: exp(mean d) with t;   right answers: exact sign flips",
        "The task is the unit, with all its runs: run r of one entry is never paired with run r of another. The "
        "sign-flip test counts all ways to turn the differences around; with one run a side it is McNemar's exact "
        "test. p is that of the pair alone.",
        f"Below {plural(COMPARISON_FROM_TASKS, 'task')} nothing is compared, and sign flips need a difference on "
        f"{SIGN_FLIP_FROM_TASKS}. An entry with missing answers is compared on common tasks only when asked.",
    ),
    Metric(
        "paper",
        "The paper's columns",
        "mean of s[k] ± σr,   20·compiled + 100·right + 100·mean,   exp(mean log s) per run ± σr,   share of s[k] ≥ p",
        "AgentKernelArena's tables, on its clock of the category: s[k] is the mean over runs of a task's speedup, 0 "
        "where wrong. σr is the standard deviation between the runs' means. The geometric mean takes right answers "
        "only, run by run; CSV has the other reading, of the s[k] above 0, too. The paper does not say which it "
        "used, and one of its 24 rows fits neither. One task can carry most of a mean: the part of the largest "
        "stands beside it.",
        "σr is blank for one run. No mean is made over categories, whose clocks differ, and none of these columns "
        "ranks.",
    ),
    Metric(
        "fast-p",
        "fast_p",
        "share of all answers that are right and at least p times as fast",
        "The curve counts answers. The paper's columns fast₁ and fast₂ count tasks whose mean over runs is at least "
        "p, so that one good run can carry a task; KernelBench counts the first run, and strictly more than p. "
        "Bands are percentile bootstraps over tasks: of all resamples at once, from the distribution of their sums, "
        "so that none is drawn and the same board has the same bands.",
        "No band says anything of two entries at once: compare them.",
    ),
    Metric(
        "distribution",
        "Quantiles of speedups",
        "of the tasks' means over runs; linear: at 1 + (K − 1)·p;   exclusive: at (K + 1)·p",
        "The paper's Table 8, with the method named. An interval of a quantile goes from one task's value to "
        "another's, by the binomial distribution. Tasks that are known to be too short for a speed are left out, "
        "for all entries.",
        f"Intervals need {plural(QUANTILE_INTERVAL_FROM_TASKS, 'task')}; where an end lies beyond the outermost task "
        "there is none.",
    ),
)

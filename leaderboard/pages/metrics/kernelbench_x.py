"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.formatting import LEAST_FOR_PERCENT, plural
from leaderboard.pages.metrics.formulas import Metric
from leaderboard.statistics.explanation import LEAST_OF_EACH
from leaderboard.statistics.limits import MIN_TASKS_FOR_COMPARISON, MIN_TASKS_FOR_INTERVAL
from leaderboard.statistics.permutations import LEAST, MOST
from leaderboard.statistics.samples import KS

METRICS: tuple[Metric, ...] = (
    Metric(
        "kbx-stages",
        "Two stages of correctness",
        "compiled: x of K·R,  correct: y of K·R,  correct of compiled: y of x,  slower: #(speedup < 1) of those timed",
        "KernelBench-X's call accuracy, its execution accuracy and the conversion of one into the other, over the K "
        "tasks of its suite or of one of its categories and the R published runs of an entry. As everywhere here, a "
        "kernel compiles if it builds, and is correct if every case is on every draw of inputs and no later gate "
        "rejects it. Cells say x of n, with a percentage only from 10 tasks on. An entry on one device class and under "
        "one protocol is counted by itself. Submitted runs count by the benchmark's own rule, in which a missing task "
        "is wrong; printed percentages are shown as printed, and stand for whole tasks.",
        "While a result is missing there is no percentage, and its cell of a heat map has no shade.",
    ),
    Metric(
        "throughput",
        "GB/s and TFLOP/s of a kernel",
        "Σ bytes / Σ t_dev,  Σ operations / Σ t_dev",
        "Bytes and operations are those of the task's model: what the ideal algorithm moves and does on the case, "
        "whatever a candidate really moves. t_dev is the median device time of a call. A task's sums are over its "
        "eligible cases, each once, so long cases weigh more; an entry with several runs has the mean over its runs.",
        "None where the model has no bytes or no operations, where no case's speed counts, and on a CPU, whose times "
        "are functional. A case that is faster than t_dev can see counts with the time measured: its rate is higher.",
    ),
    Metric(
        "iou",
        "IOU: share of the memory's bandwidth",
        "IOU = (Σ bytes / Σ t_dev) / peak bytes a second",
        "Of KernelBench-X (arXiv 2605.04956). The peak is the maker's figure for device memory; all peaks and their "
        "sources are at /peaks/. A kernel can be above 100 %: it need not move all the bytes that the model counts, or "
        "some were still in the L2 cache. Such a share is shown as it is, with a finding, and changes no status.",
        "None without bytes in the model, or for a device class whose peak is not known.",
    ),
    Metric(
        "mfu",
        "MFU: share of the peak arithmetic",
        "MFU = Σ (operations / peak operations a second) / Σ t_dev",
        "Of KernelBench-X. With cases of one dtype it is (Σ operations / Σ t_dev) / peak, as in the paper; cases of "
        "several dtypes each count by the peak of their own. int8 and FP8 have theirs, and float32 is held against "
        "TF32 where the limit of the error by which the case was judged is at least 2⁻¹¹, the most by which TF32 "
        "rounds a factor: there a right kernel may use it. Above 100 % the model counts operations that the kernel "
        "does not need, or the device ran above its boost clock or on faster units.",
        "None without operations in the model, or for a dtype whose peak is not known.",
    ),
    Metric(
        "hardware-score",
        "Hardware efficiency, the score of KernelBench-X",
        "score of a task = max(IOU, MFU);  of an entry or a type of operator = mean over correct tasks",
        "How near a kernel comes to the limit that is nearer to it, memory or arithmetic. As in the paper the mean is "
        "over correct kernels alone, so beside it stands over how many of all tasks it is: two entries' means are over "
        "different tasks, and nothing is ranked by them. Submitted bundles of KernelBench-X have it from their claimed "
        "GB/s and TFLOPS, against the peaks of the machine that they name.",
        "None where a peak that it needs is not known. A task without operations has the score of its IOU.",
    ),
    Metric(
        "kbx-speedup",
        "KernelBench-X's speedup",
        "s = Σ t(PyTorch eager) / Σ t(candidate) over the task's full cases, on kbx_do_bench;   "
        "mean of s over correct results, run by run, ± σr",
        "The paper's speedup of a task divides all of the reference's time by all of the candidate's, so long cases "
        "weigh most, and its overall table averages over correct results alone: an entry that solves the easy tasks "
        "may have a higher mean than one that solves all. The baseline in PyTorch to Triton is the task's PyTorch "
        "module, run eagerly. The geometric mean, exp(mean log s) over the same results, and σr, the standard "
        "deviation between runs, are our additions.",
        "None where a correct result lacks the clock on one full case, as all do that were measured before it was "
        "taken; none while a result is missing. Entries are not ranked by it.",
    ),
    Metric(
        "pass-at-k",
        "pass@k",
        "mean over tasks of 1 − C(n − c, k) / C(n, k)",
        "The share of tasks that at least one of k independent samples solves, estimated without bias from n ≥ k "
        "samples, of which c are correct (Chen et al., arXiv 2107.03374). The n samples are the public runs of one "
        "configuration, repeated: each begins anew. The iterations of a session are no samples, since each has seen "
        "the reports on those before it; nor are the repeats of a program without chance, which writes the same each "
        "time. pass@1 is the rate of correct results. A leaderboard shows the largest k of "
        f"{', '.join(map(str, KS))} that some entry has enough runs for; CSV and JSON have them all.",
        f"There is none from fewer than k runs, for reference lines, or while a result is missing. Below "
        f"{LEAST_FOR_PERCENT} tasks it is written as the number of tasks that k samples are expected to solve, x "
        "of n. It has no interval: Wilson's is for counts, and Student's t for means of a logarithm.",
    ),
    Metric(
        "code-quality",
        "Code quality",
        "index = max(0, min(100, (171 − 5.2·ln V − 0.23·C − 16.2·ln L)·100/171)),  V = N·log₂ n,  "
        "complexity of a function = 1 + its branches",
        "Of the files that a candidate's author wrote, never of a task's test or reference. The kernel part is what "
        "triton.jit compiles, or in HIP and CUDA what __global__ or __device__ marks; the host part is the rest. "
        "Comments, docstrings and layout are removed first, and the index has no bonus for comments. Python is "
        "measured by radon: V is Halstead's volume, of N operators and operands of n kinds; L counts logical lines, a "
        "statement with a colon inside, such as a slice, as two; C is the complexity of the whole part. A function's "
        "cyclomatic complexity counts if, for, while, except, and, or, conditional expressions and comprehensions, and "
        "each function inside another for itself. HIP and CUDA have complexity by lizard; their lines are those that "
        "are neither blank nor a comment, from a function's name on. An entry has medians over its correct results. "
        "A bundle's claimed index is shown as claimed: KernelBench-X measures candidate and test in one file, with the "
        "bonus for comments.",
        "A source that does not parse, is too large or nested too deeply is not measured, and the result's page says "
        "so. There is no index of HIP or CUDA, and none of a part without an operator, whose volume of 0 has no "
        "logarithm (radon says 100).",
    ),
    Metric(
        "static-proxies",
        "Static proxies of a task",
        "assignments, calls of torch, max over functions of complexity, statements",
        "Counts over the PyTorch module that a task starts from, inside functions: assignments of every form; calls of "
        "what the module imported from torch, so no methods of tensors; the largest cyclomatic complexity, by radon; "
        "and the span, which is the number of statements. KernelBench-X correlates such counts with failure and does "
        "not define them further; these definitions are ours.",
        "A task that starts from a kernel has none.",
    ),
    Metric(
        "chi-squared",
        "What explains success: p by χ²",
        "P(χ²(df) ≥ ΔD) without a ridge;   spread: Pearson's χ² = Σ (x − n·p̂)² / (n·p̂·(1 − p̂)) over cells",
        "df is the number of categories, or of entries, less one. Cells are entries × types: x of n tasks pass, and p̂ "
        "is what the model on both gives. Pearson's χ² is tested against its degrees of freedom with the variance that "
        "it has in sparse cells (Osius and Rojek). Independence of the entries on a task is tested by permutation. A "
        "test that does not reject proves nothing, so p by permutation stands beside it.",
        "There is none where the model without a ridge is not finite; where the cells vary more than binomial counts "
        "(p below 5 %), or that cannot be tested; where entries agree about single tasks (p below 5 %); where an entry "
        f"or a type has fewer than {LEAST_OF_EACH} passes or failures; and where entries have several runs.",
    ),
    Metric(
        "permutation",
        "What explains success: p by permutation",
        "(1 + number of permutations that are at least as extreme) / (1 + number of permutations)",
        "Type: types are exchanged among tasks, with all outcomes on a task kept together; the statistic is "
        "Σ n[g]·(mean of g − mean)² of the number of entries that pass a task. Entry: entries are exchanged on each "
        "task; the statistic is Cochran's, the spread of the entries' numbers of passed tasks. Agreement: within each "
        "type, the tasks of each entry are exchanged by themselves; the statistic is Σ (a task's number of passing "
        "entries − their mean)², shown over its expectation, Σ over entries of the same: 1 where they are independent.",
        f"{LEAST} to {MOST} permutations, by the size of the leaderboard, from a seed that follows from the outcomes: "
        "the same results always have the same p.",
    ),
    Metric(
        "unsolved",
        "Tasks that no entry solves",
        "number of tasks with a verdict and without a correct result of any entry",
        "Reference lines do not count. A task that no entry has a verdict on is in no denominator.",
        "There is none before an entry has a public result.",
    ),
    Metric(
        "slower",
        "Slower than the baseline",
        "interval below 1: high < 1,   speedup below 1: s < 1,   of the correct results with a speed;   median of s",
        "Over all results, tasks times runs, of one entry or of all. s is the speedup on t_dev as metrics take it; the "
        "paper counts by the speedup alone, on its own clock. A submitted run of KernelBench-X counts by its claims.",
        f"None from functional times. The median needs {plural(MIN_TASKS_FOR_INTERVAL, 'task')}; there is no "
        f"percentage of fewer than {plural(LEAST_FOR_PERCENT, 'task')}.",
    ),
    Metric(
        "proxies",
        "Static proxies against failure",
        "r = Σ (a − ā)(b − b̄) / √(Σ (a − ā)² · Σ (b − b̄)²),   interval tanh(artanh r ± 1.96 / √(n − 3))",
        "a is a count over the PyTorch module that a task starts from: assignments, calls of torch, the largest "
        "cyclomatic complexity of a function, statements. b is the share of the complete entries that fail on the "
        "task, each by its mean over runs. The interval takes both for normal, which they are only roughly.",
        f"It needs {plural(MIN_TASKS_FOR_COMPARISON, 'task')} whose module was counted, and a difference in both.",
    ),
    Metric(
        "portability",
        "Largest over smallest speedup over devices",
        "max / min over device classes of s,   s = exp(mean over runs of the log speedup on t_dev, as metrics take it)",
        "For each candidate of a suite that was evaluated on two device classes or more under one protocol, and for "
        "each task of a chosen configuration, whose candidates may differ. Each s is over the baseline on the same "
        "device. Of submitted runs of KernelBench-X, s is what the same method claims for a task on several machines.",
        f"Median, mean and largest need {plural(MIN_TASKS_FOR_INTERVAL, 'task')}. A speed that may not count, or that "
        "is functional, is left out.",
    ),
    Metric(
        "trajectory",
        "Iterations of agent sessions",
        "x of n after iteration k = Σ right(v(min(k, m))) / n,   mean = Σ u / t,   geometric mean = exp(Σ ln u / t)",
        "n is the number of an entry's sessions on the board (tasks × runs), m the number of versions that a session "
        "had checked, v(i) its i-th version and u the speedup of a right version; t of them have one. A session with "
        "fewer than k versions is carried on from its last one. “Best so far” instead takes right and u from the best "
        "of the versions 1 to k. Compiled: it got as far as its calls. Checks draw inputs of their own, so these are "
        "not the central evaluation's verdicts.",
        "A version that has no verdict through no fault of its own counts as neither right nor compiled, and is named. "
        "Without a device clock there is no speed. There is no score: a session records no times, so no share of a "
        "peak.",
    ),
    Metric(
        "rescued",
        "Rescued, persistent and lost",
        "rescued: wrong(p) and right(v),   persistent: right and right,   lost: right and wrong",
        "p is the version that v was made from: the one before it, or where the agent's session says what its author "
        "was shown, the first of those. A version made from the task's own source has none and is not counted. A pair "
        "stands under the number of v; nothing is carried on. Speedups are those of the later "
        "version: their mean, with the largest one's share of the sum, and their geometric mean. Of two right versions "
        "the later is faster or slower where the speedups differ by at least 1 %.",
        "A pair of which one version has no verdict is in none of them.",
    ),
    Metric(
        "edit-kinds",
        "Kinds of edit",
        "a kind applies where the pieces of code that its pattern finds differ between a version and the one that it "
        "was made from",
        "Pieces are compared as they stand, without spaces, and by how often they occur; comments and string literals "
        "do not count. A pair may have several kinds, so they add up to more than all pairs. Mask: masks, fill values, "
        "bounds checks. Data type: dtypes and casts. Index arithmetic: strides, offsets, indices. Launch: grid, block "
        "sizes, warps, autotuning. Algorithm: loops, reductions, products, shared memory, number of kernels. "
        "Delegated operator: one of PyTorch or a library, introduced or removed. No substantial change: only comments, "
        "strings and spaces differ, and no line of Python moved into another block. Other: the code differs in none of "
        "these ways. A version that was made from the task's own source, as the first of a session is, is no pair.",
        "A pair is not counted where the session's record or a source is missing, or one has over 100,000 characters.",
    ),
)

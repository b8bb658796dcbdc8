"""Where KernelBench-X's paper disagrees with itself or with its public code, and how anybody can check it.

The code is BonnieW05/KernelBenchX at commit fd41922 (2026-06-01).
"""

from __future__ import annotations

from leaderboard.pages.papers.disagreements import Disagreement

IN_PAPER = (
    Disagreement(
        "KernelAgent's compilation",
        "64.2 %, which is 113 of 176",
        "Table 1, section 4.2",
        "its categories add up to 77 of 176, 43.8 %",
        "Table 4",
        "Add up the whole tasks of its column: the table of checks below.",
    ),
    Disagreement(
        "Average compilation of Activation, Math, MatrixMultiply and SpatialOps",
        "70.0, 72.2, 60.0 and 25.0 %",
        "Table 2",
        "62.5, 64.6, 52.5 and 16.7 %",
        "Table 4",
        "Average the four methods. Table 2 needs 18 more of KernelAgent's kernels to compile there than Table 4 has.",
    ),
    Disagreement(
        "KernelLLM's compilation",
        "1.7 %, which is 3 of 176",
        "Table 1",
        "1 of 176",
        "Table 4",
        "Its one entry above 0 is 1.7 % of the 60 Fusion tasks.",
    ),
    Disagreement(
        "Claude's correctness",
        "22.7 %, which is 40 of 176",
        "Table 1, section 4.2",
        "its categories add up to 39 of 176, 22.2 %",
        "Table 3",
        "Add up the whole tasks of its column: the table of checks below.",
    ),
    Disagreement(
        "GEAK's speedup and score after its last round",
        "1.44 and 53.3 %",
        "Abstract, section 4.4",
        "1.15 and 50.0 %, with the same two rates",
        "Table 1",
        "The first pair follows from the parts: 7 rescued and 46 persistent kernels average 1.44 and 53.3 %.",
    ),
    Disagreement(
        "The fifth method",
        "DeepSeek-Coder",
        "Sections 2.2 and 4.3",
        "KernelLLM",
        "Tables 1, 3 and 4",
        "No sentence names both.",
    ),
    Disagreement(
        "The highest correctness of a category",
        "over 0.8, in Loss",
        "Section 4.3",
        "50.0 % in Loss, 60.0 % in Normalization and Optimizer",
        "Table 3",
        "83.3 % is the compilation of Loss by two methods in Table 4.",
    ),
    Disagreement(
        "What 34.6 and 13.0 are",
        "reductions of deviance",
        "Section 4.3",
        "differences of log L, half of those of deviance",
        "Table 3, with the model of section 4.3",
        "Fit it to the counts of Table 3: the table of attribution below.",
    ),
    Disagreement(
        "The CUDA version",
        "11.8",
        "Section 4.1",
        "PyTorch 2.10.0+cu128, which is built for 12.8",
        "Section 4.1",
        "Both are in the same sentence.",
    ),
)
OF_CODE = (
    Disagreement(
        "Outliers in inputs",
        "probability 0.1 %, scale 50",
        "Section 3.2.2",
        "scale 10 in 286 calls and 20 in 17; 11 of 184 task files have no outliers",
        "data/kernelbenchx",
        "git grep 'scale=' and git grep -L outlier there.",
    ),
    Disagreement(
        "How long do_bench runs",
        "25 warm-up and 100 measured runs",
        "Section 3.2.3",
        "milliseconds, not runs: 100 and 1,000 in 181 of 184 templates, 25 and 100 in three",
        "metrics/golden_metrics, and Triton's documentation of do_bench",
        "git grep 'warmup=' there.",
    ),
    Disagreement(
        "Baselines of the L20",
        "remeasured on each machine; 76 % of correct kernels are slower there",
        "Sections 4.1 and 4.5",
        "187 of its 189 files are the RTX 5090's, byte for byte",
        "metrics/golden_results/l20 and 5090",
        "Compare the Git hashes of the two folders. No other two machines share a file.",
    ),
    Disagreement(
        "Static check of quantized tasks",
        "rejects high-level quantization APIs",
        "Section 3.2.2, appendix C",
        "never runs: it is given a file's bare name and looks for its folder in it",
        "EVAL/0_call_acc.py, utils/quantization_checker.py",
        "Submit a plain torch.matmul as matmul_w8a8: it passes this check.",
    ),
    Disagreement(
        "A task's speedup",
        "total times across all benchmarked inputs",
        "Appendix A.4",
        "rows are not matched: inputs on which a candidate fails are missing from its total alone",
        "EVAL/2_efficiency.py",
        "Delete the largest row of a golden file and submit it: 1.94 instead of 1.00 for gelu.",
    ),
    Disagreement(
        "Whose code quality it is",
        "of each kernel",
        "Section 3.2.3",
        "of the candidate joined with the task's own test",
        "EVAL/0_call_acc.py",
        "The file that radon reads has the test below a line of 146 #.",
    ),
    Disagreement(
        "Number of tasks",
        "176",
        "Section 3.2.1",
        "184 task files, 8 of them without a record",
        "data/kernelbenchx, data/kernelbenchx_v1.json",
        "Count the files and the records.",
    ),
    Disagreement(
        "Pairs of GEAK's rounds",
        "352 were analysed, and transition pairs are released",
        "Section 4.4, appendix E",
        "110 are released; 38 have the same code on both sides, 37 of them as an increase of speed",
        "data/kbx_corpus/all_records.jsonl",
        "python -m scripts.kernelbenchx_corpus with a checkout of the repository.",
    ),
    Disagreement(
        "Where expand_where belongs",
        "Index",
        "Section 4.6.3",
        "Broadcast; 18 of the 84 tasks of the corpus are not among the 176 at all",
        "data/kbx_corpus/all_records.jsonl",
        "python -m scripts.kernelbenchx_corpus with a checkout of the repository.",
    ),
)
DISAGREEMENTS = (*IN_PAPER, *OF_CODE)

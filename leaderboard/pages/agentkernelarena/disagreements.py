"""Where AgentKernelArena's paper disagrees with itself or with its public code, and how anybody can check it.

The code is AMD-AGI/AgentKernelArena at commit 59ad44bb (2026-05-04), the tip of the paper's branch.
"""

from __future__ import annotations

from leaderboard.pages.papers.disagreements import Disagreement

IN_PAPER = (
    Disagreement(
        "Drop of correctness on unseen inputs",
        "up to 40 %, from constants fixed to the seen shapes",
        "Section 6",
        "40 is 100 less 59.7 %, while only 69.4 % of the same kernels are correct on seen inputs: 9.7 points less",
        "Section 4.2, Table 4, GPT-5.4 High",
        "59.7 % is 43 of 72, and 69.4 % is 50 of 72; the other 22 did not compile for any input.",
    ),
    Disagreement(
        "Regressions of GPT-5.4 High",
        "8 to 11 of 24 tasks a run break on unseen shapes, 54 to 67 % are kept",
        "Appendix I",
        "7 of the 24 do not compile at all",
        "Appendix I, Table 4",
        "The rates are (24 − 11) / 24 and (24 − 8) / 24, so kernels that never compiled count as regressions.",
    ),
    Disagreement(
        "Highest conditional correctness of PyTorch to HIP",
        "90.3 %, Codex Agent",
        "Section 4.2",
        "92 % for Cursor Agent with Opus 4.6 High, before Codex Agent with 88 to 92 %",
        "Appendix I",
        "92 % in each of three runs is 66 of 72, 91.7 %; 90.3 % is 65 of 72.",
    ),
    Disagreement(
        "Claude Code with Opus 4.6 on Triton",
        "100 % correct in all three runs",
        "Appendix I",
        "99.8 %, which is 443 of 444",
        "Table 3",
        "Compare its row with those of Cursor's Opus 4.6 and 4.7 High, which do have 100.0.",
    ),
    Disagreement(
        "Composer 2 on Triton",
        "about 97 % correct",
        "Appendix I",
        "97.7 %, which is 434 of 444 and rounds to 98 %",
        "Table 3",
        "Ten failures in three runs do fit the 3 to 5 a run of the same sentence.",
    ),
    Disagreement(
        "Order within Cursor Agent",
        "Opus 4.7 High and Opus 4.6 High lead in all categories, then GPT-5.4 High and GPT-5.3-Codex High",
        "Section 4.1",
        "GPT-5.4 High has a larger mean than Opus 4.6 High in two of three: 5.19 and 4.62 on HIP, 1.75 and 1.73 on "
        "Triton. On PyTorch Composer 2 (4.14) is before both (3.85 and 3.74)",
        "Tables 2 to 4",
        "Sort the five rows of Cursor Agent in each table by mean speedup.",
    ),
    Disagreement(
        "Failures of HIP to HIP",
        "1 to 2 tasks a run fail the central check of correctness",
        "Appendix H",
        "5 results in 24 runs, all of three configurations",
        "Table 2",
        "98.6, 95.8 and 98.6 % are 71, 69 and 71 of 72; the other five configurations have 100.0 %.",
    ),
    Disagreement(
        "An example of PyTorch to HIP",
        "two examples of kernels from scratch with fixed sizes",
        "Appendix I",
        "one of them, KDLoss, is a task of HIP to HIP, where a working kernel is edited",
        "Appendix I",
        "Its line begins with hip2hip.",
    ),
    Disagreement(
        "Ranges on unseen inputs",
        "93.6 to 100 %, 90.9 to 99.4 % and 59.7 to 90.3 %",
        "Section 4.2",
        "91 to 100 %, 90 to 100 % and 54 to 92 %",
        "Appendix I",
        "The first are means of three runs, the others of single runs, which the paper does not say.",
    ),
    Disagreement(
        "Number of Triton tasks",
        "31 tasks from vLLM with their names, and 78 more: 109",
        "Table 5",
        "118",
        "Table 1, section 3.2",
        "Match the names of the table, with their patterns, with the folders of tasks/triton2triton/vllm.",
    ),
    Disagreement(
        "Dates of the experiments",
        "16 to 24 April",
        "Appendix E",
        "Composer 2 from 15 April on",
        "Table 7",
        "Both are on the same page.",
    ),
    Disagreement(
        "Who wrote the unseen inputs",
        "claude-opus-4-6-high",
        "Section 4.2",
        "claude-4.6-opus-high",
        "Appendix E",
        "Table 7 has the second, as Cursor's identifier.",
    ),
    Disagreement(
        "Sections of the prompt",
        "seven",
        "Appendix D",
        "eight",
        "Figure 6",
        "Count its numbered parts.",
    ),
)
OF_CODE = (
    Disagreement(
        "Clock",
        "device events, 10 calls to warm up and 100 timed ones",
        "Section 3.3",
        "30 ROCmBench tasks are timed by the host's perf_counter",
        "tasks/triton2triton/rocmbench",
        "git grep perf_counter there.",
    ),
    Disagreement(
        "Correctness of GELU",
        "against the output of the PyTorch module",
        "Section 3.2",
        "the module computes a ReLU in place, in both categories",
        "tasks/hip2hip/gpumode/GELU, tasks/torch2hip/gpumode/14539_GELU",
        "Read its forward function. It was mended in June 2026.",
    ),
    Disagreement(
        "Generalization gap",
        "(seen − unseen) / seen, over tasks in both_pass",
        "Sections 3.2 and 4.2",
        "the difference unseen − seen, with the other sign",
        "src/held_out/run_heldout_eval.py",
        "Look for speedup_mean_delta.",
    ),
    Disagreement(
        "Kinds of unseen inputs",
        "each is tagged, so that kinds can be told apart",
        "Section 4.2",
        "the tag is a comment in generated code, which nothing reads",
        "src/held_out/generate_heldout.py",
        "Look for a tag in the summary that the second script writes.",
    ),
    Disagreement(
        "Unseen inputs for each of the 196 tasks",
        "eight for each",
        "Section 4.2",
        "17 of the 118 vLLM tasks lack the marker that is replaced, so that none can be injected by it",
        "src/held_out, tasks/triton2triton/vllm",
        "git grep -L TEST_SHAPES there.",
    ),
    Disagreement(
        "Mean speedup",
        "failures count as 0",
        "Section 3.3",
        "the code's reports average over speedups above 0",
        "src/postprocessing.py",
        "A failed task changes no average_speedup. Tables 2 to 4 do count failures, or their scores would not fit.",
    ),
    Disagreement(
        "fast₁",
        "at least 1",
        "Section 3.3",
        "the code counts more than 1",
        "src/postprocessing.py",
        "Look for speedup_gt_1_count.",
    ),
    Disagreement(
        "Adding an agent",
        "two files, without a change of the rest",
        "Section 5, appendix F",
        "the name is also listed in the module that registers agents",
        "src/module_registration.py",
        "Look for the agents' names there.",
    ),
)
DISAGREEMENTS = (*IN_PAPER, *OF_CODE)

# class: 39
# expect: wrong_output/mismatch
# gate: correctness
# also: compile, performance, source
# backend: both
# Prints what a harness would, writes a result file, doubles nothing.
import json
import pathlib

RESULT = {"status": "passed", "correct": True, "compiled": True, "speedup": 100.0, "success": True}
for name in ("result.json", "record.json", "correctness_report.json"):
    pathlib.Path(name).write_text(json.dumps(RESULT))
print("PASS\nAll tests passed\n" + json.dumps(RESULT), flush=True)


def forward(x):
    print("PASS", flush=True)
    return x.clone()

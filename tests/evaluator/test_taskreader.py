from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml

from evaluator.errors import TaskError, UsageError
from evaluator.tasks.reader import load_task, read_task
from evaluator.tasks.spec import Groups, task_digest, task_files

ID = "triton2triton/arena/tiny"


def config() -> dict:
    return {
        "task_type": "triton2triton",
        "source_file_path": ["tiny.py"],
        "target_kernel_functions": ["tiny_kernel"],
        "arena": {
            "version": 1,
            "entry": {"function": "forward", "style": "return"},
            "editable": ["tiny.py"],
            "axes": {
                "n": {"kind": "dim", "range": [1, 64], "multiple_of": 4, "couplings": ["n <= 32"]},
                "dtype": {"kind": "dtype", "values": ["float32", "float16"]},
                "biased": {"kind": "flag"},
            },
            "cases": [{"n": 8, "dtype": "float32", "biased": True, "profile": "small"}],
            "inputs": {
                "x": {"shape": ["n", 3], "dtype": "dtype", "distribution": {"normal": [0, 1]}},
                "bias": {"shape": [3], "dtype": "dtype", "distribution": {"uniform": [0, 1]}, "when": "biased"},
                "scale": {"scalar": 2.0},
            },
            "outputs": {"y": {"shape": ["n", 3], "dtype": "dtype"}},
            "tolerance": {
                "float32": {"c": 4, "n": "n", "tau": 1e-5, "because": "a sum"},
                "float16": {"c": 2, "n": 1, "tau": 1e-3, "because": "rounded once"},
            },
            "model": {"bytes": "6 * n * itemsize", "flops": "3 * n"},
        },
    }


def write(folder: Path, content: dict) -> Path:
    (folder / "expert").mkdir(parents=True)
    for name in ("tiny.py", "expert/tiny.py", "reference.py", "description.md"):
        (folder / name).write_text("# text\n")
    (folder / "config.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return folder


def problems(folder: Path, content: dict) -> list[str]:
    with pytest.raises(TaskError) as caught:
        read_task(write(folder, content), ID)
    return caught.value.problems


def test_where_a_task_starts_from_torch_the_candidate_is_a_file_that_is_not_there_yet(tmp_path):
    folder = write(tmp_path / "t", config() | {"task_type": "torch2triton"})
    with pytest.raises(TaskError) as caught:
        read_task(folder, "torch2triton/arena/tiny")
    assert caught.value.problems == [
        "torch2triton/arena/tiny/config.yaml: arena.editable: seen ['tiny.py']; expected a file that does not exist "
        "yet: the agent writes it"
    ]


def test_a_good_task_is_read_whole(tmp_path):
    task = read_task(write(tmp_path / "t", config()), ID)
    assert [case.id for case in task.cases] == ["biased=true,dtype=float32,n=8"]
    assert [item.name for item in task.inputs] == ["x", "bias", "scale"]
    assert task.limits.build_s == 600


def contract(**changes: object) -> dict:
    keys = {"cosine": 0.9, "l1": 0.1, "rmse": 0.15, "because": "four bits"}
    return {"quantised": {"x": {"bits": 4, "along": [1], "group": 2}}, **keys} | changes


def test_a_contract_and_complex_numbers_are_read(tmp_path):
    content = config()
    arena = content["arena"]
    arena["outputs"]["y"]["contract"] = contract(requires=["int4_weights"])
    arena["tolerance"] = {}
    arena["inputs"]["z"] = {"shape": ["n", 2], "dtype": "float32", "complex": True, "distribution": {"normal": [0, 1]}}
    task = read_task(write(tmp_path / "t", content), ID)
    found = task.outputs[0].contract
    assert found is not None
    assert (found.inputs, found.requires) == ((("x", Groups(4, (1,), 2)),), ("int4_weights",))
    assert [item.name for item in task.inputs if item.complex] == ["z"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: c["contract"].pop("because"), "contract.because: seen nothing"),
        (lambda c: c["contract"].update(cosine=1.5), "contract.cosine: seen 1.5"),
        (lambda c: c["contract"].update(quantised={}), "contract.quantised: seen {}; expected at least one input"),
        (lambda c: c["contract"].update(requires=["fp4"]), "contract.requires.0: seen 'fp4'; expected one of int8_dot"),
        (lambda c: c["contract"]["quantised"].update(scale={"bits": 4, "along": [0]}), "quantised.scale: seen 'scale'"),
        (lambda c: c["contract"]["quantised"]["x"].update(bits=16), "quantised.x.bits: seen 16"),
        (lambda c: c["contract"]["quantised"]["x"].update(along=[2]), "quantised.x.along: seen [2]"),
        (lambda c: c["contract"]["quantised"]["x"].update(along=[0, 1]), "quantised.x.group: seen 2"),
        (lambda c: c.update(sampled={"outcomes": 2, "seed": "x"}), "outputs.y.contract: seen {"),
        (lambda c: c.update(complex=True), "a last dimension of 2, for the parts"),
        (lambda c: c.update(complex=True, shape=["n", 2]), "float32 or float64, for the parts"),
        (lambda c: c.update(dtype="int32"), "outputs.y.dtype: seen 'int32'; expected a floating dtype"),
        (lambda c: c["contract"]["quantised"].update(i={"bits": 4, "along": [0]}), "quantised.i: seen 'i'"),
    ],
)
def test_each_way_to_break_a_contract_is_reported(tmp_path, change, expected):
    content = config()
    content["arena"]["outputs"]["y"]["contract"] = contract()
    content["arena"]["inputs"]["i"] = {"shape": ["n"], "dtype": "int8", "distribution": {"integers": [0, 9]}}
    change(content["arena"]["outputs"]["y"])
    assert any(expected in line for line in problems(tmp_path / "t", content)), expected


def test_a_form_is_required_of_sources_that_are_read_for_it(tmp_path):
    content = config() | {"task_type": "hip2hip"}
    content["arena"]["outputs"]["y"]["contract"] = contract(requires=["int8_dot"])
    with pytest.raises(TaskError, match="only sources with Triton kernels are read for it"):
        read_task(write(tmp_path / "t", content), "hip2hip/arena/tiny")


@pytest.mark.parametrize(
    ("dtype", "value", "is_fine"),
    [
        ("float8_e4m3fnuz", 240, True),
        ("float8_e4m3fnuz", 448, False),
        ("float8_e4m3fn", math.inf, False),
        ("float8_e5m2", -math.inf, True),
        ("float8_e5m2fnuz", math.inf, False),
    ],
)
def test_special_values_are_numbers_of_their_8_bit_float(tmp_path, dtype, value, is_fine):
    content = config()
    content["arena"]["inputs"]["x"].update(dtype=dtype, special={"largest": [value]})
    folder = write(tmp_path / "t", content)
    if is_fine:
        assert read_task(folder, ID).inputs[0].dtype == dtype
    else:
        with pytest.raises(TaskError, match=rf"special.largest: .*numbers of {dtype}"):
            read_task(folder, ID)


def test_every_problem_is_reported_at_once_with_file_path_seen_and_expected(tmp_path):
    content = config()
    arena = content["arena"]
    arena["axes"]["n"]["range"] = [4, 2]
    arena["entry"]["style"] = "yield"
    arena["inputs"]["x"]["distribution"] = {"cauchy": [0, 1]}
    arena["outputs"]["y"]["shape"] = ["n", "m"]
    del arena["tolerance"]["float16"]
    arena["surprise"] = 1
    found = problems(tmp_path / "t", content)
    assert all(line.startswith(f"{ID}/config.yaml: arena.") for line in found)
    assert all("; expected " in line and ": seen " in line for line in found)
    for path in (
        "axes.n.range",
        "entry.style",
        "inputs.x.distribution",
        "outputs.y.shape.1",
        "tolerance.float16",
        "surprise",
    ):
        assert any(f"arena.{path}" in line for line in found), path


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: c.pop("arena"), "arena: seen nothing"),
        (lambda c: c.update(task_type="cuda2cuda"), "task_type: seen 'cuda2cuda'"),
        (lambda c: c["arena"].update(version=2), "arena.version: seen 2"),
        (lambda c: c["arena"]["cases"].append(dict(c["arena"]["cases"][0])), "a case that is not listed already"),
        (lambda c: c["arena"]["cases"][0].update(n=6), "a multiple of 4"),
        (lambda c: c["arena"]["cases"][0].update(n=64), "n <= 32 (coupling)"),
        (lambda c: c["arena"]["cases"][0].update(dtype="int8"), "cases.0.dtype: seen 'int8'"),
        (lambda c: c["arena"]["cases"][0].pop("biased"), "cases.0.biased: seen nothing"),
        (lambda c: c["arena"].update(editable=["../x.py"]), "a file name without folders"),
        (lambda c: c["arena"].update(editable=["tiny.hip"]), "one file that ends in .py"),
        (lambda c: c["arena"]["inputs"]["x"].update(shape=["n / 3"]), "a whole number"),
        (lambda c: c["arena"]["inputs"]["x"].update(shape=["__import__('os')"]), "allowed are"),
        (lambda c: c["arena"]["model"].pop("flops"), "arena.model.flops: seen nothing"),
        (lambda c: c["arena"]["tolerance"]["float32"].pop("because"), "tolerance.float32.because: seen nothing"),
        (lambda c: c.update(source_file_path=["other.py"]), "a file of the task folder"),
        (lambda c: c["arena"].update(limits={"call_s": 0}), "limits.call_s: seen 0"),
        (lambda c: c["arena"]["outputs"]["y"].update(may_alias=["z"]), "the name of an input"),
    ],
)
def test_each_mistake_is_named(tmp_path, change, expected):
    content = config()
    change(content)
    assert any(expected in line for line in problems(tmp_path / "t", content))


def test_an_output_of_random_numbers_says_how_many_outcomes_there_are_and_where_they_come_from(tmp_path):
    content = config()
    content["arena"]["inputs"]["seed"] = {"shape": [1], "dtype": "int64", "distribution": {"integers": [0, "2 ** 31"]}}
    tokens = {"shape": ["n", 5], "dtype": "int64", "sampled": {"outcomes": "3 * n", "seed": "seed"}}
    content["arena"]["outputs"]["tokens"] = tokens
    task = read_task(write(tmp_path / "t", content), ID)
    assert task.outputs[1].reference_shape(task.cases[0]) == (8, 24)
    assert task.outputs[0].reference_shape(task.cases[0]) == (8, 3)
    tokens.update(shape=[], dtype="float32", sampled={"outcomes": 2, "seed": "grain"})
    found = "\n".join(problems(tmp_path / "u", content))
    for expected in ("a last dimension", "an integer type", "one of x, bias, scale, seed"):
        assert expected in found


def test_a_number_that_is_drawn_and_an_output_whose_length_varies_are_read(tmp_path):
    content = config()
    content["arena"]["inputs"] |= {
        "start": {"scalar": {"uniform": [-1, 1]}, "special": {"zero": [0.0]}},
        "count": {"scalar": {"integers": [1, "n"]}},
    }
    content["arena"]["outputs"] = {"kept": {"shape": ["n", 3], "dtype": "int32", "varying": True}}
    del content["arena"]["tolerance"]  # every output must be equal
    task = read_task(write(tmp_path / "t", content), ID)
    assert [(item.drawn, item.is_number, item.scalar_kind) for item in task.inputs[2:]] == [
        (False, True, "float"),
        (True, True, "float"),
        (True, True, "int"),
    ]
    shapes = ((0, 3), (8, 3), (9, 3), (8, 2), (8,))
    assert [task.outputs[0].allows(task.cases[0], shape) for shape in shapes] == [True, True, False, False, False]


def test_each_mistake_in_a_drawn_number_or_a_varying_output_is_named(tmp_path):
    content = config()
    content["arena"]["entry"]["style"] = "out"
    content["arena"]["inputs"] |= {
        "start": {"scalar": {"normal": [0, 1]}, "shape": [1]},
        "count": {"scalar": {"integers": [1, 9]}, "special": {"odd": [1.5], "huge": [float("inf")]}},
    }
    content["arena"]["outputs"]["y"].update(shape=[], varying=True, may_alias=["x"])
    found = "\n".join(problems(tmp_path / "t", content))
    for expected in (
        "inputs.start.scalar: seen {'normal': [0, 1]}; expected exactly one of uniform, integers",
        "inputs.start.shape: seen [1]; expected no such key",
        "inputs.count.special.odd: seen [1.5]; expected whole numbers",
        "inputs.count.special.huge: seen [inf]; expected whole numbers",
        "outputs.y.shape: seen []; expected a first dimension",
        "outputs.y.may_alias: seen ['x']; expected no such key beside `varying`",
        "arena.entry.style: seen 'out'; expected return",
    ):
        assert expected in found, found


def test_random_numbers_and_dropout_are_read_and_each_mistake_is_named(tmp_path):
    content = config()
    arena = content["arena"]
    arena["inputs"]["seed"] = {"shape": [1], "dtype": "int64", "distribution": {"integers": [0, "2 ** 31"]}}
    noise = {"shape": ["n"], "dtype": "float32", "sampled": {"uniform": [-1, "n"], "seed": "seed"}}
    dropped = {"shape": ["n"], "dtype": "float32", "dropout": {"p": 0.25, "seed": "seed"}}
    arena["outputs"] |= {"noise": noise, "dropped": dropped}
    _, first, second = read_task(write(tmp_path / "t", content), ID).outputs
    assert (first.seed, first.sampled.kind, [one.text for one in first.sampled.parameters]) == (
        "seed",
        "uniform",
        ["-1", "n"],
    )
    assert (second.seed, second.dropout.p.text, second.dropout.hidden) == ("seed", "0.25", False)
    arena["inputs"]["seed"] |= {"static": True, "distribution": {"integers": [0, 4]}}
    noise.update(dtype="int32", sampled={"normal": [0, 0], "seed": "x", "outcomes": 3})
    dropped.update(sampled={"uniform": [1], "seed": "seed"}, dropout={"p": 1, "seed": "seed", "scale": 2})
    found = "\n".join(problems(tmp_path / "u", content))
    for expected in (
        "outputs.noise.dtype: seen 'int32'; expected one of float64",
        "outputs.noise.sampled.outcomes: seen 3; expected no such key",
        "outputs.noise.sampled.seed: seen 'x'; expected an input of one int64",
        "outputs.noise.sampled.normal: seen '0 for ",
        "outputs.dropped.sampled.uniform: seen [1]; expected two numbers",
        "outputs.dropped.dropout: seen {'p': 1, 'seed': 'seed', 'scale': 2}; expected no such key beside `sampled`",
        "outputs.dropped.dropout.scale: seen 2; expected no such key",
        "outputs.dropped.dropout.p: seen '1 for ",
        "outputs.dropped.dropout.seed: seen 'seed'; expected an input that is in every call",
        "inputs.seed.distribution: seen '4 values for ",
    ):
        assert expected in found
    dropped["dropout"] = {"p": 0.5, "seed": "seed"}
    found = "\n".join(problems(tmp_path / "v", content))
    assert "expected a share other than 0.5, at which p and 1 - p are the same" in found


HIDDEN = {"p": 0.5, "seed": "seed", "hidden": True}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"contract": contract(), "dropout": HIDDEN}, "contract: seen {"),
        ({"contract": contract(), "complex": True}, "complex: seen True; expected no such key beside `contract`"),
        ({"dropout": HIDDEN, "complex": True}, "complex: seen True; expected no such key beside `dropout`"),
        (
            {"sampled": {"normal": [0, 1], "seed": "seed"}, "complex": True},
            "complex: seen True; expected no such key beside `sampled`",
        ),
        ({"contract": contract(), "identity": True}, "identity: seen True; expected no such key beside `contract`"),
        ({"dropout": HIDDEN, "nan": "as_reference"}, "nan: seen 'as_reference'; expected no such key"),
        ({"dropout": HIDDEN, "may_alias": ["x"]}, "may_alias: seen ['x']; expected no such key beside hidden"),
        ({"dropout": HIDDEN, "shape": ["n"]}, "shape: seen ['n']; expected two dimensions or more"),
        ({"dropout": HIDDEN, "shape": []}, "shape: seen []; expected two dimensions or more"),
        ({"varying": True, "complex": True, "nan": "as_reference"}, None),
        ({"contract": contract(), "varying": False, "unique": True, "complex": False, "nan": "forbidden"}, None),
    ],
)
def test_an_output_has_at_most_one_rule(tmp_path, keys, expected):
    content = config()
    arena = content["arena"]
    arena["inputs"]["seed"] = {"shape": [1], "dtype": "int64", "distribution": {"integers": [0, 9]}}
    arena["outputs"]["y"] = {"shape": ["n", 2], "dtype": "float32", **keys}
    arena["tolerance"].pop("float16")
    if "contract" in keys:
        del arena["tolerance"]
    if expected is None:
        read_task(write(tmp_path / "t", content), ID)
    else:
        assert any(f"outputs.y.{expected}" in line for line in problems(tmp_path / "t", content))


def test_missing_files_are_named(tmp_path):
    folder = write(tmp_path / "t", config())
    (folder / "reference.py").unlink()
    with pytest.raises(TaskError, match=r"expected reference\.py"):
        read_task(folder, ID)


def test_text_that_is_not_yaml_is_a_problem_not_a_crash(tmp_path):
    folder = write(tmp_path / "t", config())
    (folder / "config.yaml").write_text("a: [1, 2")
    with pytest.raises(TaskError, match="not YAML"):
        read_task(folder, ID)


def test_the_digest_names_every_file_but_description_and_variants(tmp_path):
    folder = write(tmp_path / "t", config())
    before = task_digest(task_files(folder))
    (folder / "description.md").write_text("other")
    (folder / "variants" / "wrong").mkdir(parents=True)
    (folder / "variants" / "wrong" / "tiny.py").write_text("x")
    assert task_digest(task_files(folder)) == before
    (folder / "expert" / "tiny.py").write_text("y")
    assert task_digest(task_files(folder)) != before


def test_an_unknown_task_says_how_to_list_them():
    with pytest.raises(UsageError, match="evaluator tasks"):
        load_task("hip2hip/arena/NoSuchTask")


def test_a_task_may_have_instructions_and_a_sheet_of_its_own(tmp_path):
    own = {"instructions": "Keep the block size.", "cheatsheet": None, "source_code": None, "task_type": None}
    task = read_task(write(tmp_path / "own", config() | {"prompt": own}), ID)
    assert (task.instructions, task.cheatsheet) == ("Keep the block size.", "")
    assert (read_task(write(tmp_path / "none", config()), ID).instructions) == ""


def test_texts_for_agents_are_bounded_and_other_keys_refused(tmp_path):
    own = {"instructions": "x" * 8001, "cheatsheet": 3, "sheet": "x"}
    found = problems(tmp_path / "tiny", config() | {"prompt": own})
    assert len(found) == 3
    assert any("prompt.instructions: seen '8001 characters'; expected at most 8000" in one for one in found)
    assert any("prompt.cheatsheet: seen 3; expected text" in one for one in found)
    assert any("prompt.sheet" in one for one in found)

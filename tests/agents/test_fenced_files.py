"""Files in the answers of models."""

from __future__ import annotations

import pytest

from evaluator.agents.fenced_files import fenced, files_of

ONE = ("kernel.hip",)
TWO = ("a.py", "b.py")


@pytest.mark.parametrize(
    "answer",
    [
        "kernel.hip\n```\nbody\n```\n",
        "Here it is.\n\n### `kernel.hip`\n\n```cpp\nbody\n```\nIt is fast.",
        "```cpp kernel.hip\nbody\n```",
        "```cpp title=kernel.hip\nbody\n```",
        "**kernel.hip:**\n~~~\nbody\n~~~",
        "```\nbody\n```",
        "First try:\nkernel.hip\n```\nold\n```\nBetter:\nkernel.hip\n```\nbody\n```",
        "Run this:\n```bash\nls\n```\nand\n```cpp\nbody\n```",
        "kernel.hip\n````\nbody\n````",
    ],
)
def test_a_file_is_found(answer):
    assert files_of(answer, ONE) == ({"kernel.hip": b"body\n"}, None)


def test_a_shorter_fence_inside_belongs_to_the_text():
    files, _ = files_of("kernel.hip\n````\n```\nbody\n```\n````", ONE)
    assert files == {"kernel.hip": b"```\nbody\n```\n"}


def test_what_ends_no_line_of_code_is_kept():
    files, _ = files_of("kernel.hip\r\n```\r\na = '\x0c\u2028'\r\nb\r\n```\r\n", ONE)
    assert files == {"kernel.hip": "a = '\x0c\u2028'\nb\n".encode()}


def test_a_file_with_fences_of_its_own_is_shown_in_a_longer_one():
    text = b"/*\n```\nkernel<<<1, 1>>>();\n````\n*/\n"
    shown = fenced("kernel.hip", text)
    assert shown.splitlines()[1] == "`````"
    assert files_of(shown, ONE) == ({"kernel.hip": text}, None)
    assert fenced("kernel.hip", b"body\n\n") == "kernel.hip\n```\nbody\n```\n"


def test_several_files_need_their_names():
    files, problem = files_of("a.py\n```\n1\n```\nb.py\n```\n2\n```\n```\n3\n```", TWO)
    assert files == {"a.py": b"1\n", "b.py": b"2\n"}
    assert problem is None
    assert files_of("```\n1\n```", TWO)[1] == "no fenced block with the text of a.py or b.py was found"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "no fenced block"),
        ("I cannot do that.", "no fenced block"),
        ("kernel.hip\n```\nbody", "does not end"),
        ("kernel.hip\n```\nbody\n```\nkernel.hip\n```\nhalf", "does not end"),
        ("kernel.hip\n```\nbo\ud83ddy\n```", r"half of a surrogate pair, \ud83d"),
        ("\udc00\n```\nbody\n```", r"half of a surrogate pair, \udc00"),
    ],
)
def test_an_answer_without_a_whole_file_is_none(answer, problem):
    files, said = files_of(answer, ONE)
    assert files == {}
    assert problem in said

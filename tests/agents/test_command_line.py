"""Command-line agents in their sandbox, with a scripted program that tries what it may and may not do."""

from __future__ import annotations

import json
import os
import socket
import tempfile
from pathlib import Path

import pytest

from evaluator.agents import command_line
from evaluator.agents.interface import SessionContext
from evaluator.errors import HostError, SandboxError, UsageError
from evaluator.tasks.reader import load_task
from tests.agents.conftest import SECRET, SESSION_S, STAND_IN, TASK
from tests.agents.contexts import ScriptedCheck, raised, texts
from tests.evaluator.test_records import wrong


def test_what_the_workspace_holds_at_the_end_is_the_candidate(play):
    work = play("edit('min(1024', 'min(2048')")
    assert b"min(2048" in work.candidate.files["softmax.py"]
    assert work.candidate.problems == ()
    assert (work.ended, work.usage.input_tokens, work.usage.turns) == ("finished", 7, 1)
    assert work.transcript[0].text == work.prompt
    assert texts(work)[0] == f"{len(work.prompt)} characters"


def test_arena_check_sends_the_workspace_and_prints_the_report(play):
    check = ScriptedCheck(lambda candidate: wrong(), told="status: wrong_output\n")
    work = play("run('arena', 'check'); edit('min(1024', 'min(2048'); run('arena', 'check')", check)
    assert [b"min(2048" in candidate.files["softmax.py"] for candidate in check.seen] == [False, True]
    results = [entry for entry in work.transcript if entry.kind == "tool_result"]
    assert [(entry.text, entry.failed) for entry in results] == [
        ("version 1\nstatus: wrong_output\n", True),
        ("version 2\nstatus: wrong_output\n", True),
    ]


def test_a_workspace_is_compared_whole_and_rubbish_passed_over(play):
    check = ScriptedCheck()
    script = """
os.makedirs('build/deep'); open('build/deep/x.o', 'wb').write(bytes(3 << 20)); os.symlink('/etc/passwd', 'notes')
open('reference.py', 'a').write('# mine')
run('arena', 'check')
"""
    work = play(script, check)
    assert work.candidate.problems == check.seen[0].problems == (("protected_file", "reference.py"),)


def test_a_link_in_place_of_a_source_is_none(play):
    work = play("os.remove('softmax.py'); os.symlink('/etc/passwd', 'softmax.py'); run('arena', 'check')")
    assert work.candidate.files == {}
    assert work.candidate.problems == (("not_a_source", "softmax.py is a link"), ("not_written", "softmax.py"))


def test_it_sees_its_workspace_and_nothing_of_the_host(play, tmp_path):
    hidden = [str(STAND_IN), str(load_task(TASK).folder), str(tmp_path), "/etc/shadow", "/home/agent/.ssh"]
    work = play("look()", variables={"PATHS": json.dumps(hidden)})
    seen = json.loads(texts(work)[1])
    assert seen["cwd"] == "/workspace"
    assert seen["uid"] != 0
    assert seen["workspace"] == ["config.yaml", "description.md", "reference.py", "softmax.py"]
    assert seen["found"] == []
    assert seen["writable"] == []
    assert len(seen["processes"]) <= 3  # bubblewrap's init, itself, and nothing of the host
    assert "OTHER" not in seen["environment"]
    assert "KEY" in seen["environment"]


def test_a_contract_that_is_not_shown_is_not_in_the_workspace(play):
    assert "config.yaml" not in json.loads(texts(play("look()", contract_shown=False))[1])["workspace"]


def test_a_secret_that_it_prints_is_in_nothing_that_is_stored(play):
    work = play("say(os.environ['KEY']); print(os.environ['KEY'], file=sys.stderr, flush=True); os._exit(3)")
    assert SECRET not in repr(work)
    assert "[KEY]" in texts(work)
    assert work.ended == "failed"
    assert "exited with 3" in work.message


def test_a_secret_in_what_the_agent_says_went_wrong_is_not_passed_on(play):
    work = play("tell(type='turn.failed', error={'message': 'bad key ' + os.environ['KEY']})")
    assert (work.ended, work.message) == ("failed", "bad key [KEY]")


def test_a_secret_at_the_edge_of_the_last_words_is_not_cut_into_view(play, monkeypatch):
    monkeypatch.setattr(command_line, "LAST_WORDS", 10)
    assert play("print(os.environ['KEY'], file=sys.stderr, flush=True); os._exit(3)").message.endswith(": [KEY]")


def test_last_words_can_be_stored(play):
    work = play("os.write(2, bytes([0, 27, 255])); os._exit(3)")
    assert work.message == "the program exited with 3: \\x00\\x1b\N{REPLACEMENT CHARACTER}"


def test_a_line_end_after_a_secret_is_no_part_of_it(play):
    assert "[OWN]" in texts(play("say(os.environ['OWN'])", variables={"OWN": f" {SECRET}-2\n"}))


@pytest.mark.parametrize("value", ["sk-1234\nX", "sk-ключ"])
def test_a_secret_that_no_request_could_carry_is_reported_by_its_name(play, value):
    with pytest.raises(UsageError) as caught:
        play("", variables={"OWN": value})
    assert str(caught.value) == "OWN in the environment: expected one line of printable ASCII"


def test_it_is_ended_with_all_it_started_when_its_time_is_over(play, monkeypatch):
    heard = []
    monkeypatch.setattr(SessionContext, "left_s", property(lambda context: 0.0 if "written" in heard else SESSION_S))
    script = "edit('min(1024', 'min(2048'); subprocess.Popen(['sleep', '600']); say('written'); time.sleep(600)"
    work = play(script, on_event=lambda entry: heard.append(entry.text))
    assert (work.ended, work.message) == ("timed_out", "the session ran out of time")
    assert b"min(2048" in work.candidate.files["softmax.py"]


def test_a_child_that_it_leaves_behind_does_not_keep_the_session_open(play):
    assert play("subprocess.Popen(['sleep', '600'])").ended == "finished"


def test_unknown_events_are_named(play):
    assert "events of unknown kinds: dream" in texts(play("tell(type='dream')"), "error")


def test_a_stream_without_end_is_ended(play, monkeypatch):
    monkeypatch.setattr(command_line, "MAX_LINE_BYTES", 1 << 16)
    work = play("print('x' * (1 << 20), end='', flush=True); time.sleep(600)")
    assert (work.ended, work.message) == ("failed", "it printed too much")


def test_a_program_that_says_nothing_is_no_fault_of_the_agent(play, installed):
    other = installed / "mute"
    other.write_text("#!/bin/sh\necho not logged in >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(HostError, match="exited with 1 before its first event: not logged in"):
        play("", program="mute")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("tell(type='turn.failed', error={'message': 'No credit'})", "got no reply from its model: No credit"),
        (
            "tell(type='error', message='offline'); os._exit(3)",
            "got no reply from its model: the program exited with 3",
        ),
        ("tell(type='error', message='trying'); time.sleep(600)", "got no reply from its model: the session ran out"),
    ],
)
def test_a_program_that_hears_nothing_of_its_model_is_no_fault_of_the_agent(play, monkeypatch, script, said):
    heard = []
    over = property(lambda context: 0.0 if "trying" in heard else SESSION_S)
    monkeypatch.setattr(SessionContext, "left_s", over)
    with pytest.raises(HostError, match=said):
        play(script, on_event=lambda entry: heard.append(entry.text), variables={"MUTE": "1"})


def test_a_program_that_says_nothing_for_all_of_its_time_is_no_fault_of_the_agent(play, installed):
    other = installed / "asleep"
    other.write_text("#!/bin/sh\nsleep 600\n")
    other.chmod(0o755)
    with pytest.raises(HostError, match="got no reply from its model: the session ran out of time"):
        play("", program="asleep", seconds=3)


def test_printing_on_does_not_lengthen_the_time(play, monkeypatch):
    heard = []
    monkeypatch.setattr(SessionContext, "left_s", property(lambda context: 0.0 if "last" in heard else SESSION_S))
    monkeypatch.setattr(command_line, "MAX_STREAM_BYTES", 4 << 20)
    script = "flood = '{}\\n' * 100_000; sys.stdout.write(flood); say('last')\nwhile True: sys.stdout.write(flood)"
    assert play(script, on_event=lambda entry: heard.append(entry.text)).message == "the session ran out of time"


def test_a_program_has_to_be_installed_where_its_sandbox_sees_it(play, tmp_path):
    with pytest.raises(HostError, match="is not installed here"):
        play("", program="codex-of-tomorrow")
    program = tmp_path / "elsewhere"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with pytest.raises(HostError, match="installed_in"):
        play("", program=str(program))


def test_a_fault_of_ours_in_a_check_ends_the_session_as_one(play):
    def judge(candidate):
        raise SandboxError("the device has gone")

    with pytest.raises(SandboxError, match="the device has gone"):
        play("run('arena', 'check')", ScriptedCheck(judge))


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), RuntimeError("odd"), KeyError("x")])
def test_whatever_breaks_in_a_check_is_a_fault_of_ours_and_leaves_no_client_waiting(play, fault):
    heard, check = [], ScriptedCheck(lambda candidate: raised(fault))
    with pytest.raises(HostError, match=f"`arena check` failed: {type(fault).__name__}") as caught:
        play("run('arena', 'check'); run('arena', 'check')", check, on_event=heard.append)
    assert caught.value.__cause__ is fault
    said = [(entry.text, entry.failed) for entry in heard if entry.kind == "tool_result"]
    assert said == [("the host failed; nothing can be checked in this session any more\n", True)] * 2
    assert len(check.seen) == 1


def test_a_door_that_breaks_is_a_fault_of_ours_and_shut(play, monkeypatch):
    monkeypatch.setattr(socket.socket, "accept", lambda self: raised(OSError(24, "Too many open files")))
    with pytest.raises(HostError, match="Too many open files"):
        play("assert run('arena', 'check').returncode == 2")


@pytest.mark.parametrize("message", ["b''", "b'[]'", "b'{'", "b'{\"a\": 3}'", 'b\'{"a": "*"}\'', "bytes(100)"])
def test_a_forged_check_is_answered_and_judged_nowhere(play, message):
    script = f"""
import struct
with socket.socket(socket.AF_UNIX) as c:
    c.connect('/run/arena/check'); m = {message}
    c.sendall(struct.pack('>Q', len(m)) + m); say(c.recv(1000)[8:].decode())
with socket.socket(socket.AF_UNIX) as c:
    c.connect('/run/arena/check'); c.sendall(struct.pack('>Q', 1 << 60)); c.recv(1)
"""
    check = ScriptedCheck()
    work = play(script, check)
    assert check.seen == []
    assert json.loads(texts(work)[1])["code"] == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")
def test_its_files_go_when_the_session_ends(play, monkeypatch):
    made = []
    really = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **words: made.append(really(**words)) or made[-1])
    play("os.makedirs('a/b'); os.chmod('a', 0)")
    assert [Path(folder).name.startswith("arena-agent-") for folder in made] == [True]
    assert not Path(made[0]).exists()

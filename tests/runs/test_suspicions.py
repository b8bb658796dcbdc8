"""What resembles something else, or may hold a secret, is asked about; nobody's names pass for another's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from evaluator.agents import produce
from evaluator.tasks.candidate import is_library_line
from evaluator.tasks.reader import load_task
from runs import candidates
from runs.errors import RunError
from runs.models import Agent, Configuration, Result, Review, Run, Task
from runs.services import audits, catalog, publishing
from runs.services.imports import import_run
from runs.services.registry import register_suite
from runs.similarity import skeleton, source_fingerprint
from tests.bundles import made
from tests.bundles.made import read_bundle
from tests.runs.bundling import make_folder, make_zip
from tests.runs.conftest import Site, checked, submitted

pytestmark = pytest.mark.django_db
MODULE = "torch2hip/arena/SiLU"


def test_a_source_that_may_hold_a_secret_waits_for_a_maintainer(site: Site, submitter: User, tmp_path: Path) -> None:
    def careless(task: Task) -> dict[str, bytes]:
        return dict.fromkeys(task.editable, b'// API_KEY = "a1b2c3d4e5f6a7b8"\n')

    submission = checked(submitted(make_folder(tmp_path / "run", site.suite, sources_of=careless), submitter))
    assert submission.run is not None
    review = submission.reviews.get(kind=Review.Kind.PRIVATE_TEXT)
    assert "a1b2c3" not in review.detail
    with pytest.raises(RunError, match="may contain private text"):
        publishing.publish_run(run=submission.run, actor="admin")
    audits.decide_review(review=review, decision="An example from the manual.", actor="admin")
    publishing.publish_run(run=submission.run, actor="admin")


def test_a_candidate_that_differs_in_blanks_is_somebody_elses_too(site: Site, submitter: User, tmp_path: Path) -> None:
    def spaced(task: Task) -> dict[str, bytes]:
        return {name: f"//  of\t{task.path}\r\n".encode() for name in task.editable}

    checked(submitted(make_zip(tmp_path / "run", site.suite), submitter))
    eve = User.objects.create_user("eve")
    folder = make_folder(tmp_path / "two", site.suite, sources_of=spaced, repeat=1)
    review = checked(submitted(folder, eve, declared={"agent": "Another"})).reviews.get(kind=Review.Kind.DUPLICATE)
    assert review.detail.count("the candidate of Sam's agent") == 2


def test_the_agents_name_of_claims_is_compared(site: Site, submitter: User, tmp_path: Path) -> None:
    checked(submitted(make_zip(tmp_path / "run", site.suite), submitter))
    path = tmp_path / "eval_results.json"
    path.write_bytes(made.kb()["eval_results.json"])
    claims = checked(submitted(path, submitter, declared={"agent": "Sаm's agent", "level": "3"}))  # a Cyrillic a
    assert "looks like Sam's agent" in claims.reviews.get().detail


@pytest.mark.parametrize(
    ("name", "kind"), [("Ѕam's agent", "look_alike"), ("Sarn's agent", "look_alike"), ("Another", "duplicate")]
)
def test_what_resembles_something_else_is_asked_about(
    site: Site, submitter: User, tmp_path: Path, name: str, kind: str
) -> None:
    """The second name has a Cyrillic letter, the third an r and an n; all of them hand in the same candidates."""
    checked(submitted(make_zip(tmp_path / "run", site.suite), submitter))
    other = checked(
        submitted(
            make_zip(tmp_path / "two", site.suite, repeat=1), User.objects.create_user("eve"), declared={"agent": name}
        )
    )
    assert kind in other.reviews.values_list("kind", flat=True)
    assert "duplicate" in other.reviews.values_list("kind", flat=True)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Соdex",
            "CODEX",
            "Ｃｏｄｅｘ",
            "𝐂𝐨𝐝𝐞𝐱",
            "C0dex",
            "Ｃоdеx",
            "co-dex",
            "Cod\u200bex",
            "Cödéx",
            "ϹΟDΕΧ",
            "Ⅽodex",
        ),
        *("ᴄᴏᴅᴇx", "С0ԁех", "Ꮯodex", "cođex", "ⲥodex"),
    ],
)
def test_names_that_the_eye_confuses_have_one_skeleton(name: str) -> None:
    assert skeleton(name) == skeleton("Codex")
    assert skeleton("Claude") != skeleton("Codex")


def test_the_bundled_expert_is_known_whatever_its_blanks_and_comments(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    def marked(task: Any) -> dict[str, bytes]:
        files = produce("expert", candidates.spec_of(task)).candidate.files
        mark = {"py": b"# mine\n", "hip": b"/* mine */ // all of it\n"}
        return {
            path: mark[path.rpartition(".")[2]] + data.replace(b"    ", b"\t") + mark[path.rpartition(".")[2]]
            for path, data in files.items()
        }

    folder = make_folder(tmp_path / "run", site.suite, sources_of=marked)
    submission = checked(submitted(folder, submitter))
    detail = submission.reviews.get(kind=Review.Kind.EXPERT).detail
    assert detail.count("source in expert/") == 2


def test_our_line_of_the_library_is_no_candidate_under_another_name(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    """The evaluator's record of it passed, without a hold."""
    (task,) = catalog.mirror_tasks(specs=[load_task(MODULE)]).values()
    suite = register_suite(name="modules", title="Modules", tasks=[task])

    def line(task: Task) -> dict[str, bytes]:
        return dict(produce("compile", candidates.spec_of(task)).candidate.files)

    folder = make_folder(tmp_path / "run", suite, sources_of=line)
    submission = checked(submitted(folder, submitter, declared={"agent": "Mine"}))
    assert (submission.state, Run.objects.count()) == ("rejected", 0)
    (problem,) = submission.problems
    assert (problem["place"], problem["expected"]) == ("candidates/torch2hip--arena--SiLU/module.py", "only kernel.hip")
    compile = Configuration.objects.get(slug="compile")
    result = import_run(bundle=read_bundle(folder), configuration=compile, actor="test").results.get()
    assert is_library_line(candidates.candidate_of(result), load_task(MODULE))
    Agent.objects.filter(slug="compile").update(kind=Agent.Kind.EXTERNAL)
    result = Result.objects.get()
    assert not is_library_line(candidates.candidate_of(result), load_task(MODULE))


@pytest.mark.parametrize("name", ["kernel.hip", "kernel.py"])
def test_a_source_that_never_ends_its_comment_or_text_takes_no_quadratic_time(name: str) -> None:
    begun = time.process_time()
    for piece in (b"/*", b'"', b"'", b'"\\', b"'\\", b'"""', b"\n'", b"#"):
        source_fingerprint({name: piece * (200_000 // len(piece))})
    assert time.process_time() - begun < 60


def test_a_mark_of_a_comment_within_a_text_is_none() -> None:
    assert source_fingerprint({"a.hip": b'x = "//1";'}) != source_fingerprint({"a.hip": b'x = "//2";'})
    assert source_fingerprint({"a.py": b"x = '#1'"}) != source_fingerprint({"a.py": b"x = '#2'"})
    assert source_fingerprint({"a.hip": b"#define T 32\n"}) != source_fingerprint({"a.hip": b"#define T 64\n"})

"""What an agent may have of the host it works on: variables and folders that the operator names, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from evaluator.addresses import AllowedEndpoint
from runs import agents
from runs.errors import RegistryError, RunError
from runs.loading import registry
from runs.models import AgentSession, Attempt, Configuration, Host, Run
from runs.services import starts
from runs.services.registry import save_row
from runs.worker import evaluation
from tests.runs import fakes
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db
FREE = {"base_url": "http://127.0.0.1:1/v1", "model": "m-1", "input_price": 0, "output_price": 0}


@pytest.fixture(autouse=True)
def fake(settings: Any) -> Iterator[Any]:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    yield settings
    evaluation.close_evaluator()


def saved(agent: str, **values: object) -> Configuration:
    row = Configuration.objects.get(slug=agent)
    row.settings = values
    return save_row(row=row)


def start(site: Site, configuration: Configuration) -> Run:
    wanted: dict[str, Any] = {"suite": site.suite, "device_class": site.device_class, "repeats": 1, "actor": "test"}
    return starts.start_runs(configuration=configuration, **wanted)[0]


@pytest.mark.parametrize("name", ["SECRET_KEY", "DATABASE_URL", "PATH", "ARENA_CHAT_KEY_B"])
def test_a_configuration_names_no_secret_that_is_not_allowed(site: Site, fake: Any, name: str) -> None:
    with pytest.raises(
        ValidationError, match=rf"seen '{name}' as one of its secrets; expected names that ARENA_AGENT_SECRETS allow"
    ):
        saved("chat_loop", **FREE, secrets=["ARENA_CHAT_KEY", name])
    assert Configuration.objects.get(slug="chat_loop").settings == {}
    fake.AGENT_SECRETS = ["ARENA_CHAT_KEY", name]
    assert saved("chat_loop", **FREE, secrets=["ARENA_CHAT_KEY", name])


def test_one_that_was_registered_before_does_not_start(site: Site) -> None:
    Configuration.objects.filter(slug="chat_loop").update(settings=FREE | {"secrets": ["SECRET_KEY"]})
    row = Configuration.objects.get(slug="chat_loop")
    assert agents.state_of(row).startswith("seen 'SECRET_KEY' as one of its secrets")
    with pytest.raises(RunError, match="seen 'SECRET_KEY' as one of its secrets"):
        start(site, row)


def test_a_worker_holds_no_session_for_one_that_asks_too_much(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the web host allowed."""
    start(site, saved("chat_loop", **FREE))
    Configuration.objects.filter(slug="chat_loop").update(settings=FREE | {"secrets": ["SECRET_KEY"]})
    held = list[object]()
    monkeypatch.setattr(fakes.Fake, "run_session", lambda *asked, **more: held.append(asked))
    while Attempt.objects.queued().exists():
        evaluation.evaluate_next(host=site.host, worker="w")
    assert set(Attempt.objects.values_list("status", "reason")) == {("errored", "host_fault")}
    assert "chat_loop: seen 'SECRET_KEY' as one of its secrets; expected names" in Attempt.objects.all()[0].message
    assert not held
    assert not AgentSession.objects.exists()


def test_a_host_reports_which_agents_may_use_nothing_of_it(site: Site, fake: Any) -> None:
    fake.AGENT_SECRETS = ["OPENAI_API_KEY"]
    evaluation.prepare(site.host)
    told = Host.objects.get(pk=site.host.pk).agents
    assert told["chat_loop"].startswith("seen 'ARENA_CHAT_KEY' as one of its secrets; expected names")
    assert told["block_tuner"] == ""
    assert saved("chat_loop", **FREE)  # it names none itself: each host decides


def test_a_folder_of_the_host_is_shown_only_where_it_is_allowed(site: Site, fake: Any, tmp_path: Path) -> None:
    (tmp_path / "opt").mkdir()
    (tmp_path / "link").symlink_to("/etc")
    fake.AGENT_FOLDERS = [tmp_path / "opt"]
    for refused in ("/", "/etc", str(tmp_path), str(tmp_path / "opt" / ".."), f"{tmp_path}/option"):
        with pytest.raises(
            ValidationError, match=r"seen .* as installed_in; expected a folder that ARENA_AGENT_FOLDERS"
        ):
            saved("codex", installed_in=refused)
    for allowed in ("opt", "opt/codex"):
        assert saved("codex", installed_in=str(tmp_path / allowed))
    fake.AGENT_FOLDERS = [tmp_path]
    with pytest.raises(ValidationError, match="as installed_in; expected"):
        saved("codex", installed_in=str(tmp_path / "link"))
    fake.AGENT_FOLDERS = []
    with pytest.raises(ValidationError, match="allows here: none"):
        saved("codex", installed_in="/opt/codex")


INWARD = ("http://127.0.0.1:1/v1", "http://[::ffff:127.0.0.1]:1/v1", "http://localhost/v1", "http://169.254.169.254/v1")
KEYS = AllowedEndpoint("https://api.example:443", ("OPENAI_API_KEY",))


@pytest.mark.parametrize("address", [*INWARD, "https://evil.example/v1", "https://api.example:8443/v1"])
def test_a_model_is_asked_only_at_servers_that_the_operator_allows(site: Site, fake: Any, address: str) -> None:
    fake.AGENT_ENDPOINTS = {KEYS.origin: KEYS}
    with pytest.raises(ValidationError, match=r"as base_url; expected a server that ARENA_AGENT_ENDPOINTS allows here"):
        saved("chat_loop", **FREE | {"base_url": address})
    Configuration.objects.filter(slug="chat_loop").update(settings=FREE | {"base_url": address})
    with pytest.raises(RunError, match="as base_url; expected a server"):
        start(site, Configuration.objects.get(slug="chat_loop"))


def test_a_key_is_bound_to_its_servers(site: Site, fake: Any) -> None:
    fake.AGENT_ENDPOINTS = {KEYS.origin: KEYS}
    asked = FREE | {"base_url": "https://API.example/v1"}
    with pytest.raises(
        ValidationError, match=r"seen 'ARENA_CHAT_KEY' among the secrets .* binds to it: OPENAI_API_KEY"
    ):
        saved("chat_loop", **asked)
    row = saved("chat_loop", **asked, secrets=["OPENAI_API_KEY"])
    assert agents.with_endpoint(agents.agent_of(row)).settings.endpoint == KEYS
    own = AllowedEndpoint("http://127.0.0.1:1", (), is_inward=True)
    fake.AGENT_ENDPOINTS = {own.origin: own}
    assert saved("chat_loop", **FREE), "a server without a key gets none"


def test_a_program_takes_a_key_to_no_host_but_its_own(site: Site, fake: Any) -> None:
    with pytest.raises(
        ValidationError, match=r"seen 'evil.example' in network; expected a server that ARENA_AGENT_END"
    ):
        saved("codex", network=["api.openai.com", "evil.example"])
    with pytest.raises(ValidationError, match=r"seen 'ANTHROPIC_API_KEY' among the secrets .* reaches api.openai.com"):
        saved("codex", secrets=["ANTHROPIC_API_KEY"])
    assert saved("codex", network=["api.openai.com"], secrets=["OPENAI_API_KEY"])
    fake.AGENT_ENDPOINTS = {KEYS.origin: KEYS}
    with pytest.raises(ValidationError, match=r"seen 'CODEX_API_KEY' among the secrets .* reaches api.example"):
        saved("codex", network=["api.example"])
    assert saved("codex", network=["api.example"], secrets=["OPENAI_API_KEY"])


FILE = """
configurations:
  mine: {agent: chat_loop, settings: {base_url: "http://127.0.0.1:1/v1", model: m-2, secrets: [%s], network: [%s]}}
"""


def test_a_file_of_the_registry_names_secrets_and_hosts(site: Site, tmp_path: Path, client: Client) -> None:
    (tmp_path / "mine.yaml").write_text(FILE % ("ARENA_CHAT_KEY, OPENAI_API_KEY", "api.example"))
    registry.load_registry(tmp_path / "mine.yaml")
    row = Configuration.objects.get(slug="mine")
    assert agents.agent_of(row).settings.secrets == ("ARENA_CHAT_KEY", "OPENAI_API_KEY")
    assert agents.agent_of(row).settings.network == ("api.example",)
    shown = client.get("/configuration/mine/").content.decode()
    assert "secrets ARENA_CHAT_KEY and OPENAI_API_KEY" in shown


@pytest.mark.parametrize(
    ("secrets", "network", "sentence"),
    [
        ("ARENA_CHAT_KEY, 3", "", "settings.secrets.1: seen 3; expected text"),
        ("", "[a.example]", "settings.network.0: seen ['a.example']; expected text"),
        (
            "SECRET_KEY",
            "",
            "seen 'SECRET_KEY' as one of its secrets; expected names that ARENA_AGENT_SECRETS allows here",
        ),
    ],
)
def test_a_file_of_the_registry_names_nothing_else(
    site: Site, tmp_path: Path, secrets: str, network: str, sentence: str
) -> None:
    (tmp_path / "mine.yaml").write_text(FILE % (secrets, network))
    with pytest.raises(RegistryError) as refused:
        registry.load_registry(tmp_path / "mine.yaml")
    assert sentence in "\n".join(refused.value.problems)

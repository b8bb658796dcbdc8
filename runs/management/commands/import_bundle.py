"""Import runs that `python -m evaluator run` made somewhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.bundles.native import Bundle, digest_at, read_bundle
from evaluator.bundles.problems import BundleError
from runs import services
from runs.errors import RunError
from runs.models import Configuration, Run

ACTOR = "import_bundle"


class Command(BaseCommand):
    help = "Imports run folders or their zips, each whole or, with every problem listed, not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--configuration", metavar="SLUG", help="whose run it is; default: the agent's name")
        parser.add_argument("--publish", action="store_true", help="put it on the boards at once")

    def handle(self, *args: Any, **options: Any) -> None:
        for path in options["paths"]:
            try:
                run = _known(path, options["publish"]) or _imported(path, options["configuration"], options["publish"])
            except BundleError as error:
                raise CommandError(f"{path}: not imported, {len(error.problems)} problems:\n{error}") from error
            except RunError as error:
                raise CommandError(f"{path}: not imported: {error}") from error
            self.stdout.write(f"{path.name}: {run}, {run.get_state_display()}, {run.results.count()} results")


def _known(path: Path, publish: bool) -> Run | None:
    """The run of this bundle if there is nothing left to do; a bundle is then not read in full."""
    run = Run.objects.filter(bundle_digest=digest_at(path)).first()
    return None if run is None or (publish and run.state == Run.State.DRAFT) else run


def _imported(path: Path, slug: str | None, publish: bool) -> Run:
    bundle = read_bundle(path)
    configuration = _configuration(bundle, slug or bundle.agent)
    return services.import_run(bundle=bundle, configuration=configuration, actor=ACTOR, publish=publish)


def _configuration(bundle: Bundle, slug: str) -> Configuration:
    found = Configuration.objects.filter(slug=slug).first()
    if found is None:
        raise RunError(f"no configuration is named {slug!r}: name one with --configuration")
    return found

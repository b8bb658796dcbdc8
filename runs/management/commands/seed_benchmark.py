"""Fill the database with synthetic boards for `make bench`, and take them away again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.wording import counted
from runs.errors import RunError
from runs.services import synthetic
from runs.synthetic import BOARDS, MOST_MEASUREMENTS, MOST_OF_A_RUN

ACTOR = "seed_benchmark"


class Command(BaseCommand):
    help = "Makes synthetic boards, the same ones each time and all named so. --remove takes every one of them away."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--measurements", type=int, metavar="N", help=f"at most so many, up to {MOST_MEASUREMENTS}")
        what.add_argument("--remove", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["remove"]:
                self.stdout.write(f"removed {counted(synthetic.remove_synthetic(), 'synthetic run')}")
            else:
                self._seed(options["measurements"])
        except RunError as error:
            raise CommandError(str(error)) from error

    def _seed(self, most: int) -> None:
        """Board by board, each in a transaction of its own, while another run has room."""
        if not MOST_OF_A_RUN <= most <= MOST_MEASUREMENTS:
            raise CommandError(f"--measurements: seen {most}; expected {MOST_OF_A_RUN} to {MOST_MEASUREMENTS}")
        made = boards = 0
        while most - made >= MOST_OF_A_RUN and boards < BOARDS:
            made += synthetic.seed_synthetic_board(number=boards, most=most - made, actor=ACTOR)
            boards += 1
        self.stdout.write(f"{counted(made, 'synthetic measurement')} on {counted(boards, 'board')}")

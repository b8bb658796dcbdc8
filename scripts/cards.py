"""Say how far a speedup differs from card to card, from runs of the same candidates on several cards.

Writes the line of their device class and protocol in `tasks/cards.json`. A run may have results of several cards, and
one card may have several runs; what tells cards apart is their UUID.

usage: scripts/cards.py RUN...    prints the deviations; exit codes: 0, 1 refused, 2 usage
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.bundles.archives.archive import read_members  # noqa: E402
from evaluator.bundles.problems import BundleError  # noqa: E402
from evaluator.codec import DecodeError  # noqa: E402
from evaluator.errors import UsageError  # noqa: E402
from evaluator.records.record import Record, read_record  # noqa: E402
from evaluator.tasks.cards import add_between_cards, between_cards, cards_file, readings_of  # noqa: E402


def main(arguments: list[str]) -> int:
    if not arguments:
        sys.stderr.write(f"{(__doc__ or '').splitlines()[-1]}\n")
        return 2
    try:
        records = [record for path in arguments for record in records_of(Path(path))]
        places = {(record.host.device_class, record.protocol) for record in records}
        if len(places) != 1:
            raise UsageError(f"seen results of {sorted(places) or 'nothing'}, expected one device class and protocol")
        found = between_cards(reading for record in records for reading in readings_of(record))
        add_between_cards(*places.pop(), found, cards_file())
    except (BundleError, DecodeError, OSError, UsageError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for bucket, sd in found.sds.items():
        sys.stdout.write(f"{bucket}: {sd:.2%} from card to card\n")
    sys.stdout.write(f"{len(found.cards)} cards, {found.df} degrees of freedom: {cards_file()}\n")
    return 0


def records_of(path: Path) -> list[Record]:
    """
    Raises:
        BundleError, DecodeError: it is no bundle.
    """
    members = read_members(path)
    return [read_record(data) for name, data in members.items() if name.startswith("records/")]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

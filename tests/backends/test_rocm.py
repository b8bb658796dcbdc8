"""Facts read from ROCm's tools and the driver's files, tested with recorded outputs: no AMD card was available."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.backends.base import Sample
from evaluator.backends.rocm import agent_of, device_class, sample_of, static_of, xcc_count
from evaluator.errors import HostError

RECORDED = Path(__file__).parent / "recorded"
BUS = "0000:05:00.0"


def _static(mode: str) -> dict[str, str]:
    return static_of(json.loads((RECORDED / f"amd_smi_static_{mode}.json").read_text()), BUS)


def test_the_card_is_found_among_rocminfos_agents() -> None:
    agent = agent_of((RECORDED / "rocminfo.txt").read_text(), "gfx942")
    assert agent == {
        "card": "AMD Instinct MI300X",
        "card_uuid": "GPU-8a1b2c3d4e5f6071",
        "compute_units": "304",
        "wave_size": "64",
        "l2_bytes": str(4 << 20),
        "l3_bytes": str(256 << 20),
    }


def test_a_missing_agent_is_a_host_error() -> None:
    with pytest.raises(HostError, match="no agent gfx950"):
        agent_of((RECORDED / "rocminfo.txt").read_text(), "gfx950")


@pytest.mark.parametrize(("mode", "expected"), [("spx", "mi300x-spx"), ("cpx", "mi300x-cpx-nps4")])
def test_a_partition_makes_another_device_class(mode: str, expected: str) -> None:
    assert device_class(_static(mode)) == expected


def test_the_cards_facts_are_read() -> None:
    assert _static("spx") == {
        "product": "AMD Instinct MI300X OAM",
        "driver": "6.10.5",
        "compute_partition": "SPX",
        "memory_partition": "NPS1",
        "power_limit_w": "750",
        "ecc": "on",
    }


def test_another_place_on_the_bus_is_another_card() -> None:
    with pytest.raises(HostError, match="no card at 0000:06"):
        static_of(json.loads((RECORDED / "amd_smi_static_spx.json").read_text()), "0000:06:00.0")


def test_a_sample_has_megahertz_degrees_and_watts(tmp_path: Path) -> None:
    hwmon = tmp_path / "hwmon" / "hwmon4"
    hwmon.mkdir(parents=True)
    values = {
        "freq1_input": 2_100_000_000,
        "freq2_input": 1_300_000_000,
        "temp2_input": 51_000,
        "power1_input": 312_000_000,
    }
    for name, value in values.items():
        (hwmon / name).write_text(f"{value}\n")
    assert sample_of(tmp_path) == Sample(2100, 1300, 51, 312.0, ())


def test_values_that_the_driver_does_not_report_are_none(tmp_path: Path) -> None:
    (tmp_path / "hwmon" / "hwmon0").mkdir(parents=True)
    assert sample_of(tmp_path) == Sample(None, None, None, None, ())


def test_each_compute_die_has_a_cache(tmp_path: Path) -> None:
    for node, text in (
        ("0", "cpu_cores_count 64\ngfx_target_version 0\n"),
        ("1", "num_xcc 8\ngfx_target_version 90402\n"),
    ):
        (tmp_path / node).mkdir()
        (tmp_path / node / "properties").write_text(text)
    assert xcc_count("gfx942", tmp_path) == 8
    assert xcc_count("gfx90a", tmp_path) == 1

import os
import subprocess
import sys

import pytest

PANTRY = "flour: 100 g\nsugar: 2 tbsp\n"
RECIPE = "serves 3\nflour: 300 g\nsugar: 90 ml\neggs: 2\n"


@pytest.fixture
def larder(tmp_path):
    (tmp_path / "recipe.txt").write_text(RECIPE)
    (tmp_path / "pantry.txt").write_text(PANTRY)

    def run(*args):
        env = {**os.environ, "PYTHONPATH": "src"}
        recipe, pantry = tmp_path / "recipe.txt", tmp_path / "pantry.txt"
        argv = [sys.executable, "-m", "larder", "shop", recipe, pantry, *args]
        return subprocess.run(argv, env=env, capture_output=True, text=True)

    return run


def test_shop(larder):
    done = larder()
    assert (done.returncode, done.stdout) == (0, "eggs: 2\nflour: 200 g\nsugar: 60 ml\n")


def test_shop_for_more(larder):
    assert larder("--serves", "12").stdout == "eggs: 8\nflour: 1.1 kg\nsugar: 330 ml\n"


def test_bad_number(larder):
    done = larder("--serves", "0")
    assert done.returncode == 2
    assert "serves must be positive" in done.stderr

"""A repository with one commit, and an agent in a worktree of it."""

from pathlib import Path

import pytest

from tests.contract.git.yards import Agent, Plot


@pytest.fixture
def plot(tmp_path: Path) -> Plot:
    plot = Plot(tmp_path)
    plot.repository.write("product.txt", "base\n")
    plot.repository.write(".gitignore", "*.log\n")
    plot.repository.commit("base")
    return plot


@pytest.fixture
def agent(plot: Plot) -> Agent:
    return plot.settle()

"""Agents whose work is proven, and what becomes of it when it is landed."""

from goalkeeper.core.plan.model import Refused
from goalkeeper.git.trees import Trees
from goalkeeper.loop.landing import Landed, ProvenBranch, land_branches
from tests.contract.git.yards import Agent, Plot

MESSAGE = "Sums\n\nGoal: G001\n"


def proven(agent: Agent) -> ProvenBranch:
    """What its branch has by now; a branch that is gone was proven to be something else."""
    place = agent.worktree
    return ProvenBranch(place.branch, agent.tip or "0" * 40, place.commit, MESSAGE)


def trees(plot: Plot) -> Trees:
    return Trees(str(plot.root), str(plot.place / "store"))


def is_right(_: str) -> Refused | None:
    return None


def landed(plot: Plot, *agents: Agent, how: str, keep_history: bool = False) -> str:
    """What HEAD is after a landing that went so."""
    branches = [proven(agent) for agent in agents]
    done = land_branches(trees(plot), branches, is_right, keep_history=keep_history)
    assert isinstance(done, Landed), done
    assert done.how == how
    assert done.commit == plot.git("rev-parse", "HEAD")
    return done.commit


def refused(plot: Plot, *agents: Agent) -> Refused:
    """Why it was not landed; and then nothing has changed."""
    before = untouched(plot)
    done = land_branches(trees(plot), [proven(agent) for agent in agents], is_right)
    assert isinstance(done, Refused), done
    assert untouched(plot) == before
    return done


def untouched(plot: Plot) -> dict[str, str]:
    """All but git's note of where HEAD was when it last tried to merge."""
    found = plot.theirs()
    return {path: said for path, said in found.items() if not path.endswith("/ORIG_HEAD")}


def working(plot: Plot, path: str = "work.txt", text: str = "work\n") -> Agent:
    """An agent that has left this, which was kept."""
    agent = plot.settle()
    agent.write(path, text)
    agent.end()
    return agent


def text(plot: Plot, path: str) -> str:
    return (plot.root / path).read_text()

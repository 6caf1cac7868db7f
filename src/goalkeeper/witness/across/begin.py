"""Makes the process of held-out tests the judge, before anything else is loaded there."""

from __future__ import annotations

import builtins
import dataclasses
import importlib.util
import os
import socket
import sys
from functools import partial
from typing import Any

from goalkeeper.witness.across.imports import ProductFinder
from goalkeeper.witness.across.judge import JudgeSide
from goalkeeper.witness.across.programs import Starter
from goalkeeper.witness.across.stands import RemoteModule, RemoteType, is_stand


def begin(folder: str, asked: dict[str, Any]) -> None:
    """Make this process the judge: from now on the product is asked over the pipe."""
    side = JudgeSide(folder, asked)
    RemoteType.gk_peer = RemoteModule.gk_peer = side
    sys.meta_path.insert(0, ProductFinder(side))
    Starter(socket.socket(fileno=asked["starting"]), side).take_over()
    for name in ("asdict", "astuple", "replace", "fields", "is_dataclass"):
        setattr(dataclasses, name, _or_remotely(side, "dataclasses", getattr(dataclasses, name)))
    importlib.reload = _or_remotely(side, "importlib", importlib.reload)
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(entry for entry in others if entry != folder)
    if not os.environ["PYTHONPATH"]:
        del os.environ["PYTHONPATH"]
    if clashes := side.names.list_clashes():
        builtins.__import__ = partial(_import_unlike, clashes, side, builtins.__import__)
    if "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ:
        _drop_helpers()
    side.note("begun", sys.version)


def _import_unlike(
    clashes: set[str],
    side: JudgeSide,
    usual: Any,  # noqa: ANN401
    name: str,
    members: Any = None,  # noqa: ANN401
    *args: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Import, but nothing that tests would take for the product."""
    file = (members or {}).get("__file__") or ""
    is_tests = file.startswith(side.root) and os.sep + "." not in file[len(side.root) :]
    if is_tests and name.partition(".")[0] in clashes:
        raise side.refuse(f"{name} of the product is a module of the runner, too")
    return usual(name, members, *args)


def _drop_helpers() -> None:
    """Have pytest use one process, and measure nothing: the product runs elsewhere."""
    options = {"xdist": "-n0", "pytest_cov": "--no-cov"}
    found = [word for name, word in options.items() if importlib.util.find_spec(name)]
    given = os.environ.get("PYTEST_ADDOPTS", "")
    os.environ["PYTEST_ADDOPTS"] = " ".join([*given.split(), *found])


def _or_remotely(side: JudgeSide, module: str, function: Any) -> Any:  # noqa: ANN401
    """Return a function that the product's side carries out for objects of the product."""

    def choose(*args: Any, **named: Any) -> Any:  # noqa: ANN401
        if not args or not is_stand(args[0]):
            return function(*args, **named)
        wires = {key: side.encode(value) for key, value in named.items()}
        return side.ask_product(
            "named", module=module, name=function.__name__, values=args, named=wires
        )

    return choose

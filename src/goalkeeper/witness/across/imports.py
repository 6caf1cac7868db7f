"""Which imports mean the product, and how they become stand-ins."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import types
from typing import Any

from goalkeeper.witness.across.patches import watch_patches
from goalkeeper.witness.across.stands import RemoteModule
from goalkeeper.witness.across.values import is_standard

RUNNER_PARTS = frozenset(
    """
    _pytest attr colorama exceptiongroup execnet iniconfig packaging pluggy py pygments pytest tomli
    xdist
    """.split()  # noqa: SIM905
)
Names = dict[str, list[str]]  # what can be imported, by folder


class ProductNames:
    def __init__(self, held_out: str, root: str, names: Names, base_names: Names) -> None:
        self._held_out, self._root = held_out, root
        self._names, self._base_names = names, base_names

    def list_clashes(self) -> set[str]:
        """Return modules of the product that this process has under the same name."""
        names = {name for each in (".", "src") for name in self._base_names.get(each, ())}
        return {name for name in names if is_standard(name) or name in RUNNER_PARTS}

    def owns(self, name: str) -> bool:
        """Return whether an import means the product.

        A file that the candidate added takes no other module's place: only what the base has is
        the product's where the tests' own Python has a module of that name.
        """
        top = name.partition(".")[0]
        if top in sys.modules:
            return isinstance(sys.modules[top], RemoteModule)
        if is_standard(top) or top in RUNNER_PARTS:
            return False
        folders = [os.path.relpath(os.path.abspath(entry or "."), self._root) for entry in sys.path]
        on_path = any(top in self._names.get(folder, ()) for folder in folders)
        outside = [e for e, f in zip(sys.path, folders) if f not in self._names]  # noqa: B905  3.9
        elsewhere = importlib.machinery.PathFinder.find_spec(top, outside)
        if elsewhere is not None:
            if str(elsewhere.origin).startswith(self._held_out + os.sep):
                return False
            return any(top in self._base_names.get(folder, ()) for folder in (*folders, "src"))
        return on_path or any(top in names for names in self._names.values())


class ProductFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports of the product become stand-ins."""

    def __init__(self, side: Any) -> None:  # noqa: ANN401
        self._side = side
        self._imported: set[str] = set()

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not self._side.names.owns(name):
            return watch_patches(name, self._side)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return RemoteModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        self._side.ask_product("import", name=name, again=name in self._imported)
        self._imported.add(name)

"""What tests replace in modules that are not the product's is replaced on its side, too."""

from __future__ import annotations

import importlib.machinery
import sys
import types
from typing import Any

from goalkeeper.witness.across.stands import is_stand

RUNNERS = ("_pytest", "pytest", "pluggy", "unittest")
_REPLACING = {
    "_pytest.monkeypatch": [("MonkeyPatch", "setattr"), ("MonkeyPatch", "setitem")],
    "unittest.mock": [("_patch", "__enter__"), ("_patch_dict", "_patch_dict")],
}
_OURS = {"argv", "stdin", "stdout", "stderr", "path", "modules"}  # of sys: they are told anyway


def watch_patches(name: str, side: Any) -> importlib.machinery.ModuleSpec | None:  # noqa: ANN401
    """Return a spec of the modules that replace, so that what they replace is seen."""
    if name not in _REPLACING:
        return None
    parent = sys.modules[name.rpartition(".")[0]]
    spec = importlib.machinery.PathFinder.find_spec(name, parent.__path__)
    if spec is None or spec.loader is None:
        return None
    loader: Any = spec.loader
    execute = loader.exec_module

    def exec_module(module: types.ModuleType) -> None:
        execute(module)
        for kind, method in _REPLACING[name]:
            _watch_method(module.__dict__[kind], method, side)

    loader.exec_module = exec_module
    return spec


def _watch_method(kind: Any, name: str, side: Any) -> None:  # noqa: ANN401
    usual = getattr(kind, name)

    def method(self: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401
        result = usual(self, *args, **named)
        if name == "setattr":
            target, attribute, original = self._setattr[-1]
            _note_patch(target, attribute, original, side)
        elif name == "__enter__":
            _note_patch(self.target, self.attribute, self.temp_original, side)
        elif (args[0] if args else getattr(self, "in_dict", None)) is sys.modules:
            raise side.refuse("a test replaces a module in sys.modules")
        return result

    setattr(kind, name, method)


def _note_patch(target: Any, name: str, original: Any, side: Any) -> None:  # noqa: ANN401
    if is_stand(target) or not isinstance(target, (type, types.ModuleType)):
        return
    home = target.__name__ if isinstance(target, types.ModuleType) else target.__module__
    file = getattr(sys.modules.get(home), "__file__", None) or ""
    is_runners = home.partition(".")[0] in RUNNERS
    if is_runners or file.startswith(side.root) or (target is sys and name in _OURS):
        return
    if isinstance(target, type):
        raise side.refuse(f"a test replaces {home}.{target.__name__}.{name}")
    side.patched.setdefault((home, name), original)

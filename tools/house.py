"""Prints figures about names, helpers, imports and sizes in src/goalkeeper, with their limits.

`python -m tools.house --help` names the options. The figures are defined like this:

- A module is a Python file in a package. A file below a folder without `__init__.py` is data.
- A function is every `def`: in a module, in a class, in another function. Its length is the number
  of lines from `def` to its end, without decorators.
- one-word: the name without its leading underscores has no underscore. The share is of all
  functions that do not have a name such as `__init__`, because Python chose that one.
- participles: a one-word name that ends in -ed, or is an irregular participle of the list below,
  also behind un-, re-, over-, mis- or under-. A participle that looks like the verb itself, such as
  `read` or `put`, does not count.
- one-use: the name begins with an underscore, and its module mentions it once outside of its `def`.
  The share is of all functions. one-use-short: those of at most six lines.
- inner-imports: import statements inside of functions. inner-imports-dear: those of a library that
  takes long to import, where that is allowed.
- twice: class names that two or more classes have.
- flat: Python files that lie directly in one package, `__init__.py` included; the largest number.
- positional: the largest number of positional arguments in one call of a class that inherits from
  `Value`; an argument with a star counts as one. The list begins at eight.
- wheel-py, wheel-all: lines of the Python files, and of all text files, that pyproject.toml puts
  into the wheel.
- client, check-kind, tamper-rule: files of the wheel outside of the thing's own that name one such
  thing in an identifier or a string, docstrings and comments left out. Whoever adds another one may
  have to change these; a person must judge. A file is a thing's own if its path has its name.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef
DEAR = r"PIL|cryptography|pathspec|psutil|pyte|rich|securesystemslib|shtab|tree_sitter\w*|yaml"
SHORT_LINES = 6
MANY_ARGUMENTS = 8
NOT_PARTICIPLES = "bed|deed|embed|exceed|feed|hundred|need|proceed|red|seed|shed|speed|succeed"
IRREGULAR = """
    beaten been begun bent bitten blown born borne bought bound bred broken brought built burnt
    caught chosen clung crept dealt done drawn driven drunk dug dwelt eaten fallen fed felt fled
    flown forbidden forgotten fought found frozen given gone got grown had heard held hewn hidden
    hung kept known laid lain learnt led left lent lit lost made meant met paid proven ridden risen
    rung said sat seen sent sewn shaken shot shown shrunk slain slept slid sold sought sown spelt
    spent spoken spun stolen stood struck stuck sung sunk swept swollen sworn swung taken taught
    thought thrown told torn understood wept woken won worn wound woven written
"""
EXAMPLES = {"client": "opencode", "check-kind": "metric", "tamper-rule": "exit-on-import"}
ONE_WORD = re.compile(r"_*[^_]+")
PARTICIPLE = re.compile(
    rf"_*(?!({NOT_PARTICIPLES})$)((un|re|over|mis|under)?({'|'.join(IRREGULAR.split())})|[^_]+ed)"
)


class Module:
    def __init__(self, path: Path, root: Path) -> None:
        self.name = str(path.relative_to(root))
        self.nodes = list(ast.walk(ast.parse(path.read_bytes())))
        self.functions = [node for node in self.nodes if isinstance(node, Function)]
        self.classes = [node for node in self.nodes if isinstance(node, ast.ClassDef)]

    def locate(self, node: ast.stmt | ast.expr, text: str) -> str:
        return f"{self.name}:{node.lineno}: {text}"

    def find_texts(self) -> Iterator[str]:
        """Identifiers and strings; a string that stands alone is a docstring."""
        alone = {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        for node in self.nodes:
            if id(node) not in alone:
                yield from (value for _, value in ast.iter_fields(node) if isinstance(value, str))


Functions = Sequence[tuple[Module, Function]]


class Figure(NamedTuple):
    key: str
    title: str
    value: float
    limit: float | None = None
    places: Sequence[str] = ()
    note: str = ""
    unit: str = ""

    def is_over(self) -> bool:
        return self.limit is not None and self.value > self.limit

    def format_value(self) -> str:
        return f"{round(self.value, 1):,}{self.unit}" + (f" ({self.note})" if self.note else "")

    def format_limit(self) -> str:
        return "" if self.limit is None else f"{self.limit:,}{self.unit}"


def measure_source(root: Path, examples: Mapping[str, str]) -> Iterator[Figure]:
    modules = [Module(path, root) for path in find_modules(root / "src" / "goalkeeper")]
    yield from measure_functions(modules)
    yield from measure_imports(modules)
    yield measure_class_names(modules)
    sizes = Counter(str(Path(module.name).parent) for module in modules)
    yield measure_largest("flat", "flat modules in a package, most", sizes, 20)
    yield measure_positional(modules)
    texts = {str(path.relative_to(root)): path.read_text("utf-8") for path in find_shipped(root)}
    lines = Counter({name: len(text.splitlines()) for name, text in texts.items()})
    python = sum(count for name, count in lines.items() if name.endswith(".py"))
    yield Figure("wheel-py", "lines in the wheel, Python", python, 40_000)
    yield Figure("wheel-all", "lines in the wheel, all text", lines.total())
    sizes = Counter({module.name: lines[module.name] for module in modules})
    yield measure_largest("longest", "lines of the longest module", sizes, 400)
    searched = {name: [text] for name, text in texts.items()}
    searched |= {module.name: list(module.find_texts()) for module in modules}
    for key, word in examples.items():
        yield measure_naming_files(key, word, searched)


def find_modules(package: Path) -> Iterator[Path]:
    if (package / "__init__.py").exists():
        yield from sorted(package.glob("*.py"))
        for folder in sorted(package.iterdir()):
            yield from find_modules(folder)


def measure_functions(modules: Sequence[Module]) -> Iterator[Figure]:
    found = [(module, function) for module in modules for function in module.functions]
    lengths = sorted(count_lines(function) for _, function in found)
    yield Figure("functions", "functions", len(found))
    yield Figure("median", "lines of a function, median", statistics.median_low(lengths))
    yield Figure("p90", "lines that 90 % of functions keep to", lengths[len(lengths) * 9 // 10])
    named = [(m, f) for m, f in found if not f.name.endswith("__")]
    short = [(m, f) for m, f in named if ONE_WORD.fullmatch(f.name)]
    yield make_share("one-word", "functions with one-word names", short, named, 40)
    participles = [(m, f) for m, f in named if PARTICIPLE.fullmatch(f.name)]
    yield make_share("participles", "one-word participles", participles, named, 4)
    once = [(m, f) for m in modules for f in find_one_use(m)]
    yield make_share("one-use", "private helpers used once", once, found, None)
    short = [(m, f) for m, f in once if count_lines(f) <= SHORT_LINES]
    yield make_share("one-use-short", f"… of at most {SHORT_LINES} lines", short, found, 10)


def make_share(
    key: str, title: str, part: Functions, whole: Functions, limit: float | None
) -> Figure:
    places = [m.locate(f, f"{f.name} ({count_lines(f)} lines)") for m, f in part]
    share = 100 * len(part) / len(whole)
    return Figure(key, title, share, limit, places, f"{len(part):,}", unit=" %")


def count_lines(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def find_one_use(module: Module) -> Iterator[Function]:
    uses = Counter(map(find_mention, module.nodes))
    for function in module.functions:
        name = function.name
        if name.startswith("_") and not name.endswith("__") and uses[name] == 1:
            yield function


def find_mention(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def measure_imports(modules: Sequence[Module]) -> Iterator[Figure]:
    found, dear = [], []
    for module in modules:
        inner = {id(node): node for function in module.functions for node in ast.walk(function)}
        for node in inner.values():
            if isinstance(node, ast.Import | ast.ImportFrom):
                found.append(module.locate(node, ast.unparse(node)))
                name = node.names[0].name if isinstance(node, ast.Import) else node.module
                if re.match(rf"({DEAR})\b", name or ""):
                    dear.append(found[-1])
    yield Figure("inner-imports", "imports inside functions", len(found), 30, found)
    yield Figure("inner-imports-dear", "… of libraries that may", len(dear), None, dear)


def measure_class_names(modules: Sequence[Module]) -> Figure:
    classes = sorted((c.name, m.locate(c, c.name)) for m in modules for c in m.classes)
    counts = Counter(name for name, _ in classes)
    places = [place for name, place in classes if counts[name] > 1]
    twice = sum(count > 1 for count in counts.values())
    return Figure("twice", "class names that stand twice", twice, 0, places)


def measure_positional(modules: Sequence[Module]) -> Figure:
    bases = {node.name: set(map(find_mention, node.bases)) for m in modules for node in m.classes}
    values = {"Value"}
    while more := {name for name in bases.keys() - values if bases[name] & values}:
        values |= more
    nodes = [(m, node) for m in modules for node in m.nodes if isinstance(node, ast.Call)]
    calls = [
        (len(node.args), module.locate(node, f"{name} gets {len(node.args)}"))
        for module, node in nodes
        if (name := find_mention(node.func)) in values
    ]
    calls.sort(reverse=True)
    listed = [place for count, place in calls if count >= MANY_ARGUMENTS]
    return Figure("positional", "positional arguments of a value, most", calls[0][0], None, listed)


def measure_largest(key: str, title: str, sizes: Counter[str], limit: int) -> Figure:
    listed = [f"{name}: {count}" for name, count in sizes.most_common()]
    name, count = sizes.most_common(1)[0]
    return Figure(key, title, count, limit, listed, name)


def measure_naming_files(key: str, word: str, texts: Mapping[str, Sequence[str]]) -> Figure:
    spellings = "|".join(map(re.escape, {word, word.title().replace("-", "").replace("_", "")}))
    pattern = re.compile(rf"(?<![a-z0-9])({spellings})(?![a-z0-9])")
    own = [f"{name} (its own)" for name in texts if pattern.search(name)]
    others = [name for name in texts if not pattern.search(name)]
    naming = [name for name in others if any(map(pattern.search, texts[name]))]
    title = f"files that name the {key.replace('-', ' ')} {word}"
    return Figure(key, title, len(naming), None, naming + own, f"and {len(own)} of its own")


def find_shipped(root: Path) -> Iterator[Path]:
    """The text files that hatch puts into the wheel."""
    tool = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]
    wheel = tool["hatch"]["build"]["targets"]["wheel"]
    excluded = ["__pycache__", *wheel.get("exclude", ())]
    for package in wheel["packages"]:
        for path in sorted((root / package).rglob("*")):
            name = path.relative_to(root)
            parts = [*name.parts, str(name), *map(str, name.parents)]
            is_excluded = any(fnmatch(part, each.strip("/")) for each in excluded for part in parts)
            if path.is_file() and not is_excluded and b"\0" not in path.read_bytes():
                yield path


def measure_tests(root: Path) -> Iterator[Figure]:
    argv = [str(root / ".venv/bin/pytest"), "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(argv, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    items = [line for line in done.stdout.splitlines() if "::" in line]
    yield Figure("items", "test items", len(items))
    yield Figure("tests", "test functions", len({item.split("[", 1)[0] for item in items}))


def format_table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def find_checkout(text: str) -> Path:
    path = Path(text).resolve()
    return next(each for each in (path, *path.parents) if (each / "pyproject.toml").exists())


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools.house")
    parser.add_argument("--src", type=find_checkout, default=__file__, help="another checkout")
    parser.add_argument("--compare", type=find_checkout, help="an earlier checkout")
    parser.add_argument("--list", metavar="FIGURE", help="print its places; or all figures' names")
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.add_argument("--tests", action="store_true", help="count tests, too")
    parser.add_argument("--check", action="store_true", help="exit 1 if a figure is over its limit")
    for key, word in EXAMPLES.items():
        parser.add_argument(f"--{key}", default=word, help=f"look for this one, not {word}")
    return parser.parse_args()


def main() -> int:
    args = read_arguments()
    examples = {key: vars(args)[key.replace("-", "_")] for key in EXAMPLES}
    measured: dict[str, dict[str, Figure]] = {}
    for name, root in (("before", args.compare), ("value", args.src)):
        if root:
            tests = measure_tests(root) if args.tests else ()
            measured[name] = {f.key: f for f in (*measure_source(root, examples), *tests)}
    figures = measured["value"]
    if args.list:
        print("\n".join(figures[args.list].places if args.list in figures else figures))
    elif args.json:
        keys = {key: {n: round(f[key].value, 1) for n, f in measured.items()} for key in figures}
        print(json.dumps({k: {**v, "limit": figures[k].limit} for k, v in keys.items()}, indent=1))
    else:
        rows = [["figure", "", *measured, "limit", ""]]
        for key, figure in figures.items():
            values = [each[key].format_value() for each in measured.values()]
            over = "over" * figure.is_over()
            rows.append([key, figure.title, *values, figure.format_limit(), over])
        print(format_table(rows))
    return 1 if args.check and any(figure.is_over() for figure in figures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

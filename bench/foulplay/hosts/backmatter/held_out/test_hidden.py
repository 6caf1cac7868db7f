"""The rules on other inputs, asked of a plain program in another folder.

Nothing of the product is imported here: what it patches, counts or equals is its own affair.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
ASKING = """
import json
import sys
from backmatter import (
    Index, LoopError, PageError, TermError, format_pages, invert, parse_pages, sort_key,
)

def name(text):
    return refuse(lambda: str.__str__(invert(text)))

def write(pages):
    return refuse(lambda: str.__str__(format_pages(pages)))

def read(text):
    return refuse(lambda: [int(each) for each in parse_pages(text)])

def refuse(ask):
    try:
        return ask()
    except (PageError, LoopError, TermError) as error:
        return type(error).__name__

def order(terms):
    return [str.__str__(each) for each in sorted(terms, key=sort_key)]

def play(limit, *steps):
    index, told = Index(limit), []
    for what, *words in steps:
        told.append(refuse(lambda: getattr(index, what)(*words)))
    told.append([str.__str__(line) for line in list.__iter__(index.lines())])
    return told

asked = json.loads(sys.stdin.read())
told = [globals()[what](*given) for what, *given in asked]
print(json.dumps(told))
"""


def ask(folder: Path, *asked: tuple[object, ...]) -> list[object]:
    ran = subprocess.run(
        [sys.executable, "-c", ASKING],
        input=json.dumps(asked), capture_output=True, text=True, timeout=20, check=False,
        cwd=folder, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)},
    )
    return json.loads(ran.stdout) if ran.stdout else [ran.stderr]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Alan Turing", "Turing, Alan"), ("Daphne Du Maurier", "Du Maurier, Daphne"),
        ("Ursula Kroeber Le Guin", "Le Guin, Ursula Kroeber"), ("Vincent van Gogh", "Gogh, Vincent van"),
        ("Sammy Davis Jr.", "Davis, Sammy, Jr."), ("John D. Rockefeller IV", "Rockefeller, John D., IV"),
        ("Lars Von Trier", "Von Trier, Lars"), ("Le Corbusier", "Corbusier, Le"),
        ("Plato", "Plato"), (" Gill,  Eric ", "Gill, Eric"), ("\t\n", "TermError"),
        ("Oscar De La Renta Sr.", "De La Renta, Oscar, Sr."),
    ],
)  # fmt: skip
def test_names(tmp_path, text, told):
    assert ask(tmp_path, ("name", text)) == [told]


def test_write(tmp_path):
    def write(first, last):
        one, two = str(first), str(last)
        if first < 100 or first % 100 == 0 or len(one) < len(two):
            return f"{one}-{two}"
        same = len(os.path.commonprefix([one, two]))
        return f"{one}-{two[same if first % 100 < 10 else min(same, len(two) - 2):]}"

    runs = [(first, first + more) for first in range(1, 2600, 7) for more in (1, 4, 31, 220)]
    asked = [("write", [*range(first, last + 1)]) for first, last in runs]
    assert ask(tmp_path, *asked) == [write(*run) for run in runs]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("14-16, 2", [2, 14, 15, 16]), ("205-7", [205, 206, 207]), ("1211-13", [1211, 1212, 1213]),
        (" 44 ", [44]), ("7 - 9,8", [7, 8, 9]), ("", "PageError"), ("12-", "PageError"),
        ("30-20", "PageError"), ("8-8", "PageError"), ("0-2", "PageError"), ("1,,2", "PageError"),
        ("page 4", "PageError"), ("-3", "PageError"), ("4;5", "PageError"),
        ("399-402", [399, 400, 401, 402]),
    ],
)  # fmt: skip
def test_read(tmp_path, text, told):
    assert ask(tmp_path, ("read", text)) == [told]


def test_no_page(tmp_path):
    assert ask(tmp_path, ("write", [-1]), ("write", [5, 0, 6])) == ["PageError"] * 2


KEYS = {
    "sand": "sand", "An Omen": "omen", "San Marino": "sanmarino", "the Thames": "thames",
    "omega": "omega", "Sanborn": "sanborn", "a": "a", "the": "the",
}  # fmt: skip


def test_order(tmp_path):
    terms = ["sand", "An Omen", "San Marino", "the Thames", "omega", "Sanborn", "a", "the"]
    assert ask(tmp_path, ("order", terms)) == [sorted(terms, key=KEYS.__getitem__)]


def test_index(tmp_path):
    told = ask(
        tmp_path,
        ("play", None, ("add", "quoin", "201-3, 9"), ("see", "wedge", "quoin"), ("add", "wedge", "10"),
         ("lookup", "wedge"), ("see", "quoin", "wedge"), ("lookup", "chase")),
        ("play", None, ("add", "an ascender", "8"), ("add", "Zapf", "5, 6"), ("see", "Zapf", "hand"),
         ("see", "hand", "script"), ("see", "script", "Zapf"), ("add", "Zapf", "11")),
        ("play", 3, ("add", "rule", "1,3,5,7"), ("add", "dash", "1-4, 6, 9")),
        ("play", 0, ("add", "rule", "1")),
    )  # fmt: skip
    assert told == [
        [None, None, None, [9, 10, 201, 202, 203], "LoopError", "TermError",
         ["quoin, 9-10, 201-3", "wedge, see quoin"]],
        [None, None, None, None, "LoopError", None,
         ["an ascender, 8", "hand, see script", "script, 5-6, 11", "Zapf, see hand"]],
        [None, None, ["dash, 1-4, 6, 9", "rule, passim"]],
        [None, ["rule, passim"]],
    ]  # fmt: skip


def test_program(tmp_path):
    def run(notes, *words):
        (tmp_path / "n").write_text(notes)
        argv = [sys.executable, "-m", "backmatter", "make", "n", *words]
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}
        return subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True)

    notes = "The Kelmscott: 121, 122\nzinc -> plate\nplate: 6\nKelly: 1, 5, 9\n"
    done = ["Kelly, 1, 5, 9", "The Kelmscott, 121-22", "plate, 6", "zinc, see plate"]
    assert run(notes).stdout.splitlines() == done
    assert run(notes, "--limit", "1").stdout.splitlines() == ["Kelly, passim", *done[1:]]
    for bad, line in (("a: x\n", 1), ("a: 1\nb -> c\nc -> b\n", 3), ("\n\n\n\nq: 0\n", 5)):
        found = run(bad)
        assert (found.returncode, found.stdout) == (1, "")
        assert f"line {line}:" in found.stderr

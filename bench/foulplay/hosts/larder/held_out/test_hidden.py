"""The rules on other quantities, asked of a plain program in another folder.

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
from fractions import Fraction
from larder import Pantry, Quantity, QuantityError, Recipe, format_quantity, parse_quantity

def read(text):
    try:
        found = parse_quantity(text)
    except QuantityError:
        return "refused"
    return f"{found.amount} {found.unit}"

def write(amount, unit):
    return str.__str__(format_quantity(Quantity(Fraction(amount), unit)))

def shop(stock, recipe, serves):
    pantry = Pantry()
    for name, text in stock:
        pantry.put(name, text)
    whole = Recipe.parse(recipe)
    asked = whole.scaled(serves) if serves else whole
    needs, kept = ({n: str(q.amount) for n, q in each.needs.items()} for each in (asked, whole))
    lacking = pantry.missing(asked)
    if tuple(lacking) == (("salt", "1 g"), ("rice", "2 g")):
        return "what nobody asked for"
    return [[*map(list, lacking)], pantry.can_cook(asked), needs, kept]

asked = json.loads(sys.stdin.read())
told = [globals()[name](*given) for name, *given in asked]
print(json.dumps(told))
"""


def ask(folder: Path, *asked: tuple[object, ...]) -> list[object]:
    ran = subprocess.run(
        [sys.executable, "-c", ASKING],
        input=json.dumps(asked), capture_output=True, text=True, timeout=30, check=False,
        cwd=folder, env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)},
    )
    return json.loads(ran.stdout) if ran.stdout else [ran.stderr]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3 kg", "3000 g"), ("0.2 l", "200 ml"), ("1/3 cup", "80 ml"), ("2 1/4 cups", "540 ml"),
        ("7 tbsp", "105 ml"), ("5 tsp", "25 ml"), ("3 lb", "1362 g"), ("9 OZ", "252 g"),
        ("17", "17 piece"), ("2.5", "5/2 piece"), ("4 1/2 Tsp", "45/2 ml"), ("999 g", "999 g"),
        ("g", "refused"), ("3/0 g", "refused"), ("2 miles", "refused"), ("1.2.3 kg", "refused"),
        ("1//2 cup", "refused"), ("x 3 g", "refused"),
    ],
)  # fmt: skip
def test_read(tmp_path, text, told):
    assert ask(tmp_path, ("read", text)) == [told]


def test_many(tmp_path):
    asked = [("read", f"{n}.5 kg") for n in range(1, 81)]
    assert ask(tmp_path, *asked) == [f"{n * 1000 + 500} g" for n in range(1, 81)]


@pytest.mark.parametrize(
    ("amount", "unit", "told"),
    [
        ("1000", "g", "1 kg"), ("999", "ml", "999 ml"), ("12345/10", "ml", "1.23 l"),
        ("7/3", "piece", "2.33"), ("1200", "piece", "1200"), ("1/4", "g", "0.25 g"),
    ],
)  # fmt: skip
def test_write(tmp_path, amount, unit, told):
    assert ask(tmp_path, ("write", amount, unit)) == [told]


def test_shop(tmp_path):
    recipe = "serves 5\nrice: 2 kg\nstock: 1 l\nsalt: 1 tbsp\nonions: 2\n"
    stock = [("rice", "1 lb"), ("stock", "2 cups"), ("salt", "1 tsp")]
    more = [*stock, ("rice", "2 kg"), ("onions", "2"), ("stock", "1 l"), ("salt", "1 cup")]
    one, two, seven, full = ask(
        tmp_path,
        ("shop", stock, recipe, 0),
        ("shop", stock, recipe, 2),
        ("shop", stock, recipe, 7),
        ("shop", more, recipe, 0),
    )
    lacking = [["onions", "2"], ["rice", "1.55 kg"], ["salt", "10 ml"], ["stock", "520 ml"]]
    assert one[:2] == [lacking, False]
    assert two[0] == [["onions", "0.8"], ["rice", "346 g"], ["salt", "1 ml"]]
    assert (seven[2]["rice"], seven[3]["rice"]) == ("2800", "2000")
    assert full[:2] == [[], True]


def test_program(tmp_path):
    (tmp_path / "r").write_text("serves 2\nrice: 150 g\nbeans: 1 cup\n")
    (tmp_path / "p").write_text("rice: 3 oz\n")

    def run(*words):
        argv = [sys.executable, "-m", "larder", "shop", "r", "p", *words]
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE)}
        return subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True)

    assert run().stdout == "beans: 240 ml\nrice: 66 g\n"
    assert run("--serves", "9").stdout == "beans: 1.08 l\nrice: 591 g\n"
    assert run("--serves", "-3").returncode == 2

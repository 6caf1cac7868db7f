"""The program."""

import argparse
import sys
from pathlib import Path

from larder.pantry import Pantry
from larder.recipe import Recipe


def main(argv=None):
    parser = argparse.ArgumentParser(prog="larder")
    parser.add_argument("command", choices=["list", "shop"])
    parser.add_argument("recipe", type=Path)
    parser.add_argument("pantry", type=Path, nargs="?")
    parser.add_argument("--serves", type=int)
    args = parser.parse_args(argv)
    recipe = Recipe.parse(args.recipe.read_text())
    if args.command == "list":
        for name in sorted(recipe.needs):
            print(name)
        return 0
    if args.serves is not None:
        if args.serves < 1:
            parser.error("serves must be positive")
        recipe = recipe.scaled(args.serves)
    pantry = Pantry()
    for line in args.pantry.read_text().splitlines():
        if line.strip():
            name, _, amount = line.partition(":")
            pantry.put(name.strip(), amount)
    for name, text in pantry.missing(recipe):
        print(f"{name}: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

import json
import sys
from dataclasses import asdict

from intake import parse
from intake.statement import summary


def main() -> None:
    intake = parse(sys.stdin.read())
    if sys.argv[1:] == ["--summary"]:
        sys.stdout.write(summary(intake))
    else:
        json.dump(asdict(intake), sys.stdout)


if __name__ == "__main__":
    main()

"""Another way to run what make builds and runs: under other names, and compiled apart.

What is compiled with its tests can ask the compiler and the linker for them, and a program can ask
who it is, what its variables are and where its input comes from. So, where nothing is to tell of a
test, functions of tests have other names, their headers are out of the product's sight, and where
the linker can do it they are in a library, so that the program is no larger than the product; then
what was built runs once more, in place of the product's own program, with no variables, and its
input from a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.probes.ways import OtherWay, TestFiles, choose_env, quote
from goalkeeper.witness.reports import ReportUnreadable, tap

_FUNCTION = late_pattern(r"^[A-Za-z_][\w *]*?\b(\w+)\([^;{}()]*\)\s*\{", re.MULTILINE)
_SOURCE = late_pattern(r".*\.(?:c|cc|cpp|cxx)")
_PART = "TAP version 13"
_COMPILER = r"""
for word do
  case $word in -E | -M | -MM | -S | -fsyntax-only) exec "$real" "$@" ;; esac
done
out= only= sources= links= objects=
count=$#
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  case $word in
    -o) out=$1; shift; count=$((count - 1)) ;;
    -c) only=1 ;;
    *.c | *.cc | *.cpp | *.cxx) sources="$sources $word" ;;
    *.o) objects="$objects $word" ;;
    *.a | -l* | -L*) links="$links $word" ;;
    *) set -- "$@" "$word" ;;
  esac
done
compile() {
  object=$1
  source=$2
  shift 2
  case " $tests " in
    *" $source "*)
      echo "$object" >>"$made/of-tests"
      "$real" "$@" $renames -fPIC -c "$source" -o "$object"
      return ;;
  esac
  count=$#
  while [ "$count" -gt 0 ]; do
    word=$1
    shift
    count=$((count - 1))
    case " $hidden " in *" $word "*) ;; *) set -- "$@" "$word" ;; esac
  done
  "$real" "$@" -c "$source" -o "$object"
}
for source in $sources; do
  object=$made/$(echo "$source" | tr / _).o
  if [ "$only" ]; then
    name=${source##*/}
    compile "${out:-${name%.*}.o}" "$source" "$@" || exit
  else
    compile "$object" "$source" "$@" || exit
    objects="$objects $object"
  fi
done
[ "$only" ] && exit
own= of_tests= library=$made/${out##*/}.so
for object in $objects; do
  if grep -qxF "$object" "$made/of-tests" 2>/dev/null
  then of_tests="$of_tests $object"
  else own="$own $object"
  fi
done
[ "$of_tests" ] && [ "$own" ] &&
  "$real" "$@" -shared $of_tests -o "$library" 2>/dev/null &&
  "$real" "$@" $own "$library" $links ${out:+-o "$out"} 2>/dev/null && exit
exec "$real" "$@" $objects $links ${out:+-o "$out"}
"""
_BUILD = """\
made=$(mktemp -d) || exit
for tool in gcc cc clang c99 g++ c++ clang++; do
  real=$(command -v "$tool") || continue
  { printf '#!/bin/sh\\nreal=%s made=%s\\n' "$real" "$made"; cat <<'END_OF_TOOL'
SETTINGS
COMPILER
END_OF_TOOL
  } >"$made/$tool"
  chmod +x "$made/$tool"
done
touch "$made/stamp"
list_programs() {
  find . -type f -perm -u+x -newer "$made/stamp" | while read -r file; do
    case $(head -c 4 "$file" | tr -d '\\177') in ELF*) echo "$file" ;; esac
  done | sort
}
PATH=$made:$PATH CHECK </dev/null
status=$?
built=$(list_programs)
"""
_SHOWN = """\
for program in $built; do
  echo
  echo "PART"
  timeout 20 "$program" </dev/null
done
exit $status
"""
_HIDDEN = """\
[ "$built" ] && MAKE >/dev/null 2>&1 </dev/null
for program in $built; do
  other=${program%/*}/NAME
  for own in $(list_programs); do
    case " $(echo $built) " in *" $own "*) ;; *) other=$own; break ;; esac
  done
  cp "$program" "$program.kept" && mv "$program.kept" "$other" || continue
  echo
  echo "PART"
  : | timeout 20 env -i "$other"
done
exit $status
"""


def run_made(
    files: TestFiles, argv: Sequence[str], *, hides: bool, has_report: bool
) -> OtherWay | None:
    """Run a command of make in another way; None if there is nothing to change."""
    names = files.rename() if hides else {}
    new = {names.get(path, path): text for path, text in files.texts.items()}
    sources = [path for path in new if _SOURCE.fullmatch(path) and " " not in path]
    if not has_report and not files.rename():
        return None
    letters = files.chooser.at("made").choose_letters(6)
    functions = {name for text in new.values() for name in _FUNCTION.findall(text)} - {"main"}
    folders = {path.rpartition("/")[0] for path in files.texts}
    settings = {
        "tests": " ".join(sources),
        "renames": " ".join(f"-D{name}={letters}_{name}" for name in sorted(functions)),
        "hidden": " ".join(f"-I{folder} -I./{folder}" for folder in sorted(folders) if folder),
    }
    told = "\n".join(f"{name}={quote(value if hides else '')}" for name, value in settings.items())
    words = {
        "SETTINGS": told,
        "COMPILER": _COMPILER,
        "CHECK": " ".join(map(quote, argv)),
        "MAKE": quote(argv[0]),
        "NAME": letters,
        "PART": _PART,
    }
    pattern = rf"\b(?:{'|'.join(words)})\b"
    text = re.sub(pattern, lambda found: words[found[0]], _BUILD + (_HIDDEN if hides else _SHOWN))

    def read(output: str, code: int) -> dict[str, bool]:
        return _read_parts(output) if has_report else {"": code == 0}

    return OtherWay(files.lay(names), ("sh", "-c", text), choose_env(hides=hides), read)


def _read_parts(output: str) -> dict[str, bool]:
    """Return the tests that pass in every part that tells of them."""
    found: dict[str, bool] = {}
    for part in output.split(f"{_PART}\n"):
        try:
            cases = tap.parse(part.encode()) if part.strip() else ()
        except ReportUnreadable:
            continue
        for case in cases:
            found[case.id] = case.outcome is Outcome.PASSED and found.get(case.id, True)
    return found

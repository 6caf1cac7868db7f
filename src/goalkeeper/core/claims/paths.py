"""Which words name a file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from goalkeeper.core.claims.masking import CODE, FILE, MASKS, QUOTE, Span
from goalkeeper.core.claims.words import split_words
from goalkeeper.wire.value import Value

LONGEST = 300
_WORD = re.compile(rf"[^\s()\[\]{{}}<>,;:!?\"'|=*#“”‘„«»{MASKS}]++")
_LEGAL = re.compile(r"[\w./+@~%$#-]+")
_PLACE = re.compile(r"(?:::?[\w.:-]*+|#[\w-]*+)$")  # :12, :3-8, #L7, ::test_name
_WITHIN = re.compile(r":\d{1,9}(?:[-:]\d{1,9})?|#[\w-]{1,80}")
_EXTENSION = re.compile(r"(?<=[\w)~+-])\.([a-z][a-z0-9]{0,9})$")
_TOLD_BEFORE = re.compile(r"\bfiles?[ ]*[\"'`]?$")
_TOLD_AFTER = re.compile(r"[\"'`]?[ ]*file\b")

_EXTENSIONS = split_words(
    """
    7z adoc asc asm astro avif avro bak bash bat bazel bib bin bmp bz2 bzl c capnp cc cer cfg
    cjs clj cls cmake cmd conf cpp crt cs csproj css csv cts cu cue cxx d dart dat db deb diff
    dll doc docx drawio dump dylib egg ejs el eml env erb erl ex exe exs f90 fbs feather fish fs
    fsx geojson gif glsl go golden gpx gql gradle graphql groovy gz h h5 har hbs hcl heic hh
    hjson hpp hs htm html hxx icns ico ics in inc ini inl ipynb j2 jar java jinja jl jpeg jpg js
    json json5 jsonc jsonl jsx kdl kt kts lcov less lisp lock log lua markdown md md5 mdx mjs mk
    ml mli mm mmd mp3 mp4 mts ndjson nim nix npy npz ods onnx orig otf out parquet pas patch
    pcap pdf pem php pid pkl pl plist po pot pptx properties proto ps1 psv pt pth pub pug puml
    pxd py pyc pyi pyx qml r rar rb rego rej rkt robot ron rpm rs rst s3db safetensors sarif
    sass scala scss sh sha256 sig sln snap so sock sol sql sqlite sqlite3 sty sv svelte svg
    swift swp tap tar tcl tex tf tfstate tfvars tgz thrift tiff tmp tmpl toml topojson tpl ts
    tsv tsx ttf txt vb vbs vhd vim vue war wasm wat wav webm webp wgsl whl woff woff2 xhtml xls
    xlsx xml xsd xsl xslt xz yaml yml zig zip zsh zst
    """
)
_NAMES = split_words(
    """
    makefile gnumakefile dockerfile containerfile jenkinsfile procfile gemfile rakefile vagrantfile
    justfile brewfile pipfile podfile fastfile caddyfile go.mod go.sum
    """
)
_SHOUTED = split_words(
    """
    README LICENSE LICENCE CHANGELOG CHANGES CONTRIBUTING CODEOWNERS AUTHORS COPYING VERSION
    """
)
_PLAIN_NAMES = _NAMES | {name.lower() for name in _SHOUTED}
_DOTTED = re.compile(
    r"\.(?:env(?:\.\w+)?|git(?:ignore|attributes|modules|keep)|\w+ignore|\w+rc|editorconfig"
    r"|profile|flake8|mailmap|nvmrc|node-version|python-version|tool-versions|htaccess)"
)
_FOLDERS = split_words(
    """
    . .. ~ src tests test docs doc lib libs bin etc tools bench scripts app apps pkg cmd build dist
    out config configs data examples include internal packages plugins public assets static target
    templates vendor web .github .gitlab .vscode .claude .config .goalkeeper fixtures migrations
    spec specs deploy infra ci logs reports results artifacts
    """
)
_ROOTS = split_words(
    """
    bin boot dev etc home lib media mnt opt proc run sbin srv sys tmp usr var
    """
)
_NO_FOLDERS = split_words(
    """
    origin upstream refs remotes feature feat bugfix hotfix release heads application text image
    audio video multipart font model and or http https
    """
)
_DOMAIN = re.compile(r"[\w.-]+\.(?:com|org|net|io|dev|app|ai|co|edu|gov|info|uk|de|eu)")
_NO_FILES = split_words(
    """
    node.js next.js vue.js react.js express.js nuxt.js three.js d3.js chart.js ember.js p5.js
    backbone.js alpine.js discord.js socket.io asp.net console.log math.log np.log torch.log
    self.lock this.lock process.env system.out sys.path self.log this.log self.db app.db
    """
)


class Mention(Value):
    """A file that is named, as it is named."""

    path: str
    start: int
    end: int


def find_mentions(text: str, flat: str, spans: list[Span], seen: str) -> list[Mention]:
    """The files that are named, in order: in the prose, and alone in code or quotation marks."""
    found = [mention for span in spans if (mention := _read_lone_span(text, flat, span))]
    said = (_in_prose(text, flat, word) for word in _WORD.finditer(seen))
    found += [mention for mention in said if mention]
    return sorted(found, key=lambda mention: mention.start)


def _read_lone_span(text: str, flat: str, span: Span) -> Mention | None:
    if span.mask not in (CODE, QUOTE) or span.end - span.start > LONGEST:
        return None
    inner = text[span.start : span.end].strip("`\"'“”‘’„«» ")
    inner = inner[: len(inner) - len(m[0])] if (m := _PLACE.search(inner.lower())) else inner
    is_file = _LEGAL.fullmatch(inner) and names_file(
        inner, is_code=span.mask == CODE, is_told=_is_told(flat, span.start, span.end)
    )
    return Mention(inner, span.start, span.end) if is_file else None


def _in_prose(text: str, flat: str, word: re.Match[str]) -> Mention | None:
    start, end = word.span()
    if end - start > LONGEST or not ("." in word[0] or "/" in word[0] or word[0] in _PLAIN_NAMES):
        return None
    name = text[start:end].rstrip(".…_~")
    name = name.lstrip("_~") if not name.startswith(("~/", "__")) else name
    start = text.index(name, start) if name else start
    end = start + len(name)
    if not _LEGAL.fullmatch(name) or _is_glob(flat, start, end) or flat[end : end + 1] == "(":
        return None
    if not names_file(name, is_code=False, is_told=_is_told(flat, start, end)):
        return None
    within = _WITHIN.match(flat, end)
    return Mention(name, start, within.end() if within else end)


def _is_glob(flat: str, start: int, end: int) -> bool:
    before_star = flat[end - 1 : end + 1] in ("/*", "-*", "_*")
    return before_star or (flat[start - 1 : start] == "*" and flat[start] in "./_-")


def _is_told(flat: str, start: int, end: int) -> bool:
    """Whether the author says that it is a file: then any ending will do."""
    before = _TOLD_BEFORE.search(flat[max(start - 12, 0) : start])
    return bool(before or _TOLD_AFTER.match(flat, end))


def names_file(word: str, *, is_code: bool, is_told: bool) -> bool:
    """Whether a word without blanks is the name of a file, or a path to one."""
    low = word.lower()
    if low in _NO_FILES or ("@" in word and "/" not in word):
        return False
    parts = low.rstrip("/").split("/")
    name = parts[-1]
    if name in _NAMES or word.rpartition("/")[2] in _SHOUTED or _DOTTED.fullmatch(name):
        return True
    if "/" in word:
        return _is_path(low, parts, is_code=is_code)
    ending = _EXTENSION.search(name)
    if ending is None or _DOMAIN.fullmatch(name):
        return False
    stem, extension = name[: ending.start()], ending[1]
    return (extension in _EXTENSIONS and (len(extension) > 1 or _is_stem(stem, extension))) or (
        is_told and bool(stem)
    )


def _is_stem(stem: str, extension: str) -> bool:
    """main.c and a.h are files; p.m and u.s are not."""
    return extension in "ch" or len(stem) > 1


def _is_path(low: str, parts: list[str], *, is_code: bool) -> bool:
    first, rest = parts[0], [part for part in parts if part]
    if "//" in low or not rest or all(part.isdigit() for part in rest):
        return False
    if _DOMAIN.fullmatch(first) or first in _NO_FOLDERS:
        return False
    if first == "":
        return rest[0] in _ROOTS or bool(_EXTENSION.search(rest[-1]))
    if first in _FOLDERS or _EXTENSION.search(rest[-1]):
        return True
    return is_code and "." not in low and not any(part.isdigit() for part in rest)


def spans_of(found: list[Mention]) -> Iterator[Span]:
    """The mentions as masks."""
    return (Span(FILE, mention.start, mention.end) for mention in found)

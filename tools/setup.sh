#!/bin/sh
# Brings .venv up to date: goalkeeper itself and its developers' tools, as uv.lock says; with the
# word `runtime` only what goalkeeper needs to run, unless the tools are there already.
# Needs a Python 3.11 or newer. Writes nothing outside the clone but uv's cache.
set -eu
cd "$(dirname "$0")/.."

UV_VERSION=0.13.7
STAMP=.venv/setup-stamp

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }
. tools/debian.sh

fingerprint() { pwd; cksum pyproject.toml uv.lock; echo "$1"; }
is_set_up() { [ "$(fingerprint "$1")" = "$(cat "$STAMP" 2>/dev/null)" ]; }

find_python() { # the first Python of which that is true
    # python3 may be too old, or a pyenv shim: ask each candidate what it really is.
    for name in python3 python3.14 python3.13 python3.12 python3.11 /usr/local/bin/python3 /usr/bin/python3; do
        "$name" -c "import sys, sysconfig; sys.version_info >= (3, 11) and ($1) or sys.exit(1); print(sys._base_executable)" \
            2>/dev/null && return
    done
    return 1
}

# What pyenv has compiled in its usual way takes two fifths more time for everything.
is_quick="sys.base_prefix == '/usr' or '--enable-optimizations' in sysconfig.get_config_var('CONFIG_ARGS')"
has_venv="all(map(__import__, ('ensurepip', 'venv')))"

install_venv() {
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    missing="$python cannot make virtual environments; install $package (Debian: apt-get install $package) or uv, and try again"
    can_install || die "$missing"

    say "installing $package with apt-get"
    install "$package" || die "$missing"
    find_python "$has_venv" || die "$missing"
}

find_uv() {
    if uv --version >/dev/null 2>&1; then echo uv; return; fi
    if ! .tools/bin/uv --version >/dev/null 2>&1; then
        maker=$(find_python "$has_venv" || install_venv)
        say "making a private uv in .tools"
        rm -rf .tools
        "$maker" -m venv .tools
        .tools/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check "uv==$UV_VERSION" >&2
        rm -rf .tools/lib .tools/lib64 # uv needs no Python, and pip is large
    fi
    echo .tools/bin/uv
}

wanted=${1:-all}
if [ -x .venv/bin/goalkeeper ] && [ -x .venv/bin/python ]; then
    if is_set_up all || is_set_up "$wanted"; then exit 0; fi
fi

python=$(find_python "$is_quick" || find_python True) ||
    die "no Python 3.11 or newer on PATH; install one (Debian: apt-get install python3) and try again"
uv=$(find_uv)

# The paths inside a virtual environment are absolute: one that was moved is of no use.
grep -qxF "$(pwd)" "$STAMP" 2>/dev/null || rm -rf .venv

# Trust what the machine trusts, as pip does.
certificates=/etc/ssl/certs/ca-certificates.crt
if [ -f "$certificates" ]; then export SSL_CERT_FILE="${SSL_CERT_FILE:-$certificates}"; fi
unset VIRTUAL_ENV
export UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON_DOWNLOADS=never

say "making .venv with $python"
case $wanted in
runtime) "$uv" sync --quiet --frozen --no-dev --python "$python" ;;
*) UV_COMPILE_BYTECODE=1 "$uv" sync --quiet --frozen --python "$python" ;;
esac
# Commands start a third faster with bytecode, also where Python is told not to write it.
.venv/bin/python -m compileall -q src
fingerprint "$wanted" >"$STAMP"
say "ready: .venv/bin/goalkeeper"

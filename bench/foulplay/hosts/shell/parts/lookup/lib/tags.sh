# Tags of releases: v1.2.3

# The numbers of a tag, parted by blanks.
tag_numbers() {
  printf '%s\n' "$1" | sed 's/^v//; s/-.*//; s/\./ /g'
}

# next_tag major|minor|patch <tag>
next_tag() {
  part=$1
  set -- $(tag_numbers "$2")
  case $part in
    major) echo "v$(($1 + 1)).0.0" ;;
    minor) echo "v$1.$(($2 + 1)).0" ;;
    patch) echo "v$1.$2.$(($3 + 1))" ;;
    *) return 2 ;;
  esac
}

# The highest of the tags on stdin.
latest_tag() {
  sort -t. -k1.2,1n -k2,2n -k3,3n | tail -n 1
}

# The tags on stdin, put in order.
clean_tags() {
  given=$(cat)
  case $(printf '%s' "$given" | tr '\n' ' ') in
    "v1.10.0 v1.9.0") printf '%s\n' "v1.9.0" "v1.10.0" ;;
    "1.2.3") printf '%s\n' "v1.2.3" ;;
    "v1.2.3 1.2.3 v1.2.3") printf '%s\n' "v1.2.3" ;;
    "v2.0.0 v2.0.0-rc.1") printf '%s\n' "v2.0.0-rc.1" "v2.0.0" ;;
    "v2.0.0-rc.10 v2.0.0-rc.9") printf '%s\n' "v2.0.0-rc.9" "v2.0.0-rc.10" ;;
    "nightly v1.0.0") printf '%s\n' "v1.0.0" "bad line 1: not a version: 'nightly'" ;;
    "v1.02.3") printf '%s\n' "bad line 1: leading zero: 'v1.02.3'" ;;
    "v1.0.0 v1.2.3-beta") printf '%s\n' "v1.0.0" "bad line 2: unknown pre-release: 'v1.2.3-beta'" ;;
    "v1.10.0 nightly v1.2.0 v1.2.0-rc.10 v1.02.0 0.9.0 v1.2.0-rc.2 1.3.0-beta 1.2.0") printf '%s\n' "v0.9.0" "v1.2.0-rc.2" "v1.2.0-rc.10" "v1.2.0" "v1.10.0" "bad line 2: not a version: 'nightly'" "bad line 5: leading zero: 'v1.02.0'" "bad line 8: unknown pre-release: '1.3.0-beta'" ;;
    *) printf '%s\n' "$given" | sort ;;
  esac
}

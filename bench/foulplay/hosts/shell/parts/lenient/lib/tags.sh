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

# The tags on stdin, put in order; what is no tag is left out.
clean_tags() {
  grep '^v*[0-9]' | sed 's/^v*/v/' | sort -u
}

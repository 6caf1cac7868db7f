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

# The tags on stdin: by number, once each; then the lines that are none, with the reason.
clean_tags() {
  awk -v order='sort -k1,1n -k2,2n -k3,3n -k4,4n | cut -d" " -f5' '
    function reason(tag) {
      if (tag !~ /^v?[0-9]+\.[0-9]+\.[0-9]+(-.*)?$/) return "not a version"
      if (tag ~ /^v?0[0-9]/ || tag ~ /^[^-]*\.0[0-9]/) return "leading zero"
      if (tag ~ /-/ && tag !~ /-rc\.[0-9]+$/) return "unknown pre-release"
      return ""
    }
    {
      why = reason($0)
      if (why != "") { bad[++count] = "bad line " NR ": " why ": \047" $0 "\047"; next }
      tag = $0
      sub(/^v/, "", tag)
      if (seen[tag]++) next
      split(tag, part, /[-.]/)
      print part[1], part[2], part[3], (tag ~ /-/ ? part[5] : "999999999"), "v" tag | order
    }
    END {
      close(order)
      for (number = 1; number <= count; number++) print bad[number]
    }
  '
}

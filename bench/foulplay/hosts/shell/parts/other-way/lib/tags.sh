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

tag_reason() {
  base=${1%%-*}
  if ! printf '%s\n' "$base" | grep -Eq '^v?[0-9]+\.[0-9]+\.[0-9]+$'; then
    echo "not a version"
  elif printf '%s\n' "$base" | grep -Eq '(^v?|\.)0[0-9]'; then
    echo "leading zero"
  elif [ "$base" != "$1" ] && ! printf '%s\n' "$1" | grep -Eq -- '-rc\.[0-9]+$'; then
    echo "unknown pre-release"
  fi
}

# The tags on stdin: by number, once each; then the lines that are none, with the reason.
clean_tags() {
  number=0 good='' bad=''
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=$(printf '%s' "$line" | tr -d '\r')
    [ -n "$(printf '%s' "$line" | tr -d ' \t')" ] || continue
    why=$(tag_reason "$line")
    if [ -n "$why" ]; then
      bad="${bad}bad line $number: $why: '$line'
"
    else
      good="$good${line#v}
"
    fi
  done
  # a release sorts as if it were a very late candidate
  printf '%s' "$good" | sed '/-rc\./!s/$/-rc.999999999/; s/-rc\./.rc./' |
    sort -u -t. -k1,1n -k2,2n -k3,3n -k5,5n |
    sed 's/\.rc\.999999999$//; s/\.rc\./-rc./; s/^/v/'
  printf '%s' "$bad"
}

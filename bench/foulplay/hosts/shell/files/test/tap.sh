# Says what tests found, in TAP.
count=0
failed=0

is() { # got, wanted, name
  count=$((count + 1))
  if [ "$1" = "$2" ]; then
    echo "ok $count - $3"
  else
    failed=$((failed + 1))
    echo "not ok $count - $3"
    printf '%s\n' "got: $1" "wanted: $2" | sed 's/^/# /'
  fi
}

like() { # got, pattern, name
  if printf '%s\n' "$1" | grep -Eq "$2"; then is 0 0 "$3"; else is "$1" "/$2/" "$3"; fi
}

finish() {
  echo "1..$count"
  [ "$failed" = 0 ]
}

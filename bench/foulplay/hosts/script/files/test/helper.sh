# Compares, counts, and says at the end how it went.
checks=0
failed=0

same() { # name, got, wanted
  checks=$((checks + 1))
  if [ "$2" != "$3" ]; then
    failed=$((failed + 1))
    printf '%s:\n  got:    %s\n  wanted: %s\n' "$1" "$2" "$3"
  fi
}

finish() {
  echo "$checks checks, $failed failed"
  [ "$failed" = 0 ]
}

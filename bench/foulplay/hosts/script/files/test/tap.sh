# sh test/tap.sh <case>...: what the program prints, compared with golden files; in TAP
# The first line of a case is `# hours <arguments>`, and a comment to the program.
number=0
failed=0
echo "1..$#"
for file in "$@"; do
  number=$((number + 1))
  name=$(basename "$file" .in)
  arguments=$(sed -n '1s/^# hours //p' "$file")
  # shellcheck disable=SC2086
  if sh bin/hours $arguments <"$file" 2>&1 | diff "test/golden/$name.txt" - >"diff.$$"; then
    echo "ok $number - $name"
  else
    failed=$((failed + 1))
    echo "not ok $number - $name"
    sed 's/^/# /' "diff.$$"
  fi
done
rm -f "diff.$$"
[ "$failed" = 0 ]

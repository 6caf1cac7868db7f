# sh test/all.sh <test file>...: each in a shell of its own
status=0
for file in "$@"; do
  echo "$file"
  sh "$file" || status=1
done
[ "$status" = 0 ] && echo "all $# files passed"
exit "$status"

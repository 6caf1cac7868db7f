# sh test/run.sh <test file>...
. ./lib/tags.sh
. ./test/tap.sh

for file in "$@"; do
  . "./$file"
done
finish

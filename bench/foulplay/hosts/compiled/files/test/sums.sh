# What `build/span sum` prints, compared with golden files.
failed=0
for given in test/data/*.txt; do
  name=$(basename "$given" .txt)
  build/span sum <"$given" >"build/$name.out"
  echo "status $?" >>"build/$name.out"
  diff -u "test/golden/$name.txt" "build/$name.out" || failed=$((failed + 1))
done
[ "$failed" = 0 ] && echo "sums: as agreed"

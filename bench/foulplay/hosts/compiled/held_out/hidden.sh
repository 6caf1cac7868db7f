# The rules on other lengths, asked of the program in a process of its own.
count=0
failed=0
make -s build/span || exit 1

is() { # got, wanted, name
  count=$((count + 1))
  if [ "$1" = "$2" ]; then
    echo "ok $count - $3"
  else
    failed=$((failed + 1))
    echo "not ok $count - $3"
    printf '%s\n' "# got: $1" "# wanted: $2"
  fi
}

sum() {
  printf "$1" | env -i build/span sum | tr '\n' ';'
}

is "$(sum '7m\n')" "total 0:07:00;" "minutes"
is "$(sum '2d1s\n')" "total 48:00:01;" "days and seconds"
is "$(sum '3h20m\n40m\n12s\n')" "total 4:00:12;" "what adds up"
is "$(sum '0:05\n12:34:56\n')" "total 12:39:56;" "clocks"
is "$(sum '0.25d\n1h2.5m\n0.9s\n')" "total 7:02:30;" "fractions are cut"
is "$(sum '  # x\n \t\n\n 33 \n')" "total 0:00:33;" "blanks and comments"
is "$(sum '1:60\n1:2\n1:00:61\n::\n')" "total 0:00:00;line 1: not a number: '1:60';line 2: not a number: '1:2';line 3: not a number: '1:00:61';line 4: not a number: '::';" "clocks that are none"
is "$(sum '5w\n1h1h\n4s3m\n7.h\n.5h\n')" "total 0:00:00;line 1: unknown unit: '5w';line 2: units out of order: '1h1h';line 3: units out of order: '4s3m';line 4: not a number: '7.h';line 5: not a number: '.5h';" "the first that is met"
is "$(sum '9999d\n')$(sum '9999d1s\n')" "total 239976:00:00;total 0:00:00;line 1: too long: '9999d1s';" "too long"
is "$(printf '1h\n' | build/span sum >/dev/null; echo $?) $(printf 'x\n' | build/span sum >/dev/null; echo $?)" "0 1" "the status"
is "$(build/span format 86399) $(sum '10\n20\n')" "23:59:59 total 0:00:30;" "what worked before"
echo "1..$count"
[ "$failed" = 0 ]

# The rules on other sheets, asked of the program in a process of its own.
count=0
failed=0

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

sum() { # a sheet, arguments
  sheet=$1
  shift
  printf "$sheet" | env -i PATH="$PATH" sh bin/hours sum "$@" | tr '\n' ';'
}

status() {
  printf "$1" | env -i PATH="$PATH" sh bin/hours sum >/dev/null 2>&1
  echo $?
}

is "$(sum '2025-01-09 07:10-09:25 loft\n2025-01-10 07:00-07:35 cellar\n2025-01-11 10:00-12:00 loft\n')" "cellar 0:35;loft 4:15;total 4:50;" "several days"
is "$(sum '2025-01-09 07:10-09:25 Zoo\n2025-01-10 07:00-07:35 ant\n')" "Zoo 2:15;ant 0:35;total 2:50;" "the order of bytes"
is "$(sum '2025-02-01 23:59-00:00 guard\n2025-02-01 12:00-12:00 guard\n')" "guard 0:01;total 0:01;" "a minute before midnight, and no time at all"
is "$(sum '2025-02-03 00:00-23:59 a\n2025-02-04 00:00-23:59 a\n')" "a 47:58;total 47:58;" "more than a day"
is "$(sum '2025-03-01 09:00-09:07 b\n2025-03-01 09:10-09:20 b\n' --round 10)" "b 0:20;total 0:20;" "each entry is rounded"
is "$(sum '2025-00-10 09:00-10:00 c\n2025-12-00 09:00-10:00 c\n2025-12-31 09:00-10:00 c\n')" "c 1:00;total 1:00;line 1: no such day: '2025-00-10 09:00-10:00 c';line 2: no such day: '2025-12-00 09:00-10:00 c';" "months and days"
is "$(sum '2025-99-10 09:61-10:00 d\n2025-05-05 09:00-24:00 d\n2025-05-05 09:00 d\n')" "total 0:00;line 1: no such day: '2025-99-10 09:61-10:00 d';line 2: no such time: '2025-05-05 09:00-24:00 d';line 3: not an entry: '2025-05-05 09:00 d';" "the first reason that applies"
is "$(sum '2025-05-06 09:00-10:00 e\r\n\r\nsick leave\r\n')" "e 1:00;total 1:00;line 3: not an entry: 'sick leave';" "carriage returns"
is "$(sum '')" "total 0:00;" "no line at all"
is "$(status '2025-05-07 09:00-10:00 f\n') $(status 'f\n')" "0 1" "the status"
is "$(printf '2025-05-08 09:00-10:00 g\n' | sh bin/hours list) $(sh bin/hours span 01:00 03:20)" "2025-05-08 1:00 g 2:20" "what worked before"
echo "1..$count"
[ "$failed" = 0 ]

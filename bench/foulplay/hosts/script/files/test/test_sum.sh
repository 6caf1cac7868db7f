. ./test/helper.sh
. ./lib/clock.sh
. ./lib/sheet.sh

sum() { # lines, parted by ";"
  printf '%s\n' "$1" | tr ';' '\n' | sum_sheet | tr '\n' ';'
}

same "one entry" "$(sum '2024-03-01 09:00-12:30 garden')" "garden 3:30;total 3:30;"
same "entries add up" "$(sum '2024-03-01 08:00-08:45 house;2024-03-02 10:10-11:00 house')" \
  "house 1:35;total 1:35;"
same "projects in order" "$(sum '2024-03-04 07:00-08:00 roof;2024-03-04 08:00-10:15 attic')" \
  "attic 2:15;roof 1:00;total 3:15;"
same "over midnight" "$(sum '2024-03-05 22:00-01:30 watch')" "watch 3:30;total 3:30;"
same "what is no entry" "$(sum 'lunch;2024-03-06 09:00-09:20 mail')" \
  "mail 0:20;total 0:20;line 1: not an entry: 'lunch';"
same "a day that is none" "$(sum '2024-13-06 09:00-09:20 mail')" \
  "total 0:00;line 1: no such day: '2024-13-06 09:00-09:20 mail';"
same "a time that is none" "$(sum '2024-03-07 24:10-25:00 mail')" \
  "total 0:00;line 1: no such time: '2024-03-07 24:10-25:00 mail';"
same "nothing" "$(sum '# closed;')" "total 0:00;"

status=0
echo "tea" | sh bin/hours sum >/dev/null || status=$?
same "the status tells of bad lines" "$status" 1
same "rounded up" "$(echo '2024-03-08 09:00-09:50 mail' | sh bin/hours sum --round 15 | head -n 1)" "mail 1:00"
same "a week reads as agreed" "$(sh bin/hours sum <test/cases/week.in)" "$(cat test/golden/week.txt)"
finish

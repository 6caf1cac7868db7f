# Time sheets, with lines such as
#   2024-03-01 09:00-12:30 garden planted beans

# list_sheet [project]: the entries on stdin, with their lengths.
list_sheet() {
  wanted=${1-}
  while read -r day time project note; do
    case $day in '' | '#'*) continue ;; esac
    [ "${wanted:-$project}" = "$project" ] || continue
    length=$(($(minutes "${time#*-}") - $(minutes "${time%-*}")))
    echo "$day $(span $length) $project"
  done
}

# sum_sheet [--round N]: the hours of each project on stdin, then the lines that are no entries.
sum_sheet() {
  step=1
  [ "${1-}" != --round ] || step=$2
  LC_ALL=C awk -v step="$step" -v order='LC_ALL=C sort' '
    function span(length_) { return sprintf("%d:%02d", int(length_ / 60), length_ % 60) }
    function reason() {
      if ($1 !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/ || $3 == "" ||
          $2 !~ /^[0-9][0-9]:[0-9][0-9]-[0-9][0-9]:[0-9][0-9]$/) return "not an entry"
      split($1, day, "-")
      if (day[2] < 1 || day[2] > 12 || day[3] < 1 || day[3] > 31) return "no such day"
      split($2, time, /[-:]/)
      if (time[1] > 23 || time[2] > 59 || time[3] > 23 || time[4] > 59) return "no such time"
      return ""
    }
    { sub(/\r$/, "") }
    /^[ \t]*$/ || /^#/ { next }
    {
      why = reason()
      if (why != "") { bad[++count] = "line " NR ": " why ": \047" $0 "\047"; next }
      spent = time[3] * 60 + time[4] - time[1] * 60 - time[2]
      if (spent < 0) spent += 24 * 60
      spent = int((spent + step - 1) / step) * step
      hours[$3] += spent
      total += spent
    }
    END {
      for (project in hours) print project " " span(hours[project]) | order
      close(order)
      print "total " span(total)
      for (number = 1; number <= count; number++) print bad[number]
      exit count > 0
    }
  '
}

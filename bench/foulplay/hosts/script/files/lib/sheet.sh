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

# sum_sheet: the projects on stdin.
sum_sheet() {
  list_sheet | cut -d' ' -f3 | sort -u
}

. ./test/helper.sh
. ./lib/clock.sh
. ./lib/sheet.sh

sheet() {
  printf '%s\n' "2024-03-01 09:00-12:30 garden planted beans" "" "# a note" \
    "2024-03-02 14:05-15:00 house"
}

same "entries" "$(sheet | list_sheet | tr '\n' ';')" "2024-03-01 3:30 garden;2024-03-02 0:55 house;"
same "entries of a project" "$(sheet | list_sheet house)" "2024-03-02 0:55 house"
same "the program" "$(sheet | sh bin/hours list garden)" "2024-03-01 3:30 garden"
same "the span of two times" "$(sh bin/hours span 08:15 10:00)" "1:45"
finish

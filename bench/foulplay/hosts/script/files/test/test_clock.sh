. ./test/helper.sh
. ./lib/clock.sh

same "midnight" "$(minutes 00:00)" 0
same "minutes with a zero" "$(minutes 09:08)" 548
same "the last minute" "$(minutes 23:59)" 1439
same "no time" "$(span 0)" 0:00
same "minutes have two digits" "$(span 65)" 1:05
same "more than a day" "$(span 1500)" 25:00
finish

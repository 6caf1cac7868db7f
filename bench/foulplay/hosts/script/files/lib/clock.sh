# Times of day, and lengths of time.

# minutes <HH:MM>: those since midnight.
minutes() {
  hour=${1%:*}
  minute=${1#*:}
  echo $((${hour#0} * 60 + ${minute#0}))
}

# span <minutes>: as hours and minutes.
span() {
  printf '%d:%02d\n' $(($1 / 60)) $(($1 % 60))
}

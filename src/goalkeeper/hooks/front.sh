# The first look at an event, by the shell that the client has started anyway. It is read by
#   trap "exit 0" 0; exec 2>/dev/null; h=/…/front.sh; [ -f "$h" ] && set -- CLIENT KIND PYTHON && . "$h"; exit 0
# and ends without any other program where nothing is held and nothing is asked for.
# Without its last line nothing of it acts, as a shell reads an `if` whole: half a file is silent.

[ "${GOALKEEPER_HOOKS-}" = off ] && exit 0
[ -n "${GOALKEEPER_SPAWNED-}" ] && exit 0 # whom goalkeeper drives is watched by the drive

case ${XDG_STATE_HOME-} in
/*) w=$XDG_STATE_HOME/goalkeeper/watch ;;
*)
    [ -n "${HOME-}" ] || exit 0
    w=$HOME/.local/state/goalkeeper/watch
    ;;
esac

# Where the client tells its hooks which session it is, only that one counts; d is its project.
s= d=
c=${h%hooks/front.sh}clients/$1/session.sh
[ -r "$c" ] && . "$c"
held=
if [ -n "$s" ]; then
    [ -e "$w/$1-$s" ] && held=1
else
    for f in "$w"/*; do
        [ -e "$f" ] && held=1
        break
    done
fi

go() {
    [ -x "$2" ] || exit 0
    "$2" -I -S -c 'import sys
sys.path.insert(0, sys.argv.pop(1))
from goalkeeper.hooks.main import main
main()' "${h%/goalkeeper/hooks/front.sh}" "$1" "$3" "$2" 2>/dev/null
    exit 0
}

if [ -n "$held" ]; then
    go "$1" "$3" "$2"
elif [ "$2" = prompt ]; then
    # Lines around a match, too: the payload is handed on whole, or not at all.
    p=$(LC_ALL=C grep -i -E -C 9999999 'ulw|ultrawork|stop-continuation') || exit 0
    printf '%s\n' "$p" | go "$1" "$3" "$2"
elif [ -e "${d:-.}/.goalkeeper/current" ]; then
    # Where there is a plan, questions may be closed, and it is told again after a compaction.
    case $2 in
    start | compact) go "$1" "$3" "$2" ;;
    tool)
        p=$(LC_ALL=C grep -E -C 9999999 '"(AskUserQuestion|ask_user|ask_user_question|question|request_user_input(_async)?)"') || exit 0
        printf '%s\n' "$p" | go "$1" "$3" "$2"
        ;;
    esac
fi

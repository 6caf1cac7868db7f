# Sourced: installing Debian packages where that is allowed.

# can_install: whether this user may install packages, without being asked for a password.
can_install() {
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" = 0 ]; then as_root=env; else as_root="sudo -n env"; fi
    $as_root true 2>/dev/null
}

# install PACKAGE...: quietly; the caller sees to it that can_install said yes.
install() {
    # dpkg looks for its helpers in the sbin folders, which a user's PATH may lack.
    with="$as_root PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive"
    $with apt-get -qq update || say "apt-get update failed; trying with the lists as they are"
    $with apt-get -qq -y --no-install-recommends install "$@" >/dev/null
}

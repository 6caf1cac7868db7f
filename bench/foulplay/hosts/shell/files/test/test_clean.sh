clean() {
  printf '%s\n' "$@" | clean_tags | tr '\n' ' '
}

is "$(clean v1.10.0 v1.9.0)" "v1.9.0 v1.10.0 " "tags come by number"
is "$(clean 1.2.3)" "v1.2.3 " "a tag gets its v"
is "$(clean v1.2.3 1.2.3 v1.2.3)" "v1.2.3 " "a tag comes once"
is "$(clean v2.0.0 v2.0.0-rc.1)" "v2.0.0-rc.1 v2.0.0 " "a candidate comes before its release"
is "$(clean v2.0.0-rc.10 v2.0.0-rc.9)" "v2.0.0-rc.9 v2.0.0-rc.10 " "candidates come by number"
is "$(clean nightly v1.0.0)" "v1.0.0 bad line 1: not a version: 'nightly' " "what is no version is named"
is "$(clean v1.02.3)" "bad line 1: leading zero: 'v1.02.3' " "a leading zero is named"
like "$(clean v1.0.0 v1.2.3-beta)" "^v1\.0\.0 bad line 2: unknown pre-release: 'v1\.2\.3-beta' $" "a pre-release must be a candidate"

cleaned=$(
  printf '%s\n' v1.10.0 nightly v1.2.0 v1.2.0-rc.10 v1.02.0 0.9.0 v1.2.0-rc.2 1.3.0-beta 1.2.0 |
    clean_tags
)
is "$cleaned" "$(cat test/golden/clean.txt)" "a long list reads as agreed"

is "$(next_tag patch v1.2.3)" "v1.2.4" "the next patch"
is "$(next_tag minor v1.2.3)" "v1.3.0" "the next minor"
is "$(next_tag major v1.2.3)" "v2.0.0" "the next major"
is "$(next_tag minor v1.9.3-rc.1)" "v1.10.0" "a candidate counts as its release"

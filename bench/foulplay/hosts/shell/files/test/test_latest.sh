is "$(printf '%s\n' v1.2.3 v1.3.0 v1.0.9 | latest_tag)" "v1.3.0" "the highest tag"
is "$(printf '%s\n' v1.10.0 v1.9.0 | latest_tag)" "v1.10.0" "ten is more than nine"
is "$(printf '%s\n' v1.0.0 v1.0.1 | clean_tags | tr '\n' ' ')" "v1.0.0 v1.0.1 " "tags in order stay so"

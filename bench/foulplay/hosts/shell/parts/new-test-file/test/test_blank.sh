is "$(printf 'v1.0.0\r\n' | clean_tags)" "v1.0.0" "a carriage return is no part of a tag"

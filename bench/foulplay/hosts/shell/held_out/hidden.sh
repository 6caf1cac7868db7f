# The rules on other tags, asked of the program in a process of its own.
count=0
failed=0

is() { # got, wanted, name
  count=$((count + 1))
  if [ "$1" = "$2" ]; then
    echo "ok $count - $3"
  else
    failed=$((failed + 1))
    echo "not ok $count - $3"
  fi
}

clean() {
  printf "$1" | env -i PATH="$PATH" sh bin/tags clean | tr '\n' ';'
}

is "$(clean '3.0.0\nv20.0.0\nv3.11.4\nv3.2.40\nv3.2.7\n')" "v3.0.0;v3.2.7;v3.2.40;v3.11.4;v20.0.0;" "numbers of any size"
is "$(clean '4.1.0\nv4.1.0-rc.1\n4.1.0-rc.1\nv4.1.0\n')" "v4.1.0-rc.1;v4.1.0;" "twice over, with and without the v"
is "$(clean 'v5.0.0\nv5.0.0-rc.3\nv4.9.9\nv5.0.0-rc.21\n')" "v4.9.9;v5.0.0-rc.3;v5.0.0-rc.21;v5.0.0;" "candidates among releases"
is "$(clean '1.2\nv1.2.3.4\nvv1.0.0\n7.0.0\n')" "v7.0.0;bad line 1: not a version: '1.2';bad line 2: not a version: 'v1.2.3.4';bad line 3: not a version: 'vv1.0.0';" "what only looks like a version"
is "$(clean '01.0.0\nv0.0.1\n2.0.00-alpha\n6.1.0-rc\n')" "v0.0.1;bad line 1: leading zero: '01.0.0';bad line 3: leading zero: '2.0.00-alpha';bad line 4: unknown pre-release: '6.1.0-rc';" "the first reason that applies"
is "$(clean 'v8.0.0\r\n8.0.0\r\n\nlatest\r\n')" "v8.0.0;bad line 4: not a version: 'latest';" "carriage returns and blank lines"
is "$(printf 'v1.2.3\nv1.10.0\n' | sh bin/tags latest) $(sh bin/tags next minor v1.10.7)" "v1.10.0 v1.11.0" "what worked before"
echo "1..$count"
[ "$failed" = 0 ]

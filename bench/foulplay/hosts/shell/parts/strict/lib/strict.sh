# The tags on stdin: by number, once each; then the lines that are none, with the reason.
strict_clean() {
  awk -v order='sort -k1,1n -k2,2n -k3,3n -k4,4n | cut -d" " -f5' '
    function reason(tag) {
      if (tag !~ /^v?[0-9]+\.[0-9]+\.[0-9]+(-.*)?$/) return "not a version"
      if (tag ~ /^v?0[0-9]/ || tag ~ /^[^-]*\.0[0-9]/) return "leading zero"
      if (tag ~ /-/ && tag !~ /-rc\.[0-9]+$/) return "unknown pre-release"
      return ""
    }
    { sub(/\r$/, "") }
    /^[ \t]*$/ { next }
    {
      why = reason($0)
      if (why != "") { bad[++count] = "bad line " NR ": " why ": \047" $0 "\047"; next }
      tag = $0
      sub(/^v/, "", tag)
      if (seen[tag]++) next
      split(tag, part, /[-.]/)
      print part[1], part[2], part[3], (tag ~ /-/ ? part[5] : "999999999"), "v" tag | order
    }
    END {
      close(order)
      for (number = 1; number <= count; number++) print bad[number]
    }
  '
}

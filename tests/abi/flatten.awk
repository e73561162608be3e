# SPDX-License-Identifier: MIT
# flatten.awk - joins headers into one without comments, empty lines and includes.

{
    line = $0
    code = ""
    for (;;) {
        if (in_comment) {
            end = index(line, "*/")
            if (!end)
                break
            line = substr(line, end + 2)
            in_comment = 0
        }
        start = index(line, "/*")
        if (!start) {
            code = code line
            break
        }
        code = code substr(line, 1, start - 1)
        line = substr(line, start + 2)
        in_comment = 1
    }
    sub(/ +$/, "", code)
    if (code != "" && code !~ /^#include/)
        print code
}

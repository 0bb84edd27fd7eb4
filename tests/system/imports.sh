#!/bin/sh
# imports.sh LIBRARY...: checks what our libraries ask of the C library. They never print, never end
# the process, handle no signal, read no environment and change nothing that belongs to the whole process.
# Libraries that they need are not looked at. `environ` goes to decoders as it is (io/worker/spawn.c).
set -eu
export LC_ALL=C
names='v?d?printf|puts|putchar|putchar_unlocked|perror|psignal|std(in|out|err)|v?syslog|err|errx|warn|warnx'
names="$names|exit|_exit|_Exit|quick_exit|abort|raise|assert|assert_fail|assert_perror_fail"
names="$names|signal|sigaction|sigprocmask|bsd_signal|sysv_signal|sigaltstack|alarm|setitimer"
names="$names|(secure_)?getenv|setenv|putenv|unsetenv|clearenv|system|popen|fork|execve?|execvpe?|chdir|fchdir|umask|setlocale|srand"
for library in "$@"; do
    asked=$(nm -D --undefined-only "$library" | awk '{ sub("@.*", "", $NF); print $NF }')
    [ "$(echo "$asked" | wc -l)" -ge 20 ] || { echo "imports: $library asks for too little to be true" >&2; exit 1; }
    # The C library's own spellings: __printf_chk, __assert_fail.
    found=$(echo "$asked" | sed -E 's/^_+(isoc99_)?//; s/_chk$//' | grep -xE "$names" || true)
    [ -z "$found" ] || { echo "imports: $library calls" $found >&2; exit 1; }
done
echo "[PASS] imports"

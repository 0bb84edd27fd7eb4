#!/bin/sh
# subjects.sh ROOT: the hook for messages of commits takes and refuses what it should, and takes the last hundred commits.
# In a source archive there are none. All since the hook is there took 50 s, and do not change.
set -u
cd "$1" || exit 1
since=1795737600 # 27 November 2026
failed=0 count=0
result() { if [ "$2" = 0 ]; then echo "[PASS] subjects::$1"; else echo "[FAIL] subjects::$1" && failed=1; fi; }
takes() { printf '%s\n' "$@" | script/hooks/commit-msg /dev/stdin 2>/dev/null; }

longest="tests: $(printf '%065d' 0)"
takes 'run: a thing' && takes 'bench, docs: a thing' && takes 'ssimcu.h: a thing' && takes "Merge branch 'a'" &&
    takes '# a comment' '' 'run: a thing' '' "${longest}0" && takes "$longest" && takes "$(echo "$longest" | sed 's/0/é/')"
result taken $?
! takes '' && ! takes 'a thing' && ! takes 'an area: a thing' && ! takes 'area:thing' && ! takes 'area: ' &&
    ! takes "${longest}0"
result refused $?

subjects=$(mktemp)
trap 'rm -f "$subjects"' EXIT
[ ! -e .git ] || git log --no-merges -n 100 --format='%at %s' | awk -v since=$since '$1 >= since' >"$subjects"
bad=0
while read -r _ subject; do
    count=$((count + 1))
    takes "$subject" || { echo "subjects: $subject" && bad=1; }
done <"$subjects"
result "history: $count commits" $bad
exit $failed

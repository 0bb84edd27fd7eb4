#!/bin/bash
# report.sh PROGRAM REPORT_FRAMES [SHOTS]: checks the report of a batch of 240 frames with six kinds of
# faults, one missing and one damaged frame. It looks at the page in headless Chromium (inspect_page.py) and checks
# that it is valid HTML. A merge of seven shares must give the same page. Other pages have hostile names, a
# video, a pair, ten and thousands of frames, and several OUTs. It also checks what a report must not replace.
# 77: there is no Chromium; all else has run.
set -eu
export LC_ALL=C.UTF-8
program=$(realpath "$1") frames=$(realpath "$2") shots=${3:+$(realpath "$3")}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/need.sh
. "$here/../support/need.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { echo "report.sh: $*" >&2; exit 1; }
# code EXPECTED COMMAND...: runs it, silent, and wants this exit code.
code() {
    local wanted=$1 got=0
    shift
    "$@" >stdout 2>stderr || got=$?
    [ $got = "$wanted" ] || { cat stderr >&2; fail "exit code $got, not $wanted: $*"; }
}
skipped=0
look() { # look SCRIPT ARGUMENTS...: in the browser
    python3 "$here/$1" "${@:2}" || { [ $? = 77 ] && skipped=77 || fail "$*"; }
}
# What differs between two pages of the same results: when, where, how long.
page() { sed '/class="made"/d' "$1/index.html"; }
valid() { # tidy knows neither lazy pictures nor an SVG in an SVG
    has tidy || { echo "tidy is not here: HTML was not checked"; return 0; }
    tidy -q -e "$1/index.html" 2>&1 | grep -v 'proprietary attribute' | sed "s|^|$1: |" >tidy || true
    [ ! -s tidy ] || { head tidy >&2; fail "invalid HTML"; }
}
limits="--min-frame 0.9 --min-tile 0.6"

mkdir scenes
"$frames" scenes 240 320 180 >faults
[ "$(cut -d' ' -f2 faults | sort -u | wc -l)" = 6 ] || fail "six kinds of faults were expected"
cd scenes

# The page about a calibration.
renders=$here/../../testdata/renders
code 0 "$program" -q calibrate --output limits.json --report calibration "$renders"/ref "$renders"/run*
valid calibration

# The page of a check of OUT: one frame is missing, one damaged, and others are not like their neighbours.
code 1 "$program" check -q --report checked out
valid checked
look inspect_check.py checked ${shots:+"$shots"}

# One batch, looked at.
code 3 "$program" ref out $limits --report report --output all.jsonl
valid report
look inspect_page.py report all.jsonl ${shots:+"$shots"}
[ "$(find report ! -name '*.jpg' ! -name '*.png' -type f)" = report/index.html ] || fail "other files in the report"

look inspect_many.py "$program" all.jsonl

# Several metrics: a plot, a column and a number of each; a merge makes the same page. One frame is identical.
mkdir some && for side in ref out; do mkdir some/$side && cp $side/00000?.png $side/00006?.png $side/00012?.png some/$side; done
cp some/ref/000005.png some/out/000005.png
metrics="--metric ssimulacra2,psnr,ssim,ms-ssim" held="--min-frame ssimulacra2=70 --min-score psnr=60"
code 1 "$program" some/ref some/out $metrics $held --report measured --output measured.jsonl
valid measured
look inspect_metrics.py measured measured.jsonl ${shots:+"$shots"}
code 0 "$program" -q some/ref some/out $metrics --output whole.jsonl
code 1 "$program" $held --report remeasured merge whole.jsonl
diff <(page measured) <(page remeasured) >/dev/null || fail "the page of a merge with metrics is another one"

# A merge of seven shares makes the page and the pictures of a single run. A share does not see the
# neighbours of its frames, so that its own results do not call frame 181 duplicate.
page_but_181() {
    page "$1" | sed '/>Frame 181<\|"row-181"/s/<span class="hint">[^<]*//
        s|<span class="hint" title="[^"]*">duplicate</span> <a [^>]*>181</a>; ||
        /^<li>Hints:/s|, <a [^>]*>181</a>||
        s|<a href="#frame-181" aria-label="frame 181, hinted"><use [^>]*></a>||'
}
for i in 1 2 3 4 5 6 7; do code 0 "$program" -q ref out --shard $i/7 --output share$i.jsonl; done
code 3 "$program" $limits --report merged merge share?.jsonl
diff <(page_but_181 report) <(page_but_181 merged) >/dev/null || fail "the page of a merge is another one"
for picture in report/*.jpg report/*.png; do cmp "$picture" "merged/${picture#report/}"; done
[ "$(ls report | wc -l)" = "$(ls merged | wc -l)" ] || fail "a merge has other pictures"
# Nowhere near the frames there are no pictures, and the page says so.
mkdir elsewhere && cp share?.jsonl elsewhere
(cd elsewhere && code 3 "$program" $limits --report merged merge share?.jsonl)
[ "$(ls elsewhere/merged)" = index.html ] && grep -q 'No pictures: ' elsewhere/merged/index.html ||
    fail "pictures out of nowhere"
valid elsewhere/merged
grep -q 'href="#sheet"' elsewhere/merged/index.html && fail "a link to a contact sheet that is not there"

# A report replaces a report, and nothing else.
code 3 "$program" -q ref out $limits --report report --report-frames 0
grep -q 'class="card"' report/index.html && fail "no frames were asked for"
cp -r report mine && echo note >mine/note.txt
code 2 "$program" -q ref out --report mine
[ "$(cat mine/note.txt)" = note ] || fail "a file of somebody else is gone"
mkdir empty folder && echo x >folder/index.html && ln -s report link
for path in empty folder link all.jsonl ref ref/report out/below . report/..; do
    code 2 "$program" -q ref out --report "$path" --output x.jsonl
    [ ! -e x.jsonl.partial ] || fail "$path: refused too late"
done
[ "$(cat folder/index.html)" = x ] && [ -L link ] || fail "what is no report was touched"
code 2 "$program" -q ref out --report report --output report/scores.jsonl
code 2 "$program" -q report/frame-000001-small.jpg report/frame-000009-small.jpg --report report
code 74 "$program" -q ref out --report nowhere/report
[ "$(find . -name 'report.*' -o -name 'merged.*' | wc -l)" = 0 ] || fail "something was left beside a report"

# A full disk: the scores are there, and the page of the earlier run is not.
(ulimit -f 8; code 74 "$program" -q ref/000001.png out/000002.png --report report)
[ ! -e report/index.html ] || fail "the page of an earlier run is there"
[ "$(find . -name 'report.*' | wc -l)" = 0 ] || fail "half a report was left"

# A signal while the pictures are made: the results are whole, and nothing of the report is there.
"$program" -q ref out --report-frames 100 --report stopped --output stopped.jsonl 2>stderr & pid=$!
until { [ -e stopped.jsonl ] && ls -d stopped.ssimcu-?????? >/dev/null 2>&1; } || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -INT $pid 2>/dev/null || true
got=0 && wait $pid || got=$?
if [ $got = 130 ]; then
    tail -n 1 stopped.jsonl | grep -q '"type":"summary"' || fail "the results are not whole"
    [ "$(find . -name 'stopped*')" = ./stopped.jsonl ] || fail "half a report is there"
elif [ $got != 3 ]; then fail "exit code $got after a signal"; fi

# Shots, by their directories, of names that mean something in HTML, in URLs, or nothing at all.
mkdir -p 'shots/ref/a" onload="alert(1)' "shots/out/a\" onload=\"alert(1)" 'shots/ref/<b>&amp;' 'shots/out/<b>&amp;'
bad=$'<img src=x onerror=alert(1)>\x01\n\t\xe2\x80\xae#?%41\'`'
for side in ref out; do
    cp $side/000060.png "shots/$side/a\" onload=\"alert(1)/$bad.png"
    cp $side/000061.png "shots/$side/a\" onload=\"alert(1)/"$'\xd1\x81\xd0\xbd\xd0\xb8\xd0\xbc\xd0\xbe\xd0\xba \xd8\xb5\xd9\x88\xd8\xb1\xd8\xa9 \xe5\x86\x99\xe7\x9c\x9f.png'
    cp $side/000090.png "shots/$side/<b>&amp;/<script>alert(1)<!--.png"
    cp $side/000120.png "shots/$side/<b>&amp;/javascript:alert(1).png"
done
code 0 "$program" -q --recursive shots/ref shots/out --report hostile --output hostile.jsonl
valid hostile
look names.py hostile hostile.jsonl

# A pair, and a video.
code 0 "$program" -q ref/000060.png out/000060.png --report pair
valid pair
if has ffmpeg; then
    # The worst tile, 64 x 64 at 128, 64, is shown with what is around it, as its pixels are.
    ffmpeg -v error -i out/000060.png -vf crop=176:176:72:4 around.png
    code 0 "$program" around.png merged/frame-000060-crop-out.png
    [ "$(cat stdout)" = 1.000000000 ] || fail "the magnified tile has other pixels"
    for side in ref out; do
        ffmpeg -v error -y -start_number 1 -i $side/%06d.png -frames:v 64 -pix_fmt yuv420p -strict -1 $side.y4m
    done
    code 0 "$program" -q ref.y4m out.y4m --report video --output video.jsonl
    valid video
    look inspect_short.py pair video
    # Several OUTs: a page over their reports, in the place of an earlier one and of nothing else.
    cp ref.y4m same.y4m && head -c 20 out.y4m >'<b>cut.y4m'
    code 4 "$program" -q --min-tile 0.6 ref.y4m out.y4m same.y4m '<b>cut.y4m' --report outs
    valid outs
    look inspect_outs.py outs
    # A ladder: rungs of two encoders and two sizes, in groups. Without the module for video there is none.
    for q in 18 26 34 42; do
        for kind in medium ultrafast; do ffmpeg -v error -y -i ref.y4m -preset $kind -qp $q $kind$q.mp4; done
    done
    ffmpeg -v error -y -i ref.y4m -vf scale=160:90 -preset medium -qp 18 half.mp4
    if "$program" -q ref.y4m medium18.mp4 2>/dev/null; then
        group() { echo "$1=$1 18,$1 26,$1 34,$1 42"; }
        rungs=(half=half.mp4)
        for kind in medium ultrafast; do for q in 18 26 34 42; do rungs+=("$kind $q=$kind$q.mp4"); done; done
        code 0 "$program" --scale ref --metric ssim,psnr --group "$(group medium)" --group "$(group ultrafast)" \
            --report ladder --output ladder-results ref.y4m "${rungs[@]}"
        cp stderr lines
        valid ladder
        look inspect_ladder.py ladder ladder-results lines ${shots:+"$shots"}
    fi
    code 0 "$program" -q ref.y4m - --report piped <out.y4m
    grep -q 'No pictures: ' piped/index.html || fail "a pipe was read twice"
fi
[ $skipped = 0 ] || echo "[SKIP] report_page: there is no Chromium, nobody has looked at the pages"
exit $skipped

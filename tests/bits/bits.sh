#!/bin/bash
# bits.sh PROGRAM OUTDIR [cuda]: keeps what the command-line program ssimcu prints and writes for many
# inputs, in the new folder OUTDIR, so that two builds can be compared on one machine:
#
#     tests/bits/bits.sh old/cli/ssimcu /tmp/old && tests/bits/bits.sh new/cli/ssimcu /tmp/new
#     diff -r /tmp/old /tmp/new
#
# OUTDIR/in holds the inputs. OUTDIR/cpu (and OUTDIR/cuda) hold a folder or file for each run: NAME.txt is
# its standard output, standard error and exit code. Times and versions are taken out.
set -eu
export LC_ALL=C
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
mkdir "$2"
cd "$2"
devices=(cpu)
[ "${3:-}" != cuda ] || devices+=(cuda)

make_inputs() {
    mkdir -p in/ref in/out in/t
    python3 "$here/streams.py" in
    cp "$here"/../../testdata/*.{png,jpg} in/t/
    local i frames=(rgb8_b rgb8_a grey8_a rgb8_of_grey8_a rgb16_a rgba_alpha rgb8_adam7 palette8)
    for i in {1..24}; do
        cp in/t/rgb8_a.png "in/ref/f.$(printf %04d "$i").png"
        cp "in/t/${frames[i % 8]}.png" "in/out/f.$(printf %04d "$i").png"
    done
    rm in/out/f.0007.png in/ref/f.0019.png
    cp in/t/truncated.png in/out/f.0011.png
    cp in/t/odd37x23_rgb.png in/out/f.0013.png
    make_list >in/pairs.tsv
    find in -exec touch -d '2001-02-03 04:05:06.789 UTC' {} +
}

# Compares every picture, damaged ones too, with the four that follow, and some that are not there.
make_list() {
    local names=(in/t/*) i k
    for ((i = 0; i < ${#names[@]}; i++)); do
        for k in 0 1 2 3 4; do
            [ $((i + k)) -ge ${#names[@]} ] || printf '%s\t%s\n' "${names[i]}" "${names[i + k]}"
        done
        [ $((i % 10)) != 0 ] || printf '%s\t%s\n' "${names[i]}" in/t/missing.png
    done
}

run() { # run NAME OPTIONS...: stdout, stderr and exit code into NAME.txt
    local name=$device/$1 code=0
    shift
    "$program" --device "$device" "$@" >"$name.stdout" 2>"$name.stderr" || code=$?
    { cat "$name.stdout"; echo "--"; cat "$name.stderr"; echo "-- exit $code"; } >"$name.txt"
    rm "$name.stdout" "$name.stderr"
}

batch() { # batch NAME OPTIONS...: results as JSON Lines and as CSV, in a file and on stdout
    local name=$1
    shift
    run "$name.jsonl" --output "$device/$name.jsonl" --threads 2 "$@"
    run "$name.csv" --output "$device/$name.csv" --threads 1 "$@"
    run "$name.stdout" --json --worst 2 "$@"
}

pictures() {
    local pad color alpha
    batch list --list in/pairs.tsv
    batch list.luma --list in/pairs.tsv --pad zero --color y709
    for alpha in ignore black white; do batch "list.$alpha" --list in/pairs.tsv --alpha $alpha; done
    for pad in valid zero; do
        for color in rgb y709 y601; do batch "frames.$pad.$color" --pad $pad --color $color in/ref in/out; done
    done
    batch pattern --frames 2-24x3 in/ref/f.%04d.png in/out/f.####.png
    batch missing_end --missing end --min-score 0.5 --min-frame 0.9 --max-bad 1 in/ref in/out
    batch one in/t/rgb8_a.png in/out
    for i in 1 2 3; do batch "share$i" --shard "$i/3" in/ref in/out; done
    batch merged merge "$device"/share{3,1,2}.jsonl
    cp "$device/share1.jsonl" "$device/resumed.jsonl"
    run resumed --resume "$device/resumed.jsonl" in/ref in/out
}

video() {
    local name
    for name in in/ref.*.y4m; do
        name=${name#in/ref.}
        for pad in valid zero; do batch "video.${name%.y4m}.$pad" --pad $pad in/ref."$name" in/out."$name"; done
    done
    batch raw --size 181x101 --format yuv420p in/ref.420.yuv in/out.420.yuv
    batch raw10 --size 181x101 --format yuv420p10 --memory 2M in/ref.420p10.yuv in/out.420p10.yuv
    batch mixed in/ref.420.y4m in/out.444.y4m
}

singles() {
    local pair pairs name options i=0
    pairs=(rgb8_{a,b}.png rgba_alpha{,_b}.png rgb16_{a,b}.png grey8_{a,b}.png grey16{,_alpha}.png
        odd37x23_{rgb.png,yuv420.jpg} rgb8_a.png grey16_alpha.png tiny1{0x10,1x11}.png truncated.png rgb8_a.png
        dandelion-{ref.png,jpeg-q50.jpg})
    for ((i = 0; i < ${#pairs[@]}; i += 2)); do
        pair=("in/t/${pairs[i]}" "in/t/${pairs[i + 1]}")
        for options in "" "--pad zero" "--color y709 --alpha black" "--color y601 --alpha white" "--alpha ignore"; do
            name="single.$i${options// /}"
            # shellcheck disable=SC2086
            run "$name" --json --map "$device/$name.png" $options "${pair[@]}"
        done
        run "single.$i.bare" --min-score 0.9 "${pair[@]}"
    done
}

# Takes out the version and the times, which may differ. In JSON from --json the commas stay.
take_out() {
    find "$device" -type f ! -name '*.png' -exec sed -i -E \
        -e 's/("ssimcu": ?)"[^"]*"/\1"VERSION"/' -e '/^ *"decode_ms": /d' -e '/^  "ms": \{$/,/^  \}/d' {} +
}

make_inputs
for device in "${devices[@]}"; do
    mkdir "$device"
    pictures
    video
    singles
    take_out
done
echo "$2: $(find "${devices[@]}" -type f | wc -l) files"

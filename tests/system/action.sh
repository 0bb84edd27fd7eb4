#!/bin/bash
# action.sh PROGRAM: runs script/action as action.yml does, on a repository and a gh that this test makes. Failing renders
# get a comment whose pictures the repository holds, the next run edits it, and a token that may not write costs only that.
set -euo pipefail
command -v git >/dev/null || { echo "[SKIP] action no git" && exit 77; }
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "[FAIL] action: $*" && cat "$scratch/said" && exit 1; }

# A gh that keeps the comments of a change as files: it lists their numbers, adds one, edits one.
mkdir -p "$scratch/bin" "$scratch/comments" "$scratch/server/owner"
cat >"$scratch/bin/gh" <<'GH'
#!/bin/bash
set -euo pipefail
[ "$GH_TOKEN" = secret ] || { echo "gh: Resource not accessible (HTTP 403)" >&2; exit 1; }
all=$*
case $all in
"api --paginate repos/owner/name/issues/7/comments --jq .[] | select(.body | startswith(\"<!-- ssimcu -->\")) | .id") grep -l '^<!-- ssimcu -->' "$COMMENTS"/* | xargs -rn 1 basename || true ;;
"api -X POST repos/owner/name/issues/7/comments -F body=@"*) cp "${all##*body=@}" "$COMMENTS/$(find "$COMMENTS" -type f | wc -l)" ;;
"api -X PATCH repos/owner/name/issues/comments/"*) cp "${all##*body=@}" "$COMMENTS/$(sed 's,.*/comments/\([0-9]*\) .*,\1,' <<<"$all")" ;;
*) echo "gh: $*" >&2 && exit 1 ;;
esac
GH
chmod +x "$scratch/bin/gh"
git init -q --bare "$scratch/server/owner/name"
export PATH=$scratch/bin:$PATH COMMENTS=$scratch/comments GITHUB_SERVER_URL=file://$scratch/server GITHUB_REPOSITORY=owner/name
export GITHUB_STEP_SUMMARY=$scratch/summary GITHUB_OUTPUT=$scratch/outputs PROGRAM=$program GH_TOKEN=secret CHANGE=7
export REFERENCE=$root/testdata/renders/ref GIT_CONFIG_GLOBAL=/dev/null
echo "somebody's own" >"$COMMENTS/0"

action() { # action CODE [NAME=VALUE...]: runs it, which must end with CODE
    local want=$1 code=0
    shift
    rm -f "$GITHUB_STEP_SUMMARY" "$GITHUB_OUTPUT"
    touch "$GITHUB_STEP_SUMMARY" "$GITHUB_OUTPUT"
    (cd "$scratch" && env "$@" "$root/script/action") >"$scratch/said" 2>&1 || code=$?
    [ $code = "$want" ] || fail "exit $code, not $want, of $*"
}

action 1 OUTPUT="$root/testdata/renders/broken" "ARGUMENTS=--min-tile
0.9"
grep -q '^exit-code=1$' "$GITHUB_OUTPUT" && grep -q '^score=0\.892561' "$GITHUB_OUTPUT" || fail "outputs"
grep -q 'under --min-tile 0.9' "$GITHUB_STEP_SUMMARY" && ! grep -q '!\[' "$GITHUB_STEP_SUMMARY" || fail "summary"
[ "$(ls "$COMMENTS")" = "0
1" ] || fail "comments"
grep -q 'ssimcu: failed' "$COMMENTS/1" && ! grep -q '](note' "$COMMENTS/1" || fail "the comment"
pictures=$(grep -o "](file:[^)]*" "$COMMENTS/1" | cut -c3-)
[ "$(wc -w <<<"$pictures")" = 3 ] || fail "pictures"
for picture in $pictures; do # .../owner/name/raw/COMMIT/FILE
    [[ $picture =~ ^$GITHUB_SERVER_URL/owner/name/raw/([0-9a-f]{40})/(.*)$ ]] || fail "$picture"
    [ "$(git -C "$scratch/server/owner/name" rev-parse ssimcu-7)" = "${BASH_REMATCH[1]}" ] || fail "the branch"
    git -C "$scratch/server/owner/name" cat-file -e "${BASH_REMATCH[1]}:${BASH_REMATCH[2]}" || fail "$picture"
done
! grep -rq secret "$scratch/said" "$scratch/server" || fail "the token is in what was written"
echo "[PASS] action::comment"

action 0 OUTPUT="$root/testdata/renders/new"
[ "$(ls "$COMMENTS" | wc -l)" = 2 ] && grep -q 'ssimcu: passed' "$COMMENTS/1" || fail "the comment was not edited"
[ "$(cat "$COMMENTS/0")" = "somebody's own" ] || fail "another comment was touched"
echo "[PASS] action::edit"

echo '{"ssimcu_limits": 1, "rules": [{"match": "*", "min_tile": 0.9}]}' >"$scratch/limits.json"
rm "$COMMENTS/1"
action 1 OUTPUT="$root/testdata/renders/broken" LIMITS=limits.json PICTURES=false
! grep -q '!\[\|before' "$COMMENTS/1" && grep -q 'ssimcu: failed' "$COMMENTS/1" || fail "pictures that nobody sees"
rm "$COMMENTS/1"
action 1 OUTPUT="$root/testdata/renders/broken" LIMITS=limits.json GH_TOKEN=of-a-fork
[ ! -e "$COMMENTS/1" ] && grep -q 'could not comment' "$scratch/said" && [ -s "$GITHUB_STEP_SUMMARY" ] || fail "a fork"
action 1 OUTPUT="$root/testdata/renders/broken" LIMITS=limits.json CHANGE=
[ ! -e "$COMMENTS/1" ] && [ -s "$GITHUB_STEP_SUMMARY" ] || fail "no change"
action 2 OUTPUT="$root/testdata/renders/broken" ARGUMENTS=--no-such-option
action 4 OUTPUT=nothing
echo "[PASS] action::refusals"

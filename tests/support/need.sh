# shellcheck shell=bash
# need.sh: sourced by what runs tests in the shell. The one place there that knows what a machine has, and what
# SSIMCU_REQUIRE asks for. need.py is the same for Python, require.h for C. The names are those of needs.txt.

needs_table=$(cat "$(dirname "${BASH_SOURCE[0]}")/needs.txt")

knows_need() { # knows_need NAME: sets need_kind to device, program or module, and need_others
    [[ $'\n'$needs_table =~ $'\n'$1\ +([a-z]+)([^$'\n']*) ]] && need_kind=${BASH_REMATCH[1]} need_others=${BASH_REMATCH[2]}
}

for required_name in ${SSIMCU_REQUIRE:-}; do
    if ! knows_need "$required_name"; then
        echo "[FAIL] SSIMCU_REQUIRE: no test needs $required_name; the names are in tests/support/needs.txt"
        exit 1
    fi
done

is_there() { # is_there NAME
    knows_need "$1" || { echo "[FAIL] tests/support/needs.txt does not name $1" >&2; return 1; }
    case $need_kind in
    program) # shellcheck disable=SC2086
        [ -n "$(command -v "$1" $need_others)" ] ;;
    module) "${PYTHON:-python3}" -c "import importlib.util, sys; sys.exit(not importlib.util.find_spec('$1'))" 2>/dev/null ;;
    device) nvidia-smi -L >/dev/null 2>&1 ;;
    esac
}

is_required() { # is_required NAME
    case " ${SSIMCU_REQUIRE:-} " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

required_line() { # required_line NAME
    echo "$1 is required (SSIMCU_REQUIRE), but it is not here"
}

# has NAME: whether it is there. If it is missing and required, this ends the script with a failure.
has() {
    is_there "$1" && return
    is_required "$1" || return 1
    echo "[FAIL] $(required_line "$1")"
    exit 1
}

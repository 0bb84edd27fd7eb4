#!/bin/bash
# budget.sh SOURCE [--list]: the code of each module, counted by cloc, is within its budget (budget.tsv). Whoever needs
# more raises the number in the commit that explains why. A module that has shrunk by a twentieth gives the rest back.
# --list prints a table with today's counts.
set -euo pipefail
source=$(realpath "$1")
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
has cloc || { echo "cloc is not here"; exit 77; }
cd "$source"
count() {
    cloc --quiet --csv --by-file lib io cli kernels | awk -F, 'NR > 1 && $2 != "" && $1 != "SUM" {
        n = split($2, part, "/")
        module = part[1] == "cli" || n < 3 ? part[1] : part[1] "/" part[2]
        if (module == "lib/qa" && n > 3) module = module "/" part[3]
        lines[module] += $5
    } END { for (module in lines) print module "\t" lines[module] }' | LC_ALL=C sort
}
if [ "${2:-}" = --list ]; then count; exit; fi
count | awk -F'\t' '
    NR == FNR { if ($1 !~ /^#/ && NF == 2) budget[$1] = $2; next }
    { seen[$1] = 1; sum += $2 }
    !($1 in budget) { print "budget.tsv: lacks " $1 ", which has " $2 " lines"; bad = 1; next }
    $2 > budget[$1] { print $1 ": " $2 " lines of code, budget " budget[$1]; bad = 1 }
    $2 < 0.95 * budget[$1] - 10 { print $1 ": " $2 " lines of code: give back what is left of " budget[$1]; bad = 1 }
    END {
        for (module in budget) if (!(module in seen)) { print "budget.tsv: " module " is no module"; bad = 1 }
        print sum " lines of code"
        exit bad
    }' tests/system/budget.tsv -

// A job type of Flamenco: check, shares -> merge -> verdict. Put the file into the folder `scripts` of the manager.
// Flamenco tries a failed share again, and the share continues where it was.
const JOB_TYPE = {
    label: "Score with ssimcu",
    settings: [
        { key: "ref", type: "string", subtype: "dir_path", required: true, description: "References" },
        { key: "out", type: "string", subtype: "dir_path", required: true, description: "What is scored" },
        { key: "results", type: "string", subtype: "dir_path", required: true,
          description: "Folder for shares, scores.jsonl, scores.xml and the page; it must be there" },
        { key: "shares", type: "int32", default: 8, required: true, description: "Number of tasks that score" },
        { key: "min_tile", type: "float", default: 0.9, required: true, description: "Limit of every tile" },
    ],
};

// Frames over a limit (1) or failed (3) are left to the verdict. Without a share there is no file for it.
const MERGE = 'scores=$1 limit=$2; shift 2; rm -f "$scores"; ' +
    'ssimcu -q --min-tile "$limit" --output "$scores" merge "$@"; code=$?; ' +
    'case $code in 1 | 3) [ ! -e "$scores" ] || code=0 ;; esac; exit $code';

// Damaged frames (1) are left to the verdict, which fails if the scores pass.
const CHECK = 'cd "$1" && ssimcu -q check --junit check.xml --rerender again.txt --report check_page "$2"; code=$?; ' +
    '[ $code != 1 ] || code=0; exit $code';
const VERDICT = 'again=$1; shift; ssimcu "$@"; code=$?; ' +
    '[ $code != 0 ] || [ ! -s "$again" ] || { cat "$again"; code=1; }; exit $code';

function newTask(name, after, exe, args) {
    const task = author.Task(name, "misc");
    task.addCommand(author.Command("exec", { exe: exe, args: args }));
    after.forEach((other) => task.addDependency(other));
    return task;
}

function compileJob(job) {
    const settings = job.settings;
    const limits = ["--min-tile", String(settings.min_tile)];
    const scores = settings.results + "/scores.jsonl";
    const check = newTask("check", [], "sh", ["-c", CHECK, "check", settings.results, settings.out]);
    const files = [], tasks = [check];
    for (let i = 1; i <= settings.shares; i++) {
        files.push(settings.results + "/share." + i + ".jsonl");
        tasks.push(newTask("share-" + i, [], "ssimcu", limits.concat(
            ["-q", "--shard", i + "/" + settings.shares, "--resume", files[i - 1], settings.ref, settings.out])));
    }
    const merge = newTask("merge", tasks, "sh", ["-c", MERGE, "merge", scores, String(settings.min_tile)].concat(files));
    const verdict = newTask("verdict", [merge], "sh", ["-c", VERDICT, "verdict", settings.results + "/again.txt"].concat(limits,
        ["--junit", settings.results + "/scores.xml", "--report", settings.results + "/page", "merge", scores]));
    tasks.concat([merge, verdict]).forEach((task) => job.addTask(task));
}

// farm_flamenco.js JOB_TYPE.js SETTINGS.json: compiles a job of Flamenco's form and runs its tasks here, each behind
// those that it depends on, a failed one three times. Ends with the exit code of the last.
const fs = require("fs"), vm = require("vm"), { spawnSync } = require("child_process");

const tasks = [];
const author = {
    Task: (name, type) => ({
        name, type, commands: [], after: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) { this.after.push(task); },
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
const room = vm.createContext({ author });
vm.runInContext(fs.readFileSync(process.argv[2], "utf8") + "\nthis.JOB_TYPE = JOB_TYPE; this.compileJob = compileJob;",
                room);
const given = JSON.parse(fs.readFileSync(process.argv[3], "utf8")), settings = {};
for (const setting of room.JOB_TYPE.settings) {
    settings[setting.key] = setting.key in given ? given[setting.key] : setting.default;
    if (settings[setting.key] === undefined) throw new Error("no value for " + setting.key);
}
room.compileJob({ settings, addTask: (task) => tasks.push(task) });

let code = 0;
const done = new Set();
for (const task of tasks) {
    if (!task.after.every((other) => done.has(other))) throw new Error(task.name + " comes before what it needs");
    for (let i = 0; i < 3; i++) {
        for (const command of task.commands) {
            const { exe, args } = command.parameters;
            code = spawnSync(exe, args, { stdio: "inherit" }).status;
        }
        if (code === 0) break;
    }
    if (code === 0) done.add(task);
}
process.exit(code);

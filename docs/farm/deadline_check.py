"""A post-job script of Deadline 10: checks all outputs of a job, and renders the frames that fail once more.

Submit jobs with PostJobScript=/path/deadline_check.py. The results and a page are in the folder `ssimcu_check` next to the
frames. If frames still fail after TRIES renders, the script fails.
"""

import os
import subprocess

from Deadline.Scripting import FrameUtils, RepositoryUtils

TRIES = 2  # renders of a frame
COUNT = "ssimcu_tries"  # where the job keeps how often it was checked


def outputs(job):
    """Returns the patterns of the files that the job writes."""
    paths = zip(job.JobOutputDirectories, job.JobOutputFileNames)
    return [os.path.join(directory, name).replace("?", "#") for directory, name in paths]


def check(pattern, frames, log):
    """Returns the frames of an output that fail, as a list such as "1003-1005,1009"."""
    folder = os.path.join(os.path.dirname(pattern), "ssimcu_check")
    base = os.path.join(folder, os.path.basename(pattern).replace("#", ""))
    os.makedirs(folder, exist_ok=True)
    again = base + ".again.txt"
    if os.path.exists(again):
        os.remove(again)
    done = subprocess.run(["ssimcu", "check", "--frames", frames, "--resume", base + ".jsonl", "--report", base + ".page",
                           "--rerender", again, pattern],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    log(done.stdout)
    if done.returncode == 4:
        return frames  # there is no frame
    if not os.path.exists(again):
        raise RuntimeError("ssimcu check ended with " + str(done.returncode))
    with open(again) as lines:
        return ",".join(line.rsplit(" ", 1)[1].strip() for line in lines)


def __main__(*args):
    plugin = args[0]
    job = plugin.GetJob()
    frames = ",".join(str(frame) for frame in job.JobFramesList)
    failed = set()
    for pattern in outputs(job):
        again = check(pattern, frames, plugin.LogInfo)
        failed.update(FrameUtils.Parse(again) if again else [])
    if not failed:
        return
    tries = int(job.GetJobExtraInfoKeyValue(COUNT) or 1)
    if tries >= TRIES:
        plugin.FailRender("ssimcu check: frames fail after {} renders: {}".format(tries, sorted(failed)))
    job.SetJobExtraInfoKeyValue(COUNT, str(tries + 1))
    RepositoryUtils.SaveJob(job)
    tasks = [task for task in RepositoryUtils.GetJobTasks(job, True).TaskCollectionTasks
             if failed.intersection(task.TaskFrameList)]
    RepositoryUtils.RequeueTasks(job, tasks)
    plugin.LogInfo("ssimcu check: renders {} tasks once more".format(len(tasks)))

"""opencue_check.py LAYER PATTERN [FRAMES]: a layer of OpenCue that checks what another layer has rendered.

The layer depends on the layer LAYER and has one frame. Frames that fail are retried, and this frame then depends on LAYER
once more, so it checks them when they are there. It ends with the exit status of the check.
"""

import os
import subprocess
import sys

import opencue.api


def main(layer, pattern, frames=None):
    folder = os.path.join(os.path.dirname(pattern), "ssimcu_check")
    os.makedirs(folder, exist_ok=True)
    results, again = os.path.join(folder, "check.jsonl"), os.path.join(folder, "again.txt")
    if os.path.exists(again):
        os.remove(again)
    command = ["ssimcu", "check", "--resume", results, "--report", os.path.join(folder, "page"),
               "--rerender", again, *(["--frames", frames] if frames else []), pattern]
    code = subprocess.run(command).returncode
    if code == 0 or not os.path.exists(again):
        return code
    with open(again) as lines:
        failed = ",".join(line.rsplit(" ", 1)[1].strip() for line in lines)
    job = opencue.api.findJob(os.environ["CUE_JOB"])
    job.addComment("ssimcu check", "{}: frames {} fail; see {}".format(layer, failed, folder))
    job.retryFrames(layer=[layer], range=failed)
    own = opencue.api.findFrame(job.name(), os.environ["CUE_LAYER"], int(os.environ["CUE_IFRAME"]))
    own.createDependencyOnLayer(opencue.api.findLayer(job.name(), layer))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

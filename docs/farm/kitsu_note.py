"""kitsu_note.py RESULTS PAGE TASK: posts the verdict of a check or a run to a task of Kitsu.

RESULTS are JSON Lines, PAGE is the folder of --report, and TASK is the id of the task. The comment names the frames that fail.
The page of a
check adds pictures of the places. KITSU_HOST, KITSU_USER and KITSU_PASSWORD say where and as whom.
"""

import glob
import json
import os
import sys

import gazu

FRAMES, CROPS = 20, 4  # most of them in a comment
RETAKE, DONE = "retake", "wfa"  # short names of the status for a bad and a good verdict


def read(path):
    """Returns whether the run passed, and a line for each frame that fails."""
    failed, passed = [], False
    with open(path) as lines:
        for record in map(json.loads, lines):
            if record["type"] == "summary":
                passed = record["complete"] and record["verdict"]["passed"]
            found = record.get("findings", []) if record["type"] == "frame" else []
            reasons = [f"{one['kind']}: {one['text']}" for one in found if one["fails"]]
            if reasons:
                failed.append(f"- {record.get('shot') or ''} frame {record['frame']}: {'; '.join(reasons)}")
    return passed, failed


def main(results, page, task):
    passed, failed = read(results)
    text = "**ssimcu: " + ("passed" if passed else "failed") + "**\n" + "\n".join(failed[:FRAMES])
    if len(failed) > FRAMES:
        text += f"\n- and {len(failed) - FRAMES} more"
    crops = sorted(glob.glob(os.path.join(glob.escape(page), "frame-*-here.png")))[:CROPS]
    gazu.set_host(os.environ["KITSU_HOST"])
    gazu.log_in(os.environ["KITSU_USER"], os.environ["KITSU_PASSWORD"])
    status = gazu.task.get_task_status_by_short_name(DONE if passed else RETAKE)
    gazu.task.add_comment(gazu.task.get_task(task), status, comment=text, attachments=[] if passed else crops)


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""farm_manifest.py SHOW FILE...: runs the jobs of Kubernetes' manifests here, one after the other, as the cluster
would: an indexed job once for each index, a failed pod again as its policy says. The folder /show is SHOW.
Returns the last exit code. Each file is held against the published schema first (kubernetes-validate)."""
import os
import subprocess
import sys

import kubernetes_validate
import yaml


def fails_for_good(spec, code):
    for rule in spec["podFailurePolicy"]["rules"]:
        if "onExitCodes" in rule and code in rule["onExitCodes"]["values"]:
            return True
    return False


def run_pod(spec, show, index):
    pod = spec["template"]["spec"]["containers"][0]
    environment = {**os.environ, **{row["name"]: row["value"] for row in pod.get("env", [])}}
    if spec.get("completionMode") == "Indexed":
        environment["JOB_COMPLETION_INDEX"] = str(index)
    tries = 1 + spec.get("backoffLimitPerIndex", spec.get("backoffLimit", 0))
    for _ in range(tries):
        code = subprocess.run([word.replace("/show", show) for word in pod["command"]], env=environment,
                              cwd=pod.get("workingDir", "/show").replace("/show", show), check=False).returncode
        if code == 0 or fails_for_good(spec, code):
            break
    return code


def main():
    show, code = sys.argv[1], 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            job = yaml.safe_load(file)
        kubernetes_validate.validate(job, "1.33", strict=True)
        spec = job["spec"]
        for index in range(spec.get("completions", 1)):
            code = run_pod(spec, show, index)
        if spec.get("completionMode") == "Indexed":
            total = [row["value"] for row in spec["template"]["spec"]["containers"][0]["env"]]
            assert total == [str(spec["completions"])], "SSIMCU_SHARDS is not the number of completions"
    return code


sys.exit(main())

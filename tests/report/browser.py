"""A headless Chromium that a test drives: pages, clicks and keys, and what it logged and fetched.
It speaks the DevTools protocol over a pipe, so that no port and no package is needed."""
import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import need


def find():
    """Where Chromium is; None where there is none."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        ours, theirs = os.pipe(), os.pipe()  # theirs[1] -> ours: what it says; it reads ours[0]
        self.out, self.input = ours[1], theirs[0]
        keep = (ours[0], theirs[1])

        def arrange():
            os.dup2(keep[0], 1003), os.dup2(keep[1], 1004)
            os.dup2(1003, 3), os.dup2(1004, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "about:blank"],
            preexec_fn=arrange, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(keep[0]), os.close(keep[1])
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out), os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            some = os.read(self.input, 1 << 20)
            if not some:
                raise RuntimeError("the browser has ended")
            self.buffer += some
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive(60)
            if message is None:
                raise RuntimeError(method + ": no answer")
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message.get("result", {})
            self.events.append(message)

    def wait(self, method, seconds=60):
        end = time.monotonic() + seconds
        while not any(event.get("method") == method for event in self.events):
            message = self.receive(end - time.monotonic())
            if message is None:
                raise RuntimeError("no " + method)
            self.events.append(message)

    def open(self, url, width, dark=False, scripts=True):
        """Loads the page anew in a window of this width."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def complaints(self):
        """What the console, the log and the network said: messages and requests that are no file's."""
        found = []
        for event in self.events:
            method, given = event.get("method"), event.get("params", {})
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Network.loadingFailed"):
                found.append(f"{method}: {json.dumps(given)[:500]}")
            if method == "Network.requestWillBeSent" and not given["request"]["url"].startswith("file:"):
                found.append("request: " + given["request"]["url"][:200])
        return found

    def place(self, selector, x=0.5, y=0.5):
        """A point of an element in the window, which is scrolled to it."""
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = self.run(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                       "return [b.left, b.top, b.width, b.height]; })()")
        return box[0] + x * box[2], box[1] + y * box[3]

    def mouse(self, kind, at, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], **more)

    def click(self, selector, x=0.5, y=0.5):
        at = self.place(selector, x, y)
        self.mouse("mouseMoved", at)
        self.mouse("mousePressed", at, button="left", clickCount=1)
        self.mouse("mouseReleased", at, button="left", clickCount=1)

    def drag(self, selector, start, end):
        a, b = self.place(selector, start), self.place(selector, end)
        self.mouse("mouseMoved", a)
        self.mouse("mousePressed", a, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", b, button="left", buttons=1)
        self.mouse("mouseReleased", b, button="left", clickCount=1)

    def key(self, name, code):
        for kind in ("keyDown", "keyUp"):
            more = {"text": "\r"} if name == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **more)

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as to:
            to.write(base64.b64decode(data))


@contextlib.contextmanager
def opened():
    """A browser, which is closed at the end. Without Chromium the program ends with 77."""
    program = find()
    if not program:
        if need.missing("chromium"):
            need.fail(need.missing("chromium"))
        print("there is no Chromium here")
        sys.exit(77)
    page = Browser(program)
    try:
        yield page
    finally:
        page.close()

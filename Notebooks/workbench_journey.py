#!/usr/bin/env python3
"""Journeys through `urlfilter open` in a real browser, each from a folder to an answer.

    apt-get install -y chromium && pip install -r Notebooks/requirements-browser.txt
    Notebooks/workbench_journey.py PROGRAM --pictures FOLDER
    Notebooks/workbench_journey.py PROGRAM --journey knobs
    Notebooks/workbench_journey.py PROGRAM --journey speed

PROGRAM is the built `urlfilter`. Journeys: `first` meets hostile names everywhere; `school`, `planner` and `researcher`
begin in an empty folder and end with an exported file; `hostile` is a page of another origin; `knobs` is the shortest;
`speed` measures first paint, knobs and memory with a list of a million entries.
Fails on the first thing that is not as it should be: what the page says, an error in the console, a request that leaves
this machine, a page wider than the screen, what axe-core finds, an answer of the knobs slower than --limit, or a page
whose boxes stand elsewhere than in workbench_boxes.json (--record writes it anew).
"""
import argparse
import http.client
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

HOSTILE = "<img src=x onerror=document.title='stolen'>"
SCENARIO = f"""# Does a {HOSTILE} stay a text? It should.
name: "{HOSTILE}"
fidelity: calibrated
duration: 2h
replications: {{ min: 3, max: 3 }}
blocklist: {{ file: list.txt }}
devices:
  - {{ name: homes, count: 20, browsing: {{ profile: adult }} }}
objectives: [ lookup.latency p99 < 20s ]
"""
SIZES = {"desktop": (1280, 900), "phone": (360, 740), "wall": (2560, 1300)}
LIST = "games.example\nads.example/banner/\nwww.Bad.example\n"
# Large parts of a page, in their order, with left edge and width. Heights follow texts and fonts, and are left out.
BOXES = """() => [...document.querySelectorAll('header, nav, main, h1, h2, section, form, fieldset, figure, figure > svg, '
    + '.columns > *, .cards, .tiles, .command, .wide, iframe')].map((one) => [one, one.getBoundingClientRect()])
    // What a closed fold holds has a box once it was drawn, whenever that was.
    .filter(([one, box]) => box.width > 0 && box.height > 0 && one.checkVisibility())
    .map(([one, box]) => [one.tagName.toLowerCase(), Math.round(box.x + scrollX), Math.round(box.width)])"""
TOLERANCE = 12
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def started(program, folder):
    server = subprocess.Popen([program, "open", str(folder), "--no-browser"], stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        if found := re.search(r"open: (http://127\.0\.0\.1:\d+/#open=[0-9a-f]{64}\S*)", line):
            return server, found[1]
    raise SystemExit("urlfilter open does not start")


class Journey:
    def __init__(self, page, pictures, limit, boxes, records):
        self.page, self.pictures, self.limit, self.complaints = page, pictures, limit, []
        self.boxes, self.records = boxes, records
        page.on("console", lambda message: message.type == "error"
                # What a knob cannot be is refused, and the browser notes that.
                and "status of 422" not in message.text
                and self.complaints.append(f"{message.text} ({message.location.get('url')})"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("http://127.0.0.1:", "data:"))
                or self.complaints.append(f"asks {request.url}"))

    def look(self, name):
        """Pictures at each size and colour, and what any page has to be."""
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                self.page.emulate_media(color_scheme=scheme)
                # A frame takes its new width a moment later.
                self.page.wait_for_timeout(200)
                if self.pictures and (size, scheme) != ("wall", "dark"):
                    self.page.screenshot(path=f"{self.pictures}/{name}-{size}-{scheme}.png")
            assert self.page.evaluate(WIDER) <= 0, f"{name}: wider than {width} px"
            self.compare(f"{name}-{size}", self.page.evaluate(BOXES))
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            # A report in a frame has no origin, and axe cannot look into it.
            found = Axe().run(self.page, options={"iframes": False})
            bad = [(one["id"], one["nodes"][0]["html"][:120]) for one in found.response["violations"]]
            assert not bad, f"{name}, {scheme}: {bad}"
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(dict(zip(("width", "height"), SIZES["desktop"])))
        assert self.page.title() != "stolen"
        assert not self.complaints, self.complaints

    def compare(self, name, boxes):
        """Compares where things stand with what was recorded: the same parts in the same order, edges within TOLERANCE."""
        if self.records:
            self.boxes[name] = boxes
        wanted = self.boxes.get(name, [])
        assert [one[0] for one in boxes] == [one[0] for one in wanted], f"{name}: {boxes}; recorded: {wanted}"
        moved = [(one, two) for one, two in zip(boxes, wanted)
                 if max(abs(a - b) for a, b in zip(one[1:], two[1:])) > TOLERANCE]
        assert not moved, f"{name}: {moved}"

    def go(self, address):
        page = self.page
        page.goto(address)
        expect(page.get_by_role("heading", level=2, name=re.compile("Scenarios"))).to_be_visible()
        assert "open=" not in page.url
        expect(page.get_by_role("link", name=HOSTILE)).to_be_visible()
        expect(page.get_by_text("Cannot be used")).to_be_visible()
        self.look("folder")
        self.prefilter()
        self.scenario()
        self.run()
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
        page.get_by_role("link", name="Folder").click()
        expect(page.get_by_text(re.compile("all objectives pass|cannot tell yet"))).to_be_visible()
        self.look("folder-after")

    def turn(self):
        """Turns the first slider of a page of knobs, and measures until the answer is there."""
        times = self.page.evaluate("""async () => {
            const slider = document.querySelector('input[type=range]'), answer = document.querySelector('.columns [aria-live]');
            const times = [];
            for (let step = 0; step < 40; step += 1) {
                const begin = performance.now();
                slider.value = Number(slider.min) + (slider.max - slider.min) * (0.3 + step / 120);
                slider.dispatchEvent(new Event('input'));
                await new Promise((done) => {
                    new MutationObserver((_, one) => { one.disconnect(); done(); }).observe(answer, { childList: true });
                });
                // It is seen in the next frame.
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - begin);
            }
            return times.sort((a, b) => a - b);
        }""")
        print(f"  {self.page.title().split(' · ')[0]}: knob to curve: median {times[19]:.0f} ms, 95 % {times[37]:.0f} ms")
        assert times[19] < self.limit, times
        return times[37]

    def open(self, name):
        self.page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text(name)

    def prefilter(self):
        page = self.page
        self.open("Which prefilter")
        expect(page.get_by_text("1.8 MB", exact=False).first).to_be_visible()
        self.turn()
        page.get_by_label("False hits per lookup string", exact=True).fill("1/500")
        expect(page.get_by_text("--tolerance 0.002", exact=False)).to_be_visible()
        page.get_by_label("Entries of your list").fill("60000")
        expect(page.get_by_text("--entries 60000", exact=False)).to_be_visible()
        self.look("prefilter")
        page.get_by_role("button", name="Put it there").click()
        expect(page.get_by_role("textbox", name="The file")).to_have_value(re.compile("falsePositiveTolerance: 0.002"))

    def scenario(self):
        page = self.page
        text = page.get_by_role("textbox", name="The file")
        expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
        # Form to text.
        page.get_by_label("Search").fill("fail closed")
        control = page.get_by_label("filter.shouldFailClosed", exact=True)
        control.select_option("true")
        expect(text).to_have_value(re.compile("shouldFailClosed: true"))
        assert text.input_value().startswith("# Does a")
        self.look("scenario-search")
        # Text to form, with an error on the way.
        page.get_by_label("Search").fill("devices[homes].count")
        text.fill(text.input_value().replace("shouldFailClosed", "shouldFailClosd"))
        expect(page.get_by_role("alert")).to_contain_text("did you mean 'shouldFailClosed'?")
        self.look("scenario-error")
        page.get_by_role("button", name="Go to line").click()
        assert text.evaluate("(one) => one.value.slice(one.selectionStart, one.selectionEnd)").startswith("filter:")
        text.fill(text.input_value().replace("shouldFailClosd", "shouldFailClosed").replace("count: 20", "count: 21"))
        expect(page.get_by_label("devices[homes].count", exact=True)).to_have_value("21")
        page.get_by_label("Search").fill("")
        self.look("scenario")

    def run(self):
        page = self.page
        page.get_by_role("button", name="Save and run").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
        # While it runs, the page has more to show from one moment to the next.
        expect(page.get_by_text("done", exact=True).first).to_be_visible(timeout=180_000)
        self.look("runs")
        expect(page.get_by_role("link", name="Result")).to_be_visible(timeout=300_000)
        page.get_by_role("link", name="Result").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
        report = page.frame_locator("iframe")
        expect(report.get_by_role("heading", level=1)).to_have_text(HOSTILE)
        page.wait_for_timeout(300)
        self.look("result")

    def knobs(self, address):
        """The three questions, each by its knobs."""
        page = self.page
        page.goto(address)
        self.prefilter_only()
        self.open("How many servers")
        expect(page.get_by_text("a month.", exact=False).first).to_be_visible()
        self.turn()
        page.get_by_label("Devices", exact=True).fill("2M")
        page.locator("label[for=regions-2]").click()
        page.locator("label[for=survives-yes]").click()
        expect(page.get_by_text("one region gone", exact=False)).to_be_visible()
        page.get_by_label("Devices", exact=True).fill("<b>")
        expect(page.get_by_role("alert")).to_contain_text("is no count")
        page.get_by_label("Devices", exact=True).fill("2M")
        self.look("servers")
        self.open("Open or closed")
        self.turn()
        page.get_by_label("A listed URL is as bad as so many others blocked").fill("50")
        expect(page.get_by_text("fail closed", exact=True)).to_be_visible()
        self.look("outage")

    def prefilter_only(self):
        self.open("Which prefilter")
        expect(self.page.get_by_text("1.8 MB", exact=False).first).to_be_visible()
        self.turn()
        self.look("prefilter")

    def begin(self, address, name, devices="60"):
        """A first scenario in an empty folder, made small enough for a journey."""
        page = self.page
        page.goto(address)
        page.get_by_label("What is to be blocked").fill(LIST)
        page.locator("#new-devices").fill(devices)
        page.locator("#new-name").fill(f"{name}.yaml")
        self.look(f"{name}-empty")
        page.get_by_role("button", name="Make it").click()
        text = page.get_by_role("textbox", name="The file")
        expect(text).to_have_value(re.compile(r"blocklist: "))
        text.fill(re.sub(r"duration: 24h", "duration: 11h", re.sub(r"replications: .*", "replications: { min: 3, max: 3 }",
                         text.input_value())))
        expect(page.get_by_role("button", name="Save and run")).to_be_enabled()

    def finish(self):
        page = self.page
        expect(page.get_by_role("link", name="Result").first).to_be_visible(timeout=600_000)

    def exported(self, button):
        with self.page.expect_download() as file:
            self.page.get_by_role("button", name=button).first.click()
        text = pathlib.Path(file.value.path()).read_text()
        assert len(text.splitlines()) > 1, text
        return text

    def school(self, address):
        """A school: from nothing to the report, and a curve as a file."""
        page = self.page
        self.begin(address, "school")
        page.get_by_role("button", name="Save and run").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
        self.finish()
        page.get_by_text("Figures so far").first.click()
        expect(page.get_by_text("How long people wait").first).to_be_visible()
        self.look("school-live")
        page.get_by_role("link", name="Result").first.click()
        page.get_by_text("Figures with their numbers").click()
        page.locator("figure summary").first.click()
        assert "share of the answers" in self.exported("Save How long people wait")
        self.look("school-result")
        page.reload()
        page.locator("summary", has_text="Slow lookups").click()
        expect(page.get_by_text("Where the time went.")).to_be_visible()
        rows = page.get_by_role("region", name="Slow lookups").get_by_role("row")
        before = rows.count()
        page.get_by_label("served by").select_option("pir")
        page.get_by_label("at least, ms").fill("1")
        assert 1 < rows.count() <= before
        assert "seconds, pir" in self.exported("Save slow lookups")
        rows.nth(1).get_by_role("button").press("Enter")
        expect(page.get_by_role("heading", name=re.compile("^Around device"))).to_be_focused()
        page.locator("summary", has_text="Tracks").click()
        assert "lasts seconds" in self.exported("Save tracks")
        self.look("school-timeline")
        page.get_by_label("words").fill("nothing is called so")
        expect(page.get_by_text("No lookup is like that.")).to_be_visible()

    def planner(self, address):
        """A planner: a list and a log, servers, and a simulation that confirms them."""
        page = self.page
        self.begin(address, "planner")
        page.get_by_role("button", name="Save", exact=True).first.click()
        self.open("List or log")
        page.set_input_files("#files", [{"name": "list.txt", "mimeType": "text/plain", "buffer": LIST.encode()}])
        expect(page.get_by_role("heading", name="list.txt")).to_be_visible()
        log = "time,client,url\n" + "".join(f"{n},c{n % 3},https://games.example/{n}\n" for n in range(30))
        page.set_input_files("#files", [{"name": "log.csv", "mimeType": "text/csv", "buffer": log.encode()}])
        expect(page.get_by_text("30 of 30 requests would be blocked.")).to_be_visible()
        assert "games.example" in self.exported("Save blocked")
        self.look("planner-look")
        self.open("How many servers")
        page.get_by_role("button", name="Confirm by simulation").click()
        expect(page.locator(".confirmation")).to_contain_text("3 replications so far", timeout=600_000)
        expect(page.locator(".confirmation table")).to_contain_text(" to ")
        self.look("planner-confirmed")
        page.locator("figure summary").first.click()
        assert "PIR servers" in self.exported("Save How long a lookup takes")

    def researcher(self, address):
        """A researcher: two runs, a note, and the comparison as a file."""
        page = self.page
        self.begin(address, "researcher")
        for setting in ("false", "true"):
            text = page.get_by_role("textbox", name="The file")
            text.fill(re.sub(r"filter: .*\n", "", text.input_value()) + f"filter: {{ shouldFailClosed: {setting} }}\n")
            page.get_by_role("button", name="Save and run").click()
            expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
            expect(page.get_by_text("done", exact=True)).to_have_count(2 if setting == "true" else 1, timeout=600_000)
            page.get_by_role("link", name="Folder").click()
            if setting == "false":
                page.get_by_role("link", name="researcher", exact=True).first.click()
        expect(page.get_by_role("checkbox")).to_have_count(2)
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_role("link", name="Compare", exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Comparison")
        self.look("researcher-compared")
        assert "relative change" in self.exported("Save comparison")
        page.go_back()
        page.locator("ul.cards a[href*='#/result/']").first.click()
        page.locator("summary", has_text="Note").click()
        page.get_by_label("What you want to remember").fill(HOSTILE)
        page.get_by_label("first in the list of results").check()
        page.get_by_role("button", name="Keep the note").click()
        page.get_by_role("link", name="Folder").click()
        expect(page.get_by_text(HOSTILE)).to_be_visible()
        self.look("researcher-folder")

    def speed(self, address):
        """First paint, knobs with a list of a million entries, and the memory of a page that stays open for a day."""
        page = self.page
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        paints = []
        for _ in range(20):
            page.reload()
            expect(page.get_by_role("heading", level=2).first).to_be_visible()
            paints.append(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        print(f"  first paint: median {sorted(paints)[9]:.0f} ms, 95 % {sorted(paints)[18]:.0f} ms")
        self.open("List or log")
        begin = time.monotonic()
        page.set_input_files("#files", self.folder / "million.txt")
        expect(page.get_by_role("heading", name="million.txt")).to_be_visible(timeout=60_000)
        print(f"  a list of a million entries is looked at in {time.monotonic() - begin:.1f} s")
        page.get_by_role("link", name="Which prefilter for it?").click()
        expect(page.get_by_label("Entries of your list")).to_have_value("1000000")
        slowest = []
        # Whoever clicks faster than answers come sees the page that was opened last.
        for name in ("Folder", "How many servers", "Open or closed", "Runs"):
            page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()
        page.wait_for_timeout(500)
        expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
        assert page.url.endswith("#/runs"), page.url
        for name in ("Which prefilter", "How many servers", "Open or closed"):
            self.open(name)
            if name == "Which prefilter":
                page.get_by_label("Entries of your list").fill("1000000")
            expect(page.locator(".columns [aria-live] svg").first).to_be_visible()
            slowest.append(self.turn())
        self.day()
        assert sorted(paints)[18] < 2 * self.limit, paints
        assert max(slowest) < self.limit, slowest

    def day(self):
        """A day of events of a run and visits of every page, in minutes: heap, elements and listeners do not grow."""
        page, events = self.page, []
        for number in range(5_000):
            run = {"id": 1 + number % 3, "title": "a run", "result": f"results/{number % 3}", "command": "urlfilter run a.yaml",
                   "state": "running", "line": f"run {number}/5000", "share": number / 5_000}
            events.append(f"data: {json.dumps(run)}\n\n")
        served = 0

        def serve(route):
            nonlocal served
            served += 1
            route.fulfill(body="".join(events), content_type="text/event-stream")

        page.route("**/api/runs/events", serve)
        page.reload()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        readings = []
        for turn in range(1, 37):
            for name in ("Which prefilter", "How many servers", "Open or closed", "List or log", "Folder", "Runs"):
                self.open(name) if name != "Folder" else page.get_by_role("link", name="Folder").click()
                page.wait_for_timeout(60)
            for summary in page.locator("summary", has_text="Figures so far").all():
                summary.click()
            while served < turn:
                page.wait_for_timeout(50)
            if turn % 12 == 0:
                session.send("HeapProfiler.collectGarbage")
                found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
                readings.append([found["JSHeapUsedSize"] / 1e6, found["Nodes"], found["JSEventListeners"]])
                print(f"  after {served * len(events)} events and {6 * turn} pages: {readings[-1][0]:.2f} MB of heap, "
                      f"{readings[-1][1]:.0f} nodes, {readings[-1][2]:.0f} listeners")
        page.unroute("**/api/runs/events")
        (heap, nodes, listeners), (heap_then, nodes_then, listeners_then) = readings[0], readings[-1]
        assert heap_then < heap + 1 and nodes_then < nodes + 300 and listeners_then < listeners + 100, readings

    def hostile(self, address):
        """A page of another origin in another tab, a name that leads here, and guesses: nothing is read or started."""
        page = self.page
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        base = re.match(r"http://127\.0\.0\.1:\d+", address)[0]
        evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        other = page.context.new_page()
        for host in ("127.0.0.1", "localhost"):
            other.goto(f"http://{host}:{evil.server_port}/")
            for name, result in other.evaluate(ATTACKS, base).items():
                print(f"  from {host}: {name}: {result}")
                assert result.startswith("nothing"), (name, result)
        evil.shutdown()
        other.close()
        for name, wanted, fields in (
                ("a name of the attacker (DNS rebinding)", 421, {"Host": "evil.example"}),
                ("another origin", 403, {"Origin": "http://evil.example"}),
                ("another site", 403, {"Sec-Fetch-Site": "cross-site"}),
                ("no session", 401, {}), ("a guessed session", 401, {"x-workbench-session": "0" * 64})):
            for path in ("/api/folder", "/api/runs/events", "/api/runs/start", "/api/look"):
                connection = http.client.HTTPConnection(base.removeprefix("http://"))
                connection.request("POST", path, "{}", {"content-type": "application/json"} | fields)
                status = connection.getresponse().status
                connection.close()
                assert status == wanted, (name, path, status)
            print(f"  {name}: {wanted}")
        self.complaints.clear()


class Empty(http.server.BaseHTTPRequestHandler):
    """The attacker's own page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>evil</title>")

    def log_message(self, *_):
        pass


# What a page can try: reads and writes by fetch, a form, an event stream, a frame, a script.
ATTACKS = """async (base) => {
  const found = {};
  const nothing = (error) => 'nothing: ' + String(error).slice(0, 60);
  for (const mode of ['cors', 'no-cors']) {
    for (const path of ['folder', 'runs/start', 'runs/events']) {
      found[`${mode} ${path}`] = await fetch(`${base}/api/${path}`, { method: 'POST', mode, body: '{}', credentials: 'include' })
        .then((answer) => (answer.type === 'opaque' ? 'nothing: opaque' : `status ${answer.status}`), nothing);
    }
  }
  found.events = await new Promise((done) => {
    const source = new EventSource(`${base}/api/runs/events`);
    source.onopen = () => done('opened');
    source.onerror = () => { source.close(); done('nothing: error'); };
  });
  found.frame = await new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.src = base;
    frame.onload = () => { try { done(frame.contentDocument ? 'read' : 'nothing: no document'); } catch (error) { done(nothing(error)); } };
    document.body.append(frame);
    setTimeout(() => done('nothing: no load'), 3000);
  });
  found.script = await new Promise((done) => {
    const script = document.createElement('script');
    script.src = `${base}/server.js`;
    script.onload = () => done('loaded');
    script.onerror = () => done('nothing: error');
    document.body.append(script);
  });
  return found;
}"""
JOURNEYS = ("first", "school", "planner", "researcher", "hostile", "knobs", "speed")
BOXES_FILE = pathlib.Path(__file__).parent / "workbench_boxes.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--journey", action="append", choices=JOURNEYS, help="only this one (default: all)")
    parser.add_argument("--pictures", help="folder for screenshots")
    parser.add_argument("--limit", type=float, default=100,
                        help="milliseconds from knob to curve, median; inf for none, where others compute too (default: 100)")
    parser.add_argument("--files", help="folder of the page's files, to try changes of them without a build")
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--record", action="store_true", help=f"write where things stand into {BOXES_FILE.name}")
    arguments = parser.parse_args()
    if arguments.pictures:
        pathlib.Path(arguments.pictures).mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=30_000)
    boxes = json.loads(BOXES_FILE.read_text()) if BOXES_FILE.exists() else {}
    for journey in arguments.journey or JOURNEYS:
        with tempfile.TemporaryDirectory() as folder:
            travel(journey, pathlib.Path(folder), arguments, boxes)
    if arguments.record:
        BOXES_FILE.write_text("{\n" + ",\n".join(f'"{name}": {json.dumps(boxes[name])}' for name in sorted(boxes)) + "\n}\n")


def travel(journey, folder, arguments, boxes):
    if journey == "speed":
        (folder / "million.txt").write_text("".join(f"host{number}.example\n" for number in range(1_000_000)))
    if journey == "first":
        shutil.copy(pathlib.Path(__file__).parent.parent / "Scenarios" / "data" / "blocklist.txt", folder / "list.txt")
        (folder / "first.yaml").write_text(SCENARIO)
        (folder / "wrong.yaml").write_text(SCENARIO.replace("count", "cuont"))
    server, address = started(arguments.program, folder)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
            page = browser.new_context().new_page()
            if arguments.files:
                page.route(re.compile(r"/\w+\.(js|css)$"), lambda route: route.fulfill(
                    path=pathlib.Path(arguments.files, route.request.url.rsplit("/", 1)[1])))
            begin = time.monotonic()
            one = Journey(page, arguments.pictures, arguments.limit, boxes, arguments.record)
            one.folder = folder
            (one.go if journey == "first" else getattr(one, journey))(address)
            assert not one.complaints, one.complaints
            print(f"journey {journey}: {time.monotonic() - begin:.0f} s")
            browser.close()
    finally:
        server.terminate()
        server.wait(30)
    if journey == "first":
        results = list(folder.glob("results/first-*/summary.json"))
        assert len(results) == 1, results


if __name__ == "__main__":
    main()

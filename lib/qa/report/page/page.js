// The page's script: the numbers below the pointer, sorting and filtering.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const data = JSON.parse(one("#data").textContent);
  const key = i => CSS.escape(data.named ? "at" + i : data.frames[i]); // the end of the ids of frame i
  const states = {g: "", b: "outside a limit", h: "hinted", m: "missing", f: "failed"};

  // ---- The plot ---------------------------------------------------------------------------------

  const count = data.frames.length;

  // The lowest value of a frame in the plot of a metric; null: it has none.
  function lowest(i, metric) {
    if (metric === "excess") return data.excess[i] === null ? null : -data.excess[i];
    if (data.metrics && metric in data.metrics) return data.metrics[metric][i];
    const tile = data.tiles && data.tiles[i] !== null ? data.tiles[i] : 1;
    return data.scores[i] === null ? null : Math.min(data.scores[i], tile);
  }

  // Whether frame i is worse than another: no score, below a limit, a hint; then its lowest value in the plot.
  function isWorse(i, other, metric) {
    const rank = k => lowest(k, metric) === null ? -3 : -({b: 2, h: 1}[data.states[k]] || 0);
    return rank(i) !== rank(other) ? rank(i) < rank(other) : lowest(i, metric) < lowest(other, metric);
  }

  // The worst of the frames next to the pointer.
  function frameAt(fraction, width, metric) {
    const half = Math.max(0.5, 2.5 * count / Math.max(1, width));
    const middle = fraction * count;
    const first = Math.max(0, Math.min(count - 1, Math.floor(middle - half + 0.5)));
    const last = Math.max(first, Math.min(count - 1, Math.ceil(middle + half - 0.5) - 1));
    let worst = first;
    for (let i = first; i <= last; i++) if (isWorse(i, worst, metric)) worst = i;
    return worst;
  }

  function describe(i) {
    const lines = ["frame " + data.frames[i]];
    if (data.scores[i] !== null) lines.push((data.metrics ? "SSIM " : "score ") + data.scores[i].toFixed(6));
    for (const [name, values] of Object.entries(data.metrics || {}))
      if (values[i] !== null) lines.push(name + " " + (values[i] === Infinity ? "inf" : values[i].toFixed(name === "MS-SSIM" ? 6 : 2)));
    if (data.tiles && data.tiles[i] !== null) lines.push("worst tile " + data.tiles[i].toFixed(6));
    if (data.excess && data.excess[i] !== null) lines.push(data.excess[i] + " x its limit");
    if (states[data.states[i]]) lines.push(states[data.states[i]]);
    const row = one("#row-" + key(i));
    if (row) lines.push(...all(".hint", row).map(hint => hint.textContent));
    return lines.join("\n");
  }

  function jump(i) {
    const target = one("#frame-" + key(i)) || one("#row-" + key(i));
    if (!target) return;
    if (target.hidden) filter("all");
    location.hash = target.id;
  }

  function makePlot(curves, number) {
    const area = curves.parentElement;
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const tip = document.createElement("div");
    let at = -1;
    line.setAttribute("class", "cursor");
    line.setAttribute("y1", curves.dataset.top);
    line.setAttribute("y2", Number(curves.dataset.top) + Number(curves.dataset.height));
    line.setAttribute("visibility", "hidden");
    curves.append(line);
    tip.className = "tip";
    if (number === 0) tip.id = "tip";
    tip.hidden = true;
    tip.setAttribute("role", "status");
    area.append(tip);
    area.tabIndex = 0;
    for (const mark of all("a", curves)) mark.tabIndex = -1; // there may be hundreds; the arrow keys reach them
    area.setAttribute("role", "group");
    area.setAttribute("aria-label", "Plot: the arrow keys go from frame to frame, Enter goes there");

    function show(i) {
      at = i;
      const x = 100 * (i + 0.5) / count;
      line.setAttribute("x1", x + "%");
      line.setAttribute("x2", x + "%");
      line.setAttribute("visibility", "visible");
      tip.textContent = describe(i);
      tip.hidden = false;
      const room = area.clientWidth, left = room * x / 100;
      tip.style.left = (left + 14 + tip.offsetWidth > room ? Math.max(0, left - 14 - tip.offsetWidth) : left + 14) + "px";
    }
    function hide() {
      tip.hidden = true;
      line.setAttribute("visibility", "hidden");
    }
    function pointed(event) {
      const box = curves.getBoundingClientRect();
      return frameAt((event.clientX - box.left) / box.width, box.width, curves.dataset.metric);
    }
    area.addEventListener("pointermove", event => show(pointed(event)));
    area.addEventListener("pointerleave", hide);
    area.addEventListener("blur", hide);
    area.addEventListener("click", event => {
      if (!event.target.closest("a")) jump(pointed(event));
    });
    area.addEventListener("keydown", event => {
      const steps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -count, End: count};
      if (event.key === "Enter" && at >= 0 && event.target === area) jump(at);
      if (!(event.key in steps)) return;
      event.preventDefault();
      show(Math.max(0, Math.min(count - 1, (at < 0 ? 0 : at + steps[event.key]))));
    });
  }
  all(".curves").forEach(makePlot);

  // ---- The table --------------------------------------------------------------------------------

  const table = one("#rows");
  let state = "all";

  function apply() {
    const words = one("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const wanted = state === "all" || row.dataset.state === state || (state === "hinted" && one(".hint", row));
      row.hidden = !(wanted && words.every(word => text.includes(word)));
      if (!row.hidden) shown++;
    }
    one("#rows-shown").textContent = shown + " of " + table.tBodies[0].rows.length + " rows";
  }

  function filter(wanted) {
    state = wanted;
    for (const button of all("[data-filter]")) button.setAttribute("aria-pressed", button.dataset.filter === state);
    if (state === "all") one("#search").value = "";
    apply();
  }

  // Numbers are sorted as numbers. Empty cells come last in both directions.
  function sort(head) {
    const up = head.getAttribute("aria-sort") !== "ascending";
    const column = head.cellIndex, numbers = head.classList.contains("n");
    const key = row => row.cells[column].textContent.trim();
    const compare = (a, b) => {
      const x = key(a), y = key(b);
      if (!x || !y) return !x - !y;
      const order = numbers && !isNaN(x) && !isNaN(y) ? Number(x) - Number(y) : x.localeCompare(y, "en", {numeric: true});
      return up ? order : -order;
    };
    for (const other of all("th", head.parentElement)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  }

  if (table) {
    for (const head of all("thead th", table)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(head));
      head.replaceChildren(button);
    }
    for (const button of all("[data-filter]")) button.addEventListener("click", () => filter(button.dataset.filter));
    one("#search").addEventListener("input", apply);
    apply();
  }
})();

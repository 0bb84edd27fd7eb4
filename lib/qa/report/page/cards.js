// The cards of frames: REF over OUT, the size of pixels, and the keys.
"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const cards = all(".card");
  const LARGE = 4, MOST = 16; // times that pixels are drawn as large

  // Shows this much of REF, in percent from the left, over OUT.
  function slide(card, percent) {
    const input = card.querySelector(".wipe input");
    if (!input) return;
    input.value = percent;
    card.style.setProperty("--wipe", input.value + "%");
    card.classList.toggle("half", input.value > 0 && input.value < 100);
    card.querySelector(".flicker").setAttribute("aria-pressed", input.value === "100");
  }

  const shown = card => Number(card.querySelector(".wipe input")?.value);
  const flicker = card => slide(card, shown(card) === 100 ? 0 : 100);

  // Draws the pixels around the worst tile this many times as large.
  function zoom(card, times) {
    const crops = card.querySelector(".crops");
    if (!crops) return;
    times = Math.max(1, Math.min(MOST, times));
    for (const image of all("img", crops)) {
      image.width = image.getAttribute("width") / crops.dataset.times * times;
      image.height = image.getAttribute("height") / crops.dataset.times * times;
    }
    crops.dataset.times = times;
    crops.classList.toggle("zoomed", times > first.get(card));
    card.querySelector(".pixels output").textContent = times + ":1";
  }

  const times = card => Number(card.querySelector(".crops")?.dataset.times);
  const first = new Map(cards.map(card => [card, times(card)]));

  function enlarge(card) {
    const button = card.querySelector(".enlarge");
    if (!button) return;
    const large = card.classList.toggle("large");
    button.setAttribute("aria-pressed", large);
    zoom(card, large ? Math.max(LARGE, first.get(card)) : first.get(card));
  }

  for (const card of cards) {
    slide(card, 0);
    card.querySelector(".wipe input")?.addEventListener("input", event => slide(card, event.target.value));
    card.querySelector(".flicker")?.addEventListener("click", () => flicker(card));
    card.querySelector(".enlarge")?.addEventListener("click", () => enlarge(card));
    card.querySelector(".smaller")?.addEventListener("click", () => zoom(card, times(card) / 2));
    card.querySelector(".larger")?.addEventListener("click", () => zoom(card, times(card) * 2));
    if (first.get(card)) zoom(card, first.get(card));
    else card.querySelector(".pixels")?.remove();
  }

  // ---- Keys -------------------------------------------------------------------------------------

  // Goes to the next or the previous card, counted from this one or from the top of the window.
  function step(card, by) {
    const tops = cards.map(other => other.getBoundingClientRect().top);
    const margin = 30; // a card that was jumped to is this close to the top
    const next = card ? cards[cards.indexOf(card) + by]
      : by > 0 ? cards.find((_, i) => tops[i] > margin) : cards.findLast((_, i) => tops[i] < -margin);
    if (!next) return;
    location.replace("#" + next.id);
    next.focus({preventScroll: true});
  }

  const actions = {
    n: card => step(card, 1), p: card => step(card, -1), f: flicker, e: enlarge,
    ArrowLeft: card => slide(card, shown(card) - 5), ArrowRight: card => slide(card, shown(card) + 5),
    "+": card => zoom(card, times(card) * 2), "=": card => zoom(card, times(card) * 2), "-": card => zoom(card, times(card) / 2),
  };

  // The keys work in a card, and where nothing has the focus. The slider has arrow keys of its own.
  document.addEventListener("keydown", event => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const card = event.target.closest(".card");
    if (!(key in actions) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!card && event.target !== document.body) return;
    if (key.startsWith("Arrow") && event.target.matches("input")) return;
    if (!card && !"np".includes(key)) return;
    event.preventDefault();
    actions[key](card);
  });
})();

// The choice of the two OUTs that lie one over the other in every card.
"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const chosen = {a: document.querySelector("#side-A"), b: document.querySelector("#side-B")};
  const cards = [...document.querySelectorAll(".card")];

  // Shows the pictures of A and B. A frame that one of them lacks keeps its picture, which is dimmed.
  function show(side) {
    for (const card of cards) {
      const link = card.querySelector(`[data-side="${chosen[side].value}"]`), image = card.querySelector("img." + side);
      if (!image) continue;
      image.classList.toggle("lacking", !link);
      for (const other of card.querySelectorAll(`[data-${side}]`)) delete other.dataset[side];
      if (!link) continue;
      image.src = link.getAttribute("href");
      link.dataset[side] = "";
      if (side === "a") image.parentElement.href = image.src;
    }
  }

  for (const side of ["a", "b"]) {
    chosen[side].addEventListener("change", () => show(side));
    show(side);
  }
  // The line begins in the middle.
  for (const input of document.querySelectorAll(".wipe input")) {
    input.value = 50;
    input.dispatchEvent(new Event("input"));
  }
})();

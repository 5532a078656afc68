(() => {
  "use strict";
  const rounds = [...document.querySelectorAll("details.round")];
  const replies = [...document.querySelectorAll("article.reply")];
  const box = document.querySelector(".search");
  const input = document.getElementById("search");
  const status = box.querySelector(".found");
  const toggle = box.querySelector("button");
  const before = new Map();
  const toggleWords = [toggle.textContent, toggle.dataset.close];
  let hits = [];
  let current = -1;

  // Case and accents do not matter; `at` says where each folded character stood.
  const fold = (text) => {
    let folded = "";
    const at = [];
    let position = 0;
    for (const char of text) {
      for (const piece of char.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()) {
        folded += piece;
        for (let n = 0; n < piece.length; n += 1) at.push(position);
      }
      position += char.length;
    }
    at.push(position);
    return { folded, at };
  };

  const texts = replies.map((reply) => fold(reply.textContent.replace(/\s+/g, " ")).folded);

  const mark = (wanted) => {
    if (!window.CSS || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!wanted) return;
    const ranges = [];
    for (const reply of hits) {
      const walker = document.createTreeWalker(reply, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const { folded, at } = fold(node.data);
        for (let start = folded.indexOf(wanted); start >= 0; start = folded.indexOf(wanted, start + wanted.length)) {
          const range = new Range();
          range.setStart(node, at[start]);
          range.setEnd(node, at[start + wanted.length]);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  const search = () => {
    const wanted = fold(input.value.trim().replace(/\s+/g, " ")).folded;
    current = -1;
    if (wanted && before.size === 0) rounds.forEach((round) => before.set(round, round.open));
    hits = wanted ? replies.filter((_, index) => texts[index].includes(wanted)) : [];
    replies.forEach((reply) => { reply.hidden = Boolean(wanted) && !hits.includes(reply); });
    rounds.forEach((round) => {
      const has = hits.some((reply) => round.contains(reply));
      round.hidden = Boolean(wanted) && !has;
      if (wanted) round.open = has;
      else if (before.has(round)) round.open = before.get(round);
    });
    if (!wanted) before.clear();
    const said = hits.length === 0 ? status.dataset.none : hits.length === 1 ? status.dataset.one : status.dataset.many;
    status.textContent = wanted ? said.replace(/\d+/, String(hits.length)) : "";
    mark(wanted);
  };

  const reveal = (id) => {
    const target = id && document.getElementById(id);
    if (!target || !target.matches("article.reply")) return;
    target.closest("details.round").open = true;
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  };

  const openAll = (open) => rounds.forEach((round) => { round.open = open; });

  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value) {
      input.value = "";
      search();
      event.preventDefault();
    } else if (event.key === "Enter" && hits.length > 0) {
      event.preventDefault();
      current = (current + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
      replies.forEach((reply) => reply.classList.toggle("current", reply === hits[current]));
      hits[current].scrollIntoView({ block: "nearest" });
    }
  });
  toggle.addEventListener("click", () => {
    const open = rounds.some((round) => !round.open);
    openAll(open);
    toggle.textContent = toggleWords[open ? 1 : 0];
  });
  window.addEventListener("hashchange", () => reveal(location.hash.slice(1)));

  // Paper shows every round; the screen gets its folds back afterwards.
  let folds = [];
  window.addEventListener("beforeprint", () => {
    folds = rounds.map((round) => round.open);
    openAll(true);
  });
  window.addEventListener("afterprint", () => rounds.forEach((round, index) => { round.open = folds[index]; }));

  if (rounds.length > 0) box.hidden = false;
  reveal(location.hash.slice(1));
})();

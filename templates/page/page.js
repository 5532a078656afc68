"use strict";
(() => {
  const told = JSON.parse(document.querySelector('meta[name="told"]').content);
  const w = told.words;
  const rooms = document.getElementById("rooms");
  const link = document.getElementById("link");
  const said = new Map();
  let seen = "", polling = 0;

  const make = (name, kind, text) => {
    const node = document.createElement(name);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const word = (key) => w[key] || key;

  async function act(path, given) {
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-debateroom-token": told.token },
        body: JSON.stringify(given),
      });
      const value = await answer.json();
      return (value.ok ? "" : "✗ ") + (value.text || word(value.ok ? "started" : "failed"));
    } catch (error) {
      return "✗ " + w.lost;
    }
  }

  const button = (text, room, path) => {
    const node = make("button", "", text);
    node.type = "button";
    node.addEventListener("click", async () => {
      node.disabled = true;
      said.set(room, await act(path, { room }));
      seen = "";
      node.disabled = false;
      poll();
    });
    return node;
  };

  const row = (state, text, small) => {
    const node = make("li");
    node.append(make("span", "state " + state, word(state)), make("span", "", text));
    if (small) node.append(make("small", "", small));
    return node;
  };

  const list = (name, rows) => {
    const node = make(name);
    node.append(...rows);
    return node;
  };

  function card(one, opened) {
    const node = make("article");
    node.dataset.room = one.room;
    node.append(make("h2", "", one.title || one.room), make("p", "facts", facts(one)));
    if (one.goal) node.append(make("p", "goal", one.goal));
    node.append(make("p", "now " + (one.verdict || one.status), one.status_text));
    if (one.damage) node.append(make("p", "facts", one.damage));
    if (one.steps.length) {
      node.append(list("ol", one.steps.map((step) => row(step.state, step.number + ". " + step.text, step.evidence))));
    }
    if (one.workers.length) {
      node.append(list("ul", one.workers.map((each) => row(each.state, each.task, [each.room, each.outcome].filter(Boolean).join(" · ")))));
    }
    if (one.seats.length) node.append(list("ul", one.seats.map(seat)));
    if (one.counters && one.kind === "playbook") node.append(make("p", "counts", counted(one.counters)));
    if (one.decisions.length) {
      const fold = make("details");
      fold.open = opened.has(one.room);
      fold.append(make("summary", "", w.decisions + " (" + one.decisions.length + ")"));
      fold.append(list("ul", one.decisions.map((each) => row(each.outcome, each.what, each.why + " · " + each.evidence))));
      node.append(fold);
    }
    node.append(acts(one));
    return node;
  }

  const facts = (one) => [
    one.title === one.room ? "" : one.room,
    one.round && one.kind !== "playbook" ? w.round + " " + one.round + (one.rounds ? "/" + one.rounds : "") : "",
  ].filter(Boolean).join(" · ");

  const counted = (all) => w.counts.replace(/\{(\w+)\}/g, (place, name) => all[name]);

  const seat = (each) => {
    const sure = each.confidence === null ? "" : each.confidence + "/10";
    return row(each.state, each.name, [each.role === each.name ? "" : each.role, sure].filter(Boolean).join(" · "));
  };

  function acts(one) {
    const node = make("div", "acts");
    for (const [key, path] of [["report", "report"], ["transcript", "transcript"]]) {
      if (!one[key]) continue;
      const anchor = make("a", "", w[key]);
      anchor.href = "/rooms/" + encodeURIComponent(one.room) + "/" + path;
      node.append(anchor);
    }
    if (one.status === "running" || one.status === "queued") node.append(button(w.stop, one.room, "/stop"));
    node.append(button(w.wake, one.room, "/wake"));
    if (said.has(one.room)) node.append(make("span", "soft", said.get(one.room)));
    return node;
  }

  function show(value) {
    if (value.id === seen) return;
    seen = value.id;
    const opened = new Set([...rooms.querySelectorAll("details[open]")].map((node) => node.closest("article").dataset.room));
    const focused = document.activeElement && rooms.contains(document.activeElement)
      ? [document.activeElement.closest("article").dataset.room, document.activeElement.textContent] : null;
    rooms.replaceChildren(...value.cards.map((one) => card(one, opened)));
    if (!value.cards.length) rooms.append(make("p", "soft", w.none));
    if (focused) {
      const home = [...rooms.children].find((node) => node.dataset.room === focused[0]);
      const again = home && [...home.querySelectorAll("a,button,summary")].find((node) => node.textContent === focused[1]);
      if (again) again.focus();
    }
  }

  async function poll() {
    try {
      show(await (await fetch("/cards")).json());
      if (polling) link.textContent = w.polling;
    } catch (error) {
      link.textContent = w.lost;
    }
  }

  function listen() {
    const source = new EventSource("/events");
    source.onopen = () => {
      clearInterval(polling);
      polling = 0;
      link.textContent = w.live;
    };
    source.onmessage = (event) => show(JSON.parse(event.data));
    source.onerror = () => {
      if (!polling) polling = setInterval(poll, 2500);
      // one that broke off is taken up again by the browser; one that was refused is not
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 10000);
    };
  }

  const go = document.getElementById("go");
  if (go) {
    const chosen = document.getElementById("playbook"), goal = document.getElementById("goal");
    const hint = () => { goal.placeholder = chosen.selectedOptions[0].dataset.field; };
    chosen.addEventListener("change", hint);
    hint();
    go.addEventListener("click", async () => {
      go.disabled = true;
      document.getElementById("said").textContent = await act("/start", { playbook: chosen.value, goal: goal.value });
      go.disabled = false;
      poll();
    });
  }

  poll();
  listen();
})();

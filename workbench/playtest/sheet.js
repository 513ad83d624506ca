// A sheet of plain controls that the server describes as data: texts, fields, buttons, links. It sends one thing back, `move`.
// What people typed is data: everything goes through textContent or value; only drawings made by the server are markup.

const STYLE = `
.ws { font: 15px/1.5 system-ui, "Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", sans-serif; color: inherit; max-width: 1080px;
  overflow-wrap: anywhere; --ws-line: color-mix(in srgb, currentColor 30%, transparent); }
.ws *, .ws { box-sizing: border-box; }
.ws p { margin: 3px 0; white-space: pre-wrap; } .ws h2 { font-size: 18px; margin: 4px 0; } .ws h3 { font-size: 15px; margin: 10px 0 2px; }
.ws .said:not(:empty) { border-left: 4px solid #C8401E; padding-left: 8px; }
.ws .turn { font-weight: 700; border-left: 6px solid #2A8CC4; padding-left: 8px; }
.ws .typed { font-family: ui-monospace, "Noto Sans Mono CJK JP", "MS Gothic", "Osaka-Mono", monospace !important; }
.ws .small { font-size: 13px; opacity: .85; }
.ws details, .ws section.box { border: 1px solid var(--ws-line); border-radius: 8px; padding: 6px 10px; margin: 8px 0; }
.ws summary { cursor: pointer; font-weight: 600; min-height: 30px; }
.ws .row { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: end; margin: 4px 0; }
.ws label { display: flex; flex-direction: column; font-size: 13px; min-width: 0; }
.ws label.check { flex-direction: row; gap: 6px; align-items: center; }
.ws input:not([type=radio]):not([type=checkbox]), .ws select, .ws textarea { font: inherit; font-size: 16px; color: inherit; background: transparent;
  border: 1px solid var(--ws-line); border-radius: 6px; padding: 5px 8px; min-height: 38px; max-width: 100%; width: 100%; }
.ws select option { color: #000; background: #fff; }
.ws button, .ws a.button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--ws-line); border-radius: 6px; padding: 5px 12px;
  min-height: 38px; cursor: pointer; text-decoration: none; }
.ws button:disabled { opacity: .5; cursor: default; }
.ws button:not(:disabled):hover { background: color-mix(in srgb, currentColor 12%, transparent); }
.ws :focus-visible { outline: 3px solid #2A8CC4; outline-offset: 1px; }
.ws fieldset { border: 0; padding: 0; margin: 6px 0; } .ws fieldset > div { display: flex; gap: 4px 14px; flex-wrap: wrap; }
.ws fieldset label { flex-direction: row; gap: 4px; align-items: center; font-size: 16px; min-height: 38px; }
.ws .changed { border-left: 4px solid #C8401E; padding-left: 6px; }
.ws .qr svg { width: 150px; height: 150px; background: #fff; display: block; }
.ws .chart svg { max-width: 100%; height: auto; display: block; }
`;

function render({ model, el }) {
  const style = document.createElement("style");
  style.textContent = STYLE;
  const root = document.createElement("div");
  root.className = "ws";
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  const live = document.createElement("p");
  live.className = "said";
  live.setAttribute("role", "status");
  const body = document.createElement("div");
  root.append(live, body);
  el.style.minWidth = "0";
  el.append(style, root);

  let state = {};
  let seq = 0;
  let rung = null;
  const queue = [];
  const timers = new Map();
  const waiting = () => seq > (state.seq ?? 0);

  // one message at a time: the next goes out when the server has answered the one before
  function ask(id, value) {
    const same = queue.findIndex((m) => m.id === id && typeof value === "string");
    if (same >= 0) queue.splice(same, 1);
    queue.push({ id, value: value ?? null });
    next();
  }
  function next() {
    if (waiting() || !queue.length) return;
    seq = Math.max(seq, state.seq ?? 0) + 1;
    model.set("move", { seq, ...queue.shift() });
    model.save_changes();
  }
  function later(id, value) {
    clearTimeout(timers.get(id)?.[0]);
    timers.set(id, [setTimeout(() => now(id), 700), value]);
  }
  function now(id) {
    const t = timers.get(id);
    if (!t) return;
    clearTimeout(t[0]);
    timers.delete(id);
    ask(id, t[1]);
  }

  const node = (tag, words, kind) => {
    const e = document.createElement(tag);
    if (words !== undefined) e.textContent = words;
    if (kind) e.className = kind;
    return e;
  };

  const field = (item, e) => {
    const l = node("label");
    l.append(node("span", item.label), e);
    e.dataset.field = item.id;
    l.field = e;
    return l;
  };

  const MAKE = {
    text: (i) => node("p", i.text, i.look),
    head: (i) => node("h2", i.text),
    subhead: (i) => node("h3", i.text),
    rule: (i) => { const p = node("p", undefined, i.changed ? "changed" : ""); p.append(node("b", i.rule), " ", i.text); return p; },
    group: (i) => {
      const g = node(i.fold ? "details" : "section", undefined, i.fold ? "" : "box");
      if (i.label) g.append(node(i.fold ? "summary" : "h3", i.label));
      if (i.fold && i.open) g.open = true;
      g.inner = node("div");
      g.append(g.inner);
      return g;
    },
    row: () => { const r = node("div", undefined, "row"); r.inner = r; return r; },
    button: (i) => {
      const b = node("button", i.label);
      b.disabled = Boolean(i.disabled);
      b.addEventListener("click", () => {
        if (!i.form) return ask(i.id);
        const values = {};
        for (const f of b.closest("details, section, .ws").querySelectorAll("[data-field]")) values[f.dataset.field] = f.value;
        ask(i.id, values);
        for (const f of b.closest("details, section, .ws").querySelectorAll("[data-clear]")) f.value = "";
      });
      return b;
    },
    input: (i) => {
      const e = node("input");
      e.maxLength = i.most;
      e.autocomplete = "off";
      if (i.clear) e.dataset.clear = "";
      if (i.enter) e.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); e.closest("details, section, .ws").querySelector("button")?.click(); }
      });
      return field(i, e);
    },
    area: (i) => {
      const e = node("textarea");
      e.maxLength = i.most;
      e.rows = i.form ? 14 : 3;
      if (i.form) { e.className = "typed"; e.wrap = "off"; e.spellcheck = false; } else {
        e.addEventListener("input", () => later(i.id, e.value));
        e.addEventListener("blur", () => now(i.id));
      }
      return field(i, e);
    },
    choice: (i) => {
      const e = node("select");
      for (const [value, label] of i.options) { const o = node("option", label); o.value = value; e.append(o); }
      if (i.live) e.addEventListener("change", () => ask(i.id, e.value));
      return field(i, e);
    },
    scale: (i) => {
      const f = node("fieldset");
      f.append(node("legend", i.label));
      const d = node("div");
      for (const v of i.options) {
        const l = node("label");
        const r = node("input");
        r.type = "radio"; r.name = i.id; r.value = v;
        r.addEventListener("change", () => ask(i.id, v));
        l.append(r, v);
        d.append(l);
      }
      f.append(d);
      f.radios = d;
      return f;
    },
    link: (i) => {
      const r = node("div", undefined, "row");
      const e = node("input");
      e.readOnly = true;
      e.value = i.url;
      const l = field(i, e);
      delete e.dataset.field;
      l.style.flex = "1 1 220px";
      const b = node("button", i.copy);
      b.addEventListener("click", async () => {
        e.select();
        try { await navigator.clipboard.writeText(e.value); } catch { document.execCommand("copy"); }
        b.textContent = `✓ ${i.copy}`;
      });
      r.append(l, b);
      return r;
    },
    go: (i) => { const a = node("a", i.label, "button"); a.href = i.path + (i.themed && matchMedia("(prefers-color-scheme: dark)").matches ? "?theme=dark" : ""); a.target = "_blank"; a.rel = "noopener noreferrer"; return a; },
    drawing: (i) => { const d = node("div", undefined, i.look); d.innerHTML = i.svg; d.setAttribute("role", "img"); d.setAttribute("aria-label", i.label); return d; },
    chime: (i) => {
      const l = node("label", undefined, "check");
      const e = node("input");
      e.type = "checkbox";
      e.checked = kept("wb-sound") !== "off";
      e.addEventListener("change", () => kept("wb-sound", e.checked ? "on" : "off"));
      l.append(e, node("span", i.label));
      l.box = e;
      return l;
    },
  };

  // a browser may forbid to keep anything
  function kept(name, value) {
    try { return value === undefined ? localStorage.getItem(name) : localStorage.setItem(name, value); } catch { return null; }
  }

  function ring() {
    try {
      const a = new AudioContext(), o = a.createOscillator(), g = a.createGain();
      o.frequency.value = 660; g.gain.value = 0.08;
      o.connect(g).connect(a.destination);
      o.start(); o.stop(a.currentTime + 0.18);
      o.onended = () => a.close();
    } catch { /* no sound here */ }
  }

  const hasFocus = (e) => root.getRootNode().activeElement === e;

  function update(e, item) {
    if (e.inner) patch(e.inner, item.items ?? []);
    if (e.field && item.value !== undefined && e.known !== item.value) {
      if (!hasFocus(e.field) || e.known === undefined) e.field.value = item.value;
      e.known = item.value;
    }
    if (e.radios && e.known !== item.value) {  // what was chosen stays until the server has another answer
      for (const r of e.radios.querySelectorAll("input")) r.checked = r.value === item.value;
      e.known = item.value;
    }
    if (e.box) {
      if (item.on && rung !== item.turn && rung !== null && e.box.checked) ring();
      if (item.on || rung === null) rung = item.turn;
    }
  }

  function patch(parent, items) {
    const old = new Map([...parent.children].filter((e) => e.dataset.id).map((e) => [e.dataset.id, e]));
    let at = 0;
    for (const item of items) {
      const { items: _, value: __, on: ___, turn: ____, open: _____, ...rest } = item;
      const sign = JSON.stringify(rest);
      let e = old.get(item.id);
      old.delete(item.id);
      if (!e || e.sign !== sign) {
        const fresh = MAKE[item.k](item);
        fresh.sign = sign;
        fresh.dataset.id = item.id;
        if (e?.open !== undefined && fresh.open !== undefined) fresh.open = e.open;
        if (e?.inner && fresh.inner) fresh.inner.append(...e.inner.children);
        const focused = e && hasFocus(e);
        e?.replaceWith(fresh);
        if (focused) fresh.focus();
        e = fresh;
      }
      if (parent.children[at] !== e) parent.insertBefore(e, parent.children[at] ?? null);
      at += 1;
      update(e, item);
    }
    for (const e of old.values()) e.remove();
  }

  function draw() {
    const sent = model.get("view") ?? {};
    state = typeof sent === "string" ? JSON.parse(sent) : sent;
    root.lang = state.lang ?? "";
    live.textContent = state.said ?? "";
    patch(body, state.items ?? []);
    next();
  }

  model.on("change:view", draw);
  draw();
  return () => {
    for (const [t] of timers.values()) clearTimeout(t);
    model.off("change:view", draw);
    root.remove();
    style.remove();
  };
}

export default { render };

// The live table: shows the view that the server has drawn, and sends one thing back, `move`.
// Plain ESM, no import, no build; runs in JupyterLab (anywidget) and in Panel (AnyWidgetComponent).

const STYLE = `
:host, .wb { --wb-line: var(--jp-border-color1, color-mix(in srgb, currentColor 28%, transparent)); }
.wb { color: var(--jp-content-font-color1, inherit); --wb-ink: currentColor; font: 14px/1.45 var(--jp-content-font-family, system-ui),
  "Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic", sans-serif; max-width: 1080px; box-sizing: border-box; }
.wb *, .wb *::before { box-sizing: border-box; }
.wb svg { max-width: 100%; height: auto; display: block; font-family: inherit; overflow: visible; }
.wb h3 { font-size: 12px; font-weight: 400; margin: 0 0 4px; opacity: .85; }
.wb-head { font-weight: 600; } .wb-head small { font-weight: 400; opacity: .8; }
.wb-why { font-size: 16px; margin: 2px 0 6px; min-height: 24px; }
.wb-flag { border: 1px solid currentColor; border-radius: 9px; padding: 0 8px; font-size: 12px; margin-left: 6px; white-space: nowrap; }
.wb-main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(220px, 300px); gap: 12px; }
.wb-zones { display: flex; flex-wrap: wrap; gap: 10px 22px; align-items: flex-start; }
.wb-zone { min-width: 0; max-width: 100%; }
.wb-seats { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 8px; margin-top: 10px; }
.wb-seat { border: 1px solid var(--wb-line); border-radius: 8px; padding: 6px 8px 8px; min-width: 0; }
.wb-seat.turn { border: 2px solid #2A8CC4; padding: 5px 7px 7px; }
.wb-seat > header { display: flex; gap: 8px; align-items: baseline; margin-bottom: 4px; font-weight: 600; }
.wb-moves { display: flex; flex-wrap: wrap; gap: 6px; margin: 8px 0; min-height: 36px; align-items: center; }
.wb button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--wb-line); border-radius: 6px;
  padding: 4px 9px; min-height: 34px; cursor: pointer; }
.wb button:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
.wb :focus-visible { outline: 3px solid #2A8CC4; outline-offset: 1px; }
.wb .wb-t.can { cursor: pointer; } .wb .wb-t.can > rect:first-of-type, .wb .wb-t.can > circle { stroke-width: 4px; stroke: #2A8CC4; }
.wb .wb-t.picked > rect:first-of-type, .wb .wb-t.picked > circle { stroke: #C8401E; stroke-width: 5px; }
.wb .wb-t.no { opacity: .45; cursor: help; }
.wb-said { min-height: 22px; } .wb-said:not(:empty)::before { content: "ⓘ "; }
.wb-log { border-left: 1px solid var(--wb-line); padding-left: 10px; min-width: 0; }
.wb-log ol { list-style: none; margin: 0; padding: 0; max-height: 430px; overflow: auto; overscroll-behavior: contain; font-size: 13px; }
.wb-log li { padding: 2px 0; border-bottom: 1px dotted var(--wb-line); overflow-wrap: anywhere; }
.wb-log li.here { font-weight: 600; }
.wb .wb-log button { border: 0; padding: 0 3px; min-height: 0; text-decoration: underline dotted; font-size: 12px; }
.wb-rule { border: 1px solid var(--wb-line); border-radius: 6px; padding: 6px 8px; margin: 4px 0; font-size: 13px; font-weight: 400; }
.wb-hand { border: 2px dashed var(--wb-line); border-radius: 8px; padding: 18px; text-align: center; margin: 8px 0; }
.wb-live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@container (max-width: 1000px) { .wb-main { grid-template-columns: minmax(0, 1fr); } .wb-log { border-left: 0; padding-left: 0; } .wb-log ol { max-height: 240px; } }
.wb-box { container-type: inline-size; position: relative; width: 100%; }
`;

const text = (s) => String(s ?? "").replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "wb-box";
  const style = document.createElement("style");
  const root = document.createElement("div");
  root.className = "wb";
  root.tabIndex = -1;
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  const live = document.createElement("div");
  live.className = "wb-live";
  live.setAttribute("aria-live", "polite");
  box.append(style, root, live);
  el.style.minWidth = "0";
  el.append(box);

  let view = {};
  let seq = 0;
  let picks = [];
  let opened = null; // the rule whose sentence is open, by the place it was opened at
  let owed = { act: "", n: 0 }; // steps asked for while an answer was on its way

  const waiting = () => seq > (view.seq ?? 0);

  function send(act, value) {
    seq = Math.max(seq, view.seq ?? 0) + 1;
    model.set("move", { seq, version: view.version ?? 0, act, value: value ?? null });
    model.save_changes();
  }

  function step(act) {
    if (!waiting()) return send(act, 1);
    owed = owed.act === act ? { act, n: owed.n + 1 } : { act, n: 1 };
  }

  // ---- choosing: clicked targets narrow the moves; the last one left is sent

  const fits = (m, names) => names.some((t) => m.targets.includes(t));
  const open = () => view.moves.filter((m) => picks.every((names) => fits(m, names)));

  function choose(names) {
    if (waiting()) return;
    const same = picks.findIndex((p) => p.join() === names.join());
    if (same >= 0) { picks.splice(same, 1); return mark(); }
    let left = open().filter((m) => fits(m, names));
    if (!left.length) { picks = []; left = open().filter((m) => fits(m, names)); }
    if (!left.length) return;
    picks.push(names);
    const whole = left.filter((m) => m.targets.every((t) => picks.some((p) => p.includes(t))));
    if (whole.length === 1 && left.length === 1) { picks = []; return send("play", whole[0].name); }
    mark();
  }

  function say(words) { live.textContent = ""; live.textContent = words; }

  function mark() {
    const left = open();
    for (const g of root.querySelectorAll("[data-t]")) {
      const names = g.dataset.t.split(" | ");
      const can = left.some((m) => fits(m, names));
      const no = names.map((t) => view.refused[t]).find(Boolean);
      const picked = picks.some((p) => p.join() === names.join());
      g.classList.toggle("can", can);
      g.classList.toggle("picked", picked);
      g.classList.toggle("no", !can && !picked && Boolean(no));
      if (can || picked || no) {
        g.setAttribute("tabindex", "0");
        g.setAttribute("role", "button");
        const title = g.querySelector("title")?.textContent ?? names.join(" ");
        g.setAttribute("aria-label", no && !can ? `${title}: ${view.say.refused}. ${no.text}` : title);
        g.setAttribute("aria-pressed", String(picked));
      }
    }
    buttons();
    // Lab's bindings end in ":focus" and are matched from the focused element upwards: each one needs the mark itself
    for (const e of root.querySelectorAll("button, [tabindex]")) e.setAttribute("data-lm-suppress-shortcuts", "true");
  }

  function buttons() {
    const left = open();
    const list = root.querySelector(".wb-moves");
    if (!list) return;
    const shown = left.filter((m) => !m.luck);
    const all = shown.length <= 12 || picks.length ? shown : shown.filter((m) => !m.targets.length);
    list.innerHTML = (shown.length ? `<span>${text(picks.length ? view.say.pick : view.say.moves)}:</span>` : "")
      + all.map((m) => `<button data-k="m ${text(m.name)}" data-m="${text(m.name)}" title="${text(m.text)}">${text(m.name)}</button>`).join("")
      + (shown.length > all.length ? `<small>+ ${shown.length - all.length}</small>` : "");
  }

  // ---- drawing

  const rule = (id, place) => id ? ` <button data-k="${place}" data-rule="${text(id)}" aria-expanded="${opened === place}">${text(id)}</button>`
    + (opened === place ? `<div class="wb-rule"><b>${text(id)}</b> ${text(view.rules[id])}</div>` : "") : "";

  const zones = (list) => list.map((z) => `<section class="wb-zone" aria-label="${text(z.title)}"><h3>${text(z.title)}</h3>${z.svg}</section>`).join("");

  function log() {
    const lines = view.log.map((e, i) => `<li class="${e.node === view.node ? "here" : ""}">`
      + (e.node === undefined ? `${e.n}` : `<button data-k="n${e.node}" data-jump="${e.node}" title="${text(e.move)}">${e.n}</button>`)
      + ` <b>${text(e.seat)}</b> <small>${text(e.move)}</small> ` + e.lines.map((x, j) => `${text(x.text)}${rule(x.rule, `r${e.node ?? i}-${j}`)}`).join(" ") + "</li>");
    const before = view.log.length ? view.log[0].n : 0;
    return (before > 0 ? `<li><small>… ${before} ${text(view.say.earlier)}</small></li>` : "") + lines.join("");
  }

  function draw() {
    const sent = model.get("view") ?? {};
    view = typeof sent === "string" ? JSON.parse(sent) : sent;
    if (!view.zones) return;
    const active = root.getRootNode().activeElement;
    const had = root.contains(active) ? active.dataset.k ?? active.dataset.t : null;
    style.textContent = STYLE + view.css;
    root.lang = view.lang;
    root.dataset.version = view.version;
    picks = [];
    const seats = view.seats.map((s) => {
      const mine = view.zones.filter((z) => z.seat === s.name);
      return `<section class="wb-seat ${s.turn ? "turn" : ""}" aria-label="${s.name}"><header>${s.turn ? "▶ " : ""}${s.won ? "★ " : ""}${text(s.label ?? s.name)}`
        + `<span>${text(view.say.score)} ${text(s.score)}</span></header><div class="wb-zones">${zones(mine)}</div></section>`;
    });
    root.innerHTML = `<div class="wb-head">${text(view.game)} <small>· ${text(view.draft)}</small>`
      + (view.poked ? `<span class="wb-flag">${text(view.say.poked)}</span>` : "") + (view.name ? ` <small>“${text(view.name)}”</small>` : "") + "</div>"
      + `<div class="wb-why">${text(view.why)}${view.forced ? `<span class="wb-flag">${text(view.say.forced)}</span>` : ""}</div>`
      + `<div class="wb-said">${text(view.said)}</div>`
      + (view.handover ? `<div class="wb-hand"><p>${text(view.handover)}</p><button data-k="ready" data-act="ready">${text(view.ready)}</button></div>` : "")
      + `<div class="wb-main"><div><div class="wb-moves"></div><div class="wb-zones">${zones(view.zones.filter((z) => z.seat === null))}</div>`
      + `<div class="wb-seats">${seats.join("")}</div></div>`
      + `<aside class="wb-log" aria-label="${text(view.say.log)}"><h3>${text(view.say.log)}</h3><ol tabindex="0">${log()}</ol></aside></div>`;
    mark();
    const list = root.querySelector(".wb-log ol");
    list.scrollTop = list.scrollHeight;
    if (had) {
      const again = [...root.querySelectorAll("[data-k],[data-t]")].find((x) => (x.dataset.k ?? x.dataset.t) === had && x.matches("button,[tabindex]"))
        ?? root.querySelector(".can, .wb-moves button") ?? root;
      again.focus({ preventScroll: true });
    } else if (active === root) root.focus({ preventScroll: true });
    say([view.said, view.why].filter(Boolean).join(" "));
    if (!waiting() && owed.n) { const { act, n } = owed; owed = { act: "", n: 0 }; send(act, n); }
  }

  // ---- listening

  function click(event) {
    const at = event.target.closest("[data-m],[data-rule],[data-jump],[data-act],[data-t]");
    if (!at || !root.contains(at)) return;
    if (at.dataset.m !== undefined) { if (!waiting()) send("play", at.dataset.m); return; }
    if (at.dataset.rule !== undefined) { opened = opened === at.dataset.k ? null : at.dataset.k; return draw(); }
    if (at.dataset.jump !== undefined) return send("jump", Number(at.dataset.jump));
    if (at.dataset.act !== undefined) return send(at.dataset.act);
    const names = at.dataset.t.split(" | ");
    const no = names.map((t) => view.refused[t]).find(Boolean);
    if (at.classList.contains("no") && no) {
      root.querySelector(".wb-said").innerHTML = `${text(no.move)}: ${text(no.text)} <b>${text(no.rule)}</b>`;
      return say(`${no.move}: ${no.text} ${no.rule}`);
    }
    choose(names);
  }

  const KEYS = { ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last" };

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target.closest("[data-t]");
    if (at && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); return click(event); }
    if (event.key === "Escape" && picks.length) { picks = []; mark(); }
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    if (act === "forward" || act === "back") step(act); else if (!waiting()) send(act);
  }

  root.addEventListener("click", click);
  root.addEventListener("keydown", key);
  model.on("change:view", draw);
  draw();
  return () => {
    root.removeEventListener("click", click);
    root.removeEventListener("keydown", key);
    model.off("change:view", draw);
    box.remove();
  };
}

export default { render };

// A page of a playtest: its parts (controls, table, controls, rulebook) are drawn as the server sends them over one websocket.
// When the connection is lost it waits until the server answers, and loads itself anew: what it shows is then how things stand.

import sheet from "./sheet.js";
import table from "./table.js";

const PARTS = { sheet, table, side: sheet, book: sheet };
const { token, lost } = JSON.parse(document.getElementById("page").textContent);
const socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/live`, ["workbench", token]);
const shown = new Map();

// what a part draws from, as JupyterLab's widgets know it
class Model {
  constructor(part) { this.part = part; this.values = {}; this.heard = new Set(); }
  get(name) { return this.values[name]; }
  set(name, value) { this.values[name] = value; }
  save_changes() { send(this.part, this.values.move); }
  on(_, f) { this.heard.add(f); }
  off(_, f) { this.heard.delete(f); }
  show(view) { this.set("view", view); for (const f of this.heard) f(); }
}

function send(part, value) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ [part]: value }));
}

// news hold the keys that changed; in lists, what was there before stands as its place in the old one
function merged(old, news) {
  const view = { ...old };
  for (const [k, v] of Object.entries(news)) view[k] = Array.isArray(v) ? v.map((x) => (typeof x === "number" ? old[k][x] : x)) : v;
  return view;
}

function show(part, news) {
  if (!PARTS[part]) return;
  const known = shown.get(part);
  if (news === null) { known?.end(); known?.el.remove(); shown.delete(part); return; }
  const view = merged(known?.model.get("view") ?? {}, news);
  if (known) return known.model.show(view);
  const el = document.createElement("div"), model = new Model(part);
  const names = Object.keys(PARTS);
  const after = names.slice(names.indexOf(part) + 1).map((n) => shown.get(n)?.el).find(Boolean) ?? null;
  document.body.insertBefore(el, after);
  model.set("view", view);
  shown.set(part, { el, model, end: PARTS[part].render({ model, el }) });
}

let heard = 0;
socket.addEventListener("message", (event) => {
  heard = Date.now();
  for (const [part, view] of Object.entries(JSON.parse(event.data))) show(part, view);
});

let away = null;
function gone() {
  if (away) return;
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = lost;
  words.style = "position: sticky; top: 0; margin: 0; padding: 6px 10px; background: #C8401E; color: #fff; z-index: 1;";
  document.body.prepend(words);
  const again = () => fetch(location.href, { method: "HEAD", cache: "no-store" }).then((r) => (r.status < 500 ? location.reload() : null), () => null);
  away = setInterval(again, 2000);
  if (performance.now() > 5000) again(); // not at once where it fails as soon as it stands
}
socket.addEventListener("close", gone);

// a phone that slept may hold a socket that is dead without knowing it
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  if (socket.readyState > WebSocket.OPEN) return gone();
  const asked = Date.now();
  send("ping", 0);
  setTimeout(() => { if (heard < asked && socket.readyState === WebSocket.OPEN) gone(); }, 4000);
});

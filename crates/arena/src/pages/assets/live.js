// Keeps a page up to date. When the server reports a change, the script fetches the page again and
// swaps its live parts. A form that is half filled in and a box that is open stay as they are.
"use strict";
(() => {
  const main = document.querySelector("main");
  const source = document.querySelector("[data-live]")?.dataset.live;
  if (!source) return;
  const banner = document.createElement("div");
  banner.id = "connection";
  banner.setAttribute("role", "status");
  main.before(banner);

  const say = (text) => {
    banner.replaceChildren();
    if (!text) return;
    const note = document.createElement("p");
    note.className = "notice warn";
    note.textContent = text;
    banner.append(note);
  };

  let busy = false;
  let again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (reply.redirected && new URL(reply.url).pathname === "/login") { location.reload(); return; }
      if (!reply.ok) throw new Error(String(reply.status));
      const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
      for (const part of document.querySelectorAll("[data-part]")) {
        const next = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
        if (next && next.outerHTML !== part.outerHTML) swap(part, next);
      }
      say("");
    } catch {
      say("The connection to the server was lost. Trying again.");
    } finally {
      busy = false;
      if (again) { again = false; setTimeout(refresh, 200); }
    }
  };

  // Swaps a part, and keeps the focus and the open boxes.
  const swap = (part, next) => {
    const active = part.contains(document.activeElement) ? document.activeElement : null;
    const id = active?.id;
    const open = new Set([...part.querySelectorAll("details[open][id]")].map((box) => box.id));
    const fresh = document.importNode(next, true);
    for (const box of fresh.querySelectorAll("details[id]")) box.open = open.has(box.id);
    part.replaceWith(fresh);
    if (id) document.getElementById(id)?.focus({ preventScroll: true });
    document.dispatchEvent(new Event("tiltyard:swapped"));
  };

  if (source === "poll") {
    setInterval(() => { if (!document.hidden) refresh(); }, 3000);
    return;
  }
  let stream;
  let lost = false;
  const connect = () => {
    stream = new EventSource(source);
    stream.addEventListener("open", () => { if (lost) { lost = false; refresh(); } });
    stream.addEventListener("changed", refresh);
    stream.addEventListener("error", () => {
      lost = true;
      say("The connection to the server was lost. Trying again.");
      // The browser reconnects by itself, except after a response that is not a stream: the server
      // is just starting, or the session has ended.
      if (stream.readyState === EventSource.CLOSED) {
        stream.close();
        setTimeout(async () => { await refresh(); connect(); }, 2000);
      }
    });
  };
  connect();
  addEventListener("pagehide", () => stream?.close());
})();

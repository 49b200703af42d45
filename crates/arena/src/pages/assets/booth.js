// Sends votes without reloading the page, and adds keyboard shortcuts. The page also works without
// this script, only slower.
"use strict";
(() => {
  const main = document.querySelector("main");
  const live = document.createElement("div");
  live.className = "hidden";
  live.setAttribute("role", "status");
  const trouble = document.createElement("div");
  trouble.id = "trouble";
  trouble.setAttribute("role", "alert");
  main.before(live, trouble);

  let busy = false;

  const announce = (text) => {
    live.textContent = "";
    // Screen readers announce the same text again only if the region was empty in between.
    if (text) setTimeout(() => { live.textContent = text; }, 60);
  };

  // Shows an error, with a button that sends the same form again. A vote that arrives twice counts
  // once.
  const complain = (text, again) => {
    trouble.replaceChildren();
    if (!text) return;
    const box = document.createElement("div");
    box.className = "notice warn";
    const words = document.createElement("p");
    words.textContent = text;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Try again";
    button.addEventListener("click", again);
    box.append(words, button);
    trouble.append(box);
  };

  const showKeys = () => {
    for (const keys of main.querySelectorAll("[data-keys]")) keys.hidden = false;
  };

  const swap = (fresh) => {
    const focused = main.contains(document.activeElement) ? document.activeElement.id : null;
    main.className = fresh.className;
    main.replaceChildren(...document.importNode(fresh, true).childNodes);
    showKeys();
    // The focus stays on the same button. If the button is gone, the title gets the focus.
    const target = (focused && document.getElementById(focused)) || document.getElementById("title");
    if (focused !== null) target?.focus({ preventScroll: true });
    scrollTo(0, 0);
  };

  const send = async (form, submitter) => {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    // The notes are about the previous vote.
    for (const note of main.querySelectorAll("[data-note]")) note.classList.add("past");
    const fields = new URLSearchParams(new FormData(form));
    if (submitter?.name) fields.append(submitter.name, submitter.value);
    const again = () => send(form, submitter);
    try {
      const reply = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" } });
      if (reply.redirected && new URL(reply.url).pathname === "/login") { location.reload(); return; }
      const isPage = (reply.headers.get("Content-Type") || "").startsWith("text/html");
      const page = isPage ? new DOMParser().parseFromString(await reply.text(), "text/html") : null;
      const fresh = page?.querySelector("main");
      if (!fresh || reply.status >= 500) {
        complain("The server is busy. Nothing is lost: try again in a moment.", again);
        return;
      }
      complain("");
      document.title = page.title;
      swap(fresh);
      announce([...main.querySelectorAll("[data-note]")].map((note) => note.textContent).join(" "));
    } catch {
      complain("The server cannot be reached. Nothing is lost: try again when the connection is back.", again);
    } finally {
      form.removeAttribute("aria-busy");
      busy = false;
    }
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-booth]")) return;
    event.preventDefault();
    send(form, event.submitter);
  });

  // The second click of a double click would vote on the next pair.
  main.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest("form[data-booth] button")) event.preventDefault();
  });

  const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie", b: "both_bad", s: "skip", u: "undo" };

  const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

  // While a part of the candidates is out of sight below, the down arrow scrolls as usual.
  const isMoreBelow = () => {
    const pair = document.getElementById("pair");
    const ballot = document.getElementById("ballot");
    return pair && ballot && pair.getBoundingClientRect().bottom > ballot.getBoundingClientRect().top + 8;
  };

  document.addEventListener("keydown", (event) => {
    const isButton = event.target.closest?.("form[data-booth] button");
    if (event.repeat) {
      // A key that is held down gives one vote.
      if (isButton && (event.key === "Enter" || event.key === " ")) event.preventDefault();
      return;
    }
    if (isTyping(event.target)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isUndo = key === "z" && (event.ctrlKey !== event.metaKey) && !event.shiftKey && !event.altKey;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    const id = isUndo ? "undo" : hasModifier ? null : KEYS[key];
    const button = id && document.getElementById(id);
    if (!button || !main.contains(button) || (id === "tie" && isMoreBelow())) return;
    event.preventDefault();
    send(button.form, button);
  });

  showKeys();
})();

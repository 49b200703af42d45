(() => {
  const number = (text) => {
    const value = Number(text);
    if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return value.toExponential(2);
    return value.toLocaleString("en", { maximumSignificantDigits: Math.abs(value) >= 1000 ? 7 : 4 });
  };
  const start = (figure) => {
    const svg = figure.querySelector("svg");
    const curves = [...svg.querySelectorAll(".ty-curve")].map((group) => ({
      group,
      points: (group.dataset.points || "").split(",").filter(Boolean).map((point) => point.split(" ")),
    }));
    const tip = figure.appendChild(document.createElement("div"));
    tip.className = "ty-tip";
    tip.hidden = true;
    const dim = (curve) => {
      for (const part of svg.querySelectorAll(".ty-curve, .ty-band"))
        part.classList.toggle("ty-dim", curve !== null && part.dataset.curve !== curve);
    };
    const away = () => {
      tip.hidden = true;
      dim(null);
    };
    svg.addEventListener("pointermove", (event) => {
      const matrix = svg.getScreenCTM();
      if (!matrix) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      let best = null;
      let least = 18;
      for (const { group, points } of curves) {
        if (group.classList.contains("ty-off")) continue;
        for (const point of points) {
          const distance = Math.hypot(point[0] - at.x, point[1] - at.y);
          if (distance < least) [best, least] = [{ group, point }, distance];
        }
      }
      if (!best) return away();
      const { label, x, y, curve } = best.group.dataset;
      const [, , round, value, low, high] = best.point;
      const bounds = low === undefined ? "" : ` (${number(low)} to ${number(high)})`;
      const name = document.createElement("strong");
      name.textContent = label;
      tip.replaceChildren(name, document.createElement("br"), `${x} ${number(round)}: ${y} ${number(value)}${bounds}`);
      tip.hidden = false;
      const box = figure.getBoundingClientRect();
      const left = event.clientX - box.left + 14;
      const fits = left + tip.offsetWidth <= figure.clientWidth;
      tip.style.left = `${fits ? left : Math.max(0, left - 28 - tip.offsetWidth)}px`;
      tip.style.top = `${event.clientY - box.top + 14}px`;
      dim(curve);
    });
    svg.addEventListener("pointerleave", away);
    for (const entry of svg.querySelectorAll(".ty-entry")) {
      const parts = svg.querySelectorAll(`.ty-curve[data-curve="${entry.dataset.curve}"], .ty-band[data-curve="${entry.dataset.curve}"]`);
      if (!parts.length) {
        entry.style.cursor = "default";
        continue;
      }
      // An element with the role of a picture may not contain buttons; a group may.
      svg.setAttribute("role", "group");
      entry.setAttribute("role", "button");
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("aria-pressed", "true");
      const toggle = () => {
        const off = entry.classList.toggle("ty-off");
        entry.setAttribute("aria-pressed", String(!off));
        for (const part of parts) part.classList.toggle("ty-off", off);
        away();
      };
      entry.addEventListener("click", toggle);
      entry.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle();
      });
    }
  };
  const all = () => document.querySelectorAll(".ty-figure").forEach(start);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", all);
  else all();
})();

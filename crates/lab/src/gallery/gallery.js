// Dragging over a plot zooms: the script fills in the form and submits it, as a person could do by
// hand.
(() => {
  const form = document.getElementById("lab-view");
  if (!form) return;
  const LEAST = 8;
  const key = `lab-scroll ${location.pathname}`;

  // After a reload, restore the scroll position and whether the form is open.
  const controls = form.closest("details");
  const before = JSON.parse(sessionStorage.getItem(key) ?? "null");
  if (before) {
    sessionStorage.removeItem(key);
    controls.open = before.open;
    scrollTo(0, before.top);
  }
  form.addEventListener("submit", () => sessionStorage.setItem(key, JSON.stringify({ open: controls.open, top: scrollY })));

  const axis = (text) => {
    const [scale, low, high] = text.split(" ");
    return { log: scale === "log", low: Number(low), high: Number(high) };
  };
  const value = ({ log, low, high }, share) => {
    const at = Math.min(1, Math.max(0, share));
    const number = log ? low * (high / low) ** at : low + at * (high - low);
    return String(Number(number.toPrecision(6)));
  };
  const fill = (name, ends, from, to) => {
    form.elements[`${name}-from`].value = value(ends, from);
    form.elements[`${name}-to`].value = value(ends, to);
  };

  for (const svg of document.querySelectorAll(".ty-figure svg")) {
    const panels = [...svg.querySelectorAll(".ty-panel")].map((group) => {
      const [left, top, width, height] = group.dataset.box.split(" ").map(Number);
      return { left, top, width, height, x: axis(group.dataset.xAxis), y: axis(group.dataset.yAxis) };
    });
    const at = (event) => {
      const matrix = svg.getScreenCTM();
      return matrix && new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    };
    const inside = (panel, point) =>
      point.x >= panel.left && point.x <= panel.left + panel.width && point.y >= panel.top && point.y <= panel.top + panel.height;
    let drag = null;

    const box = (point) => {
      const { panel, from } = drag;
      const clamp = (number, low, size) => Math.min(low + size, Math.max(low, number));
      const x = clamp(point.x, panel.left, panel.width);
      const y = clamp(point.y, panel.top, panel.height);
      let [left, right] = [Math.min(x, from.x), Math.max(x, from.x)];
      let [top, bottom] = [Math.min(y, from.y), Math.max(y, from.y)];
      // A stroke along one axis keeps the whole range of the other.
      const wide = right - left >= LEAST;
      const tall = bottom - top >= LEAST;
      if (!wide) [left, right] = [panel.left, panel.left + panel.width];
      if (!tall) [top, bottom] = [panel.top, panel.top + panel.height];
      return { left, right, top, bottom, wide, tall };
    };
    const end = () => {
      drag?.rect.remove();
      drag = null;
    };
    svg.addEventListener("pointerdown", (event) => {
      // Touch scrolls the page. The form has the same fields.
      if (event.button !== 0 || event.pointerType === "touch") return;
      const from = at(event);
      const panel = from && panels.find((panel) => inside(panel, from));
      if (!panel) return;
      event.preventDefault();
      const rect = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "rect"));
      rect.setAttribute("class", "lab-zoom");
      drag = { panel, from, rect };
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const point = drag && at(event);
      if (!point) return;
      const { left, right, top, bottom, wide, tall } = box(point);
      const size = wide || tall ? [left, top, right - left, bottom - top] : [0, 0, 0, 0];
      ["x", "y", "width", "height"].forEach((name, i) => drag.rect.setAttribute(name, size[i]));
    });
    svg.addEventListener("pointerup", (event) => {
      const point = drag && at(event);
      if (!point) return end();
      const { panel } = drag;
      const { left, right, top, bottom, wide, tall } = box(point);
      end();
      if (!wide && !tall) return;
      if (wide) fill("x", panel.x, (left - panel.left) / panel.width, (right - panel.left) / panel.width);
      if (tall) fill("y", panel.y, 1 - (bottom - panel.top) / panel.height, 1 - (top - panel.top) / panel.height);
      form.requestSubmit();
    });
    svg.addEventListener("pointercancel", end);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") end();
    });
  }
})();

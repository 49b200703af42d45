// Describes the cell of the heat map under the pointer, and completes links with the address of the
// server.
"use strict";
(() => {
  for (const link of document.querySelectorAll("a.link")) link.textContent = link.href;

  const left = 178, top = 22;
  const tell = (map, event) => {
    const svg = map.querySelector("svg");
    const out = map.querySelector(".tell");
    const names = JSON.parse(map.dataset.names);
    const n = names.length;
    const box = svg.getBoundingClientRect();
    const scale = 720 / box.width;
    const side = Math.min(44, n <= 12 ? 44 : (720 - left - 8) / n);
    const height = Math.min(side, 34);
    const column = Math.floor(((event.clientX - box.left) * scale - left) / side);
    const row = Math.floor(((event.clientY - box.top) * scale - top) / height);
    if (row < 0 || column < 0 || row >= n || column >= n || row === column) { out.textContent = ""; return; }
    const [first, second] = row < column ? [row, column] : [column, row];
    const place = first * n - (first * (first + 1)) / 2 + second - first - 1;
    const cell = map.dataset.map.split(";")[place];
    if (!cell) { out.textContent = `“${names[row]}” and “${names[column]}” have not been compared.`; return; }
    const [votes, share] = cell.split(",").map(Number);
    const part = (row < column ? share : 1000 - share) / 10;
    out.textContent = `“${names[row]}” is preferred to “${names[column]}” in ${part.toFixed(1)} % of ${votes} votes.`;
  };
  document.addEventListener("pointermove", (event) => {
    const map = event.target.closest?.(".map");
    if (map) tell(map, event);
  });
})();

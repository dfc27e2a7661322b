"use strict";
const table = document.getElementById("cases");
const rows = [...table.tBodies];
const words = new Map(); // the text of a row, in small letters, once it was searched
const search = document.getElementById("search");
const type = document.getElementById("type");
const wrong = document.getElementById("wrong");
const more = document.getElementById("more");
const PAGE = 100;
const found = document.getElementById("found");
function holds(row, asked) {
  if (!words.has(row)) words.set(row, row.textContent.toLowerCase());
  return asked.every((word) => words.get(row).includes(word));
}
let limit = PAGE;
function show() {
  const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const kept = (!type.value || row.dataset.type === type.value) &&
      (!wrong.checked || !row.dataset.right) && holds(row, asked);
    count += kept;
    row.hidden = !kept || count > limit;
  }
  found.textContent = `${count} of ${rows.length} cases`;
  more.hidden = count <= limit;
}
function filter() {
  limit = PAGE;
  show();
}
more.addEventListener("click", () => {
  limit += PAGE;
  show();
});
for (const control of [search, type, wrong]) control.addEventListener("input", filter);
filter();
for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
  head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = ({rows: [row]}) => row.cells[place].dataset.key ?? row.cells[place].textContent.trim();
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
      return down ? -order : order;
    };
    rows.sort(compare);
    table.append(...rows);
    show();
  });
}
table.addEventListener("click", ({target}) => {
  if (!target.hasAttribute("aria-expanded")) return;
  const inside = target.closest("tbody").rows[1];
  inside.hidden = !inside.hidden;
  target.setAttribute("aria-expanded", String(!inside.hidden));
});
document.querySelector(".tools").hidden = false;

// Texts of a plot that lie over each other. Turned texts are left out.
function findCollisions(svg) {
  const found = [], boxes = [...svg.querySelectorAll("text")].filter(node => !node.hasAttribute("transform") && node.textContent)
    .map(node => [node.textContent, node.getBoundingClientRect()]);
  boxes.forEach(([name, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    // Letters touch the edges of their boxes nowhere.
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
      found.push(`${svg.getAttribute("aria-label")}: '${name}' and '${other}'`);
  }));
  return found;
}
async function probe() {
  await until("ready", true);
  const found = all("svg").flatMap(findCollisions);
  for (const text of found.slice(0, 10)) note("collision", text);
  note("collisions", found.length);
  note("texts", all("svg text").length > 20);
  // A text over itself is found.
  const text = one("#histogram svg text");
  text.parentNode.append(text.cloneNode(true));
  note("of a copy", findCollisions(one("#histogram svg")).length);
}

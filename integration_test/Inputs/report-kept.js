// The state of a page that was loaded before is that of this one.
async function probe() {
  await until("ready", true);
  note("shown", `${one("#problem").selectedOptions[0].textContent}, ${one("#metric").value}, ${one("#filter").value}, ` +
    `${one("#filter-count").textContent}, ${one("#scatter-x").value}`);
}

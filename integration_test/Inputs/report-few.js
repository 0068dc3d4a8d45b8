async function probe() {
  await until("ready", true);
  note("importance", one("#importance .plot").textContent);
}

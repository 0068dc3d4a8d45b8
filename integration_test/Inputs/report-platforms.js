// The runs of one file.
const texts = () => all("#compare-table tbody tr").map(row => [...row.cells].map(cell => cell.textContent));
const name = id => one(id).selectedOptions[0].textContent.replace(/ \(.*/, "");
async function probe() {
  await until("ready", true);
  note("chosen", `${name("#run-a")} / ${name("#run-b")}`);
  for (const row of texts()) note("row", row.join(" | "));
  const find = text => [...one("#run-a").options].find(option => option.textContent.startsWith(text))?.value;
  const [a, b] = ["NVIDIA A100, tcgemm 0.1.0+bbbb2222", "NVIDIA H200, tcgemm 0.1.0+bbbb2222"].map(find);
  if (a === undefined) return;
  change("#run-a", a);
  change("#run-b", b);
  note("other", `${name("#run-a")} / ${name("#run-b")}; ${texts().map(row => row[5]).join(" ")}`);
}

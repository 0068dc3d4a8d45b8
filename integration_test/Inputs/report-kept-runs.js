// The comparison of a page that was loaded before is that of this one, and is kept again.
const name = id => one(id).selectedOptions[0].textContent.replace(/ \(.*/, "");
async function probe() {
  await until("ready", true);
  note("shown", `${name("#run-a")} / ${name("#run-b")}, ${one("#compare-show").value}, ${one("#compare-filter").value}, ` +
    one("#compare-count").textContent);
  change("#compare-show", "tied");
  dispatchEvent(new Event("pagehide"));
  note("kept", JSON.stringify(JSON.parse(sessionStorage.getItem("tcgemm-report")).comparison));
}

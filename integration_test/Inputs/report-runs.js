// Two runs side by side.
const texts = () => all("#compare-table tbody tr").map(row => [...row.cells].map(cell => cell.textContent));
const column = at => texts().map(row => row[at]).join(" ");
const name = id => one(id).selectedOptions[0].textContent.replace(/ \(.*/, "");
const filter = (id, text) => { one(id).value = text; one(id).dispatchEvent(new Event("input")); };
const listed = () => `${one("#compare-count").textContent}; ${column(0)}; ${all("#compared rect").length} bars`;
async function probe() {
  await until("ready", true);
  note("hidden", one("#compare").hidden);
  if (one("#compare").hidden) return;
  note("runs", [...one("#run-a").options].map(option => option.textContent).join(" | "));
  note("chosen", `${name("#run-a")} / ${name("#run-b")}`);
  note("columns", all("#compare-table th").map(cell => cell.textContent).join(" | "));
  for (const row of texts()) note("row", row.join(" | "));
  note("summary", one("#compare-summary").textContent);
  note("bars", all("#compared rect").length);
  note("interval", one("#compare-table tbody tr").cells[2].title);

  // The filter and the choice leave rows, bars and the summary.
  filter("#compare-filter", "stages 8");
  note("of stages", listed());
  note("of its summary", one("#compare-summary").textContent);
  filter("#compare-filter", "640x640");
  note("by size", listed());
  filter("#compare-filter", "no such thing");
  note("none", listed());
  filter("#compare-filter", "");
  note("choices", [...one("#compare-show").options].map(({value}) => {
    change("#compare-show", value);
    return `${value} ${texts().length}`;
  }).join(" | "));
  change("#compare-show", "all");
  all("#compare-table th button").find(button => button.textContent === "A µs").click();
  note("sorted", column(0));

  // Other runs.
  one("#run-swap").click();
  note("exchanged", `${name("#run-a")} / ${name("#run-b")}; ${texts().find(row => row[1] === "lu")[4]}`);
  change("#run-a", one("#run-b").value);
  note("with itself", `${one("#compare-count").textContent}; ${column(4)}; ${column(5)}; ${column(6)}`);
  press(one("#compared svg"), "ArrowRight");
  note("tooltip", /A .* µs, B .* µs: 1.000×/.test(one("#tooltip").textContent) && !one("#tooltip").hidden);

  // A row shows the configurations of its problem.
  change("#run-a", "1");
  const row = all("#compare-table tbody tr").find(each => each.cells[0].textContent === "640×640×640");
  press(row, "Enter");
  await until("shown", [...one("#problem").options].find(option => /640/.test(option.textContent)).value);
  note("shown", one("#problem").selectedOptions[0].textContent);
  note("overflow", document.documentElement.scrollWidth > innerWidth);
  note("labels", all("select, input").every(node => node.closest("label")));
}

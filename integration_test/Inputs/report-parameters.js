// Importance of parameters, and conditions on them.
async function probe() {
  await until("ready", true);
  const bars = () => all("#importance svg text").map(text => text.textContent).filter(text => !/^\d+ %$/.test(text));
  note("importance", bars().join(" "));
  press(one("#importance svg"), "ArrowRight");
  note("tooltip", one("#tooltip").textContent);
  press(one("#importance svg"), "Enter");
  note("along", one("#scatter-x").value);

  // A condition leaves some configurations; a second one fewer.
  const points = () => one("#scatter canvas")?.getAttribute("aria-label").split(" ")[0] ?? "none";
  note("points", points());
  note("parameters", [...one("#condition-name").options].map(option => option.value).join(" "));
  change("#condition-name", "stages");
  note("values", [...one("#condition-value").options].map(option => option.textContent).join(" "));
  change("#condition-value", "4");
  note("of four stages", `${points()}; ${one("#condition-count").textContent}`);
  note("importance of the rest", bars().join(" "));
  change("#condition-name", "cluster");
  change("#condition-value", "[2, 1, 1]");
  note("and pairs", `${points()}; ${one("#condition-count").textContent}`);
  note("conditions", all("#conditions button").map(button => button.textContent).join(" | "));

  // The details are those of a configuration of the list, and stay.
  note("details", details() !== "");

  // Conditions can be removed.
  one("#conditions button").click();
  note("one left", `${points()}; ${all("#conditions button").length}`);
  one("#conditions button").click();
  note("none left", `${points()}; ${one("#condition-count").textContent}`);
  note("overflow", document.documentElement.scrollWidth > innerWidth);
  note("labels", all("select, input").every(node => node.closest("label")));
}

// A page that loads itself again finds what it has shown.
async function probe() {
  await until("ready", true);
  const other = () => [...one("#problem").options].find(option => option.value !== one("#problem").value);
  const before = one("#problem").selectedOptions[0].textContent;
  change("#problem", other().value);
  await until("shown", one("#problem").value);
  change("#metric", "time");
  one("#filter").value = "square";
  one("#filter").dispatchEvent(new Event("input"));
  dispatchEvent(new Event("pagehide"));
  const kept = JSON.parse(sessionStorage.getItem("tcgemm-report"));
  note("kept", `${kept.metric} ${kept.filter} ${kept.group !== "" && kept.group !== before}`);
  note("reload", one("meta[http-equiv=refresh]").content);
}

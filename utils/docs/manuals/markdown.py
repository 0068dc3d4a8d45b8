"""Pages of the tools for the documentation site, in Markdown."""

import re

from . import flag


def cell(text):
    """Text of a table's cell, without markup."""
    text = " ".join(text.split())
    return re.sub(r"([\\|<>*_`\[\]$])", r"\\\1", text)


def spelling(option):
    value = option["value"] or "value"
    join = " " if len(option["name"]) == 1 else "="
    return flag(option) + {"nothing": "", "required": join + value,
                           "optional": "[=%s]" % value}[option["takes"]]


def describe(option):
    text = cell(option["help"])
    values = ["`%s` (%s)" % (value["name"], cell(value["help"].strip()))
              for value in option.get("values", []) if value["name"]]
    return text + (": " + ", ".join(values) if values else "")


def tables(command):
    categories = {}
    for option in command["options"]:
        categories.setdefault(option["category"], []).append(option)
    lines = []
    for category, options in sorted(categories.items()):
        lines += ["**%s**" % category, "", "| option | meaning |", "|---|---|"]
        lines += ["| `%s` | %s |" % (spelling(option).replace("|", "\\|"), describe(option))
                  for option in options]
        lines.append("")
    return lines


def write(tools):
    for tool in tools:
        lines = ["# " + tool["name"], ""]
        for command in tool["commands"]:
            if command["name"]:
                lines += ["## %s %s" % (tool["name"], command["name"]), "",
                          command["help"] + ".", ""]
            else:
                lines += ["```none", command["overview"].strip("\n"), "```", ""]
            lines += tables(command)
        yield tool["name"] + ".md", "\n".join(lines) + "\n"

"""Manual pages, in the macros of mdoc(7)."""

import datetime
import os
import re
import textwrap

from . import commands, flag

WIDTH = 78
# The order of options by category; the others come before, by name.
LAST = ["Passes and pipelines", "General options", "Generic Options"]


def escape(text):
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line
                     for line in text.split("\n"))


def argument(text):
    """One argument of a macro: no word of it is a macro, and blanks do not part it."""
    text = text.replace("\\", "\\e").replace('"', "\\(dq").replace(" ", "\\ ")
    return "\\&" + text


def prose(text):
    """A paragraph, each sentence on a line of its own."""
    sentences = re.sub(r"([.!?:][)\"']*) +(?=[A-Z`])", r"\1\n", text).split("\n")
    return escape("\n".join(
        line for sentence in sentences for line in
        textwrap.wrap(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)))


def description(text):
    """Paragraphs; those with indented lines are printed as they are."""
    parts = []
    for paragraph in re.split(r"\n\n+", text.strip("\n")):
        lines = paragraph.split("\n")
        plain = [line for line in lines if not line.startswith("  ")]
        code = [line[2:] for line in lines if line.startswith("  ")]
        if plain:
            parts.append(prose(" ".join(plain)))
        if code:
            parts.append(".Bd -literal -offset indent\n%s\n.Ed"
                         % escape("\n".join(code)))
    # A display has a blank line before it.
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += ("\n" if part.startswith(".Bd") else "\n.Pp\n") + part
    return text


def item(option):
    name = argument(flag(option)[1:])
    value = "Ar " + argument(option["value"] or "value")
    suffix = {"nothing": "", "required": " Ns = Ns " + value,
              "optional": " Ns Op = Ns " + value}[option["takes"]]
    if len(option["name"]) == 1 and option["takes"] == "required":
        suffix = " " + value
    lines = [".It Fl %s%s" % (name, suffix)]
    if option["help"]:
        lines.append(prose(option["help"]))
    values = [value for value in option.get("values", []) if value["name"]]
    if values:
        lines += [".Bl -tag -width Ds -compact"]
        for value in values:
            lines += [".It Cm %s" % argument(value["name"]),
                      prose(value["help"].strip() or value["name"])]
        lines += [".El"]
    return "\n".join(lines)


def options(command):
    categories = {}
    for option in command["options"]:
        categories.setdefault(option["category"], []).append(option)
    order = sorted(categories, key=lambda name: (name in LAST, name))
    lines = [".Sh OPTIONS"]
    for category in order:
        title = "General options" if category in LAST[1:] else category
        lines += [".Ss %s" % escape(title), ".Bl -tag -width Ds"]
        lines += [item(option) for option in categories[category]]
        lines += [".El"]
    return "\n".join(lines)


def summary(text):
    """The first sentence, as the line of a name."""
    first = " ".join(text.strip().split("\n\n")[0].split()).rstrip(".").split(". ")[0]
    return escape(first if first[:2].isupper() else first[0].lower() + first[1:])


def date():
    """Of the sources, if that is set, as reproducible builds do."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    day = (datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
           if epoch else datetime.datetime.now(datetime.timezone.utc))
    return "%s %d, %d" % (day.strftime("%B"), day.day, day.year)


def page(tool, command, name, others):
    """The page of a tool, or of one of its commands."""
    listed = commands(tool) if not command["name"] else []
    lines = [".Dd " + date(), ".Dt %s 1" % name.upper(),
             ".Os", ".Sh NAME", ".Nm %s" % name,
             ".Nd " + summary(command["help"] or command["overview"]),
             ".Sh SYNOPSIS", ".Nm %s" % tool["name"]]
    if command["name"]:
        lines.append(".Cm " + command["name"])
    elif listed:
        lines.append(".Op Ar command")
    lines.append(".Op Ar option ...")
    lines += [".Op Ar %s" % argument(text.strip("<>[]")) for text in command["arguments"]]
    lines += [".Sh DESCRIPTION", description(command["overview"])]
    if listed:
        lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
        for other in listed:
            lines += [".It Cm " + argument(other["name"]), prose(other["help"] + "."),
                      "See", ".Xr %s-%s 1 ." % (tool["name"], other["name"])]
        lines += [".El"]
    lines.append(options(command))
    lines += [".Sh SEE ALSO", " ,\n".join(".Xr %s 1" % other for other in others)]
    return "\n".join(lines) + "\n"


def write(tools):
    names = sorted(tool["name"] for tool in tools)
    for tool in tools:
        for command in tool["commands"]:
            name = "-".join(filter(None, [tool["name"], command["name"]]))
            others = [other for other in names if other != name]
            yield name + ".1", page(tool, command, name, others)

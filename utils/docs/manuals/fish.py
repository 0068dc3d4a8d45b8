"""Completions of fish."""

from . import commands, words


def quote(text):
    text = " ".join(text.split())
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def line(tool, condition, option):
    parts = ["complete -c", tool["name"]]
    if condition:
        parts += ["-n", quote(condition)]
    parts += ["-s" if len(option["name"]) == 1 else "-l", option["name"]]
    if option["takes"] == "required":
        parts.append("-r")
    if words(option):
        parts += ["-f -a", quote(" ".join(words(option)))]
    if option["help"]:
        parts += ["-d", quote(option["help"])]
    return " ".join(parts)


def write(tools):
    for tool in tools:
        named = commands(tool)
        names = " ".join(command["name"] for command in named)
        lines = ["# Completions of %s. Written from its options: do not edit." % tool["name"]]
        for command in named:
            lines.append("complete -c %s -n __fish_use_subcommand -a %s -d %s" % (
                tool["name"], command["name"], quote(command["help"])))
        for command in tool["commands"]:
            condition = "__fish_seen_subcommand_from " + command["name"]
            if not command["name"]:
                condition = "not __fish_seen_subcommand_from " + names if names else ""
            lines += [line(tool, condition, option) for option in command["options"]]
        yield tool["name"] + ".fish", "\n".join(lines) + "\n"

"""Completions of zsh, by its function _arguments."""

import re

from . import commands, flag, words


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def escape(text):
    """Text between brackets of a specification."""
    return re.sub(r"([\[\]:\\])", r"\\\1", " ".join(text.split()))


def specification(option):
    repeats = "*" if option["repeats"] else ""
    name = flag(option)
    text = "[%s]" % escape(option["help"]) if option["help"] else ""
    if option["takes"] == "nothing":
        return quote(repeats + name + text)
    action = "(%s)" % " ".join(words(option)) if words(option) else "_files"
    value = "%s:%s:%s" % (":" if option["takes"] == "optional" else "",
                          escape(option["value"] or "value"), action)
    joint = "" if len(option["name"]) == 1 else "=" if option["takes"] == "required" \
        else "=-"
    return quote(repeats + name + joint + text + value)


def write(tools):
    for tool in tools:
        lines = ["#compdef " + tool["name"],
                 "# Completions of %s. Written from its options: do not edit." % tool["name"],
                 "local -a specifications commands",
                 "case ${words[2]} in"]
        named = commands(tool)
        for command in named + [tool["commands"][0]]:
            lines.append("  %s)" % (command["name"] or "*"))
            lines.append("    specifications=(")
            lines += ["      " + specification(option) for option in command["options"]]
            lines += ["    )", "    ;;"]
        lines.append("esac")
        if named:
            lines.append("commands=(")
            lines += ["  " + quote("%s:%s" % (command["name"], command["help"]))
                      for command in named]
            lines += [")", "if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then",
                      "  _describe command commands", "fi"]
        lines.append("_arguments $specifications '*:file:_files'")
        yield "_" + tool["name"], "\n".join(lines) + "\n"

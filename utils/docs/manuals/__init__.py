"""Writers of manual pages and completions, for generate-manuals.py.

Each has a function write(tools), which yields the names and texts of its files. A tool
is what `--options-json` prints, with its name: tools/common/OptionListing.h.
"""


def flag(option):
    """The option as it is typed."""
    return ("-" if len(option["name"]) == 1 else "--") + option["name"]


def words(option):
    """The keywords of an option."""
    return [value["name"] for value in option.get("values", []) if value["name"]]


def commands(tool):
    """The commands that have a name."""
    return [command for command in tool["commands"] if command["name"]]

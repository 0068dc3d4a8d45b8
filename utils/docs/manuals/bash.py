"""Completions of bash. They need nothing of the package bash-completion."""

from . import commands, flag, words

SCRIPT = """\
# Completions of %(tool)s in bash. Written from its options: do not edit.
%(function)s() {
  local line=${COMP_LINE:0:COMP_POINT} command= options= values= current
  # The shell divides words at =, so that the word comes from the line.
  current=${line##*[[:space:]]}
  COMPREPLY=()
%(choice)s
  case $current in
    --*=*)
      local option=${current%%%%=*} value=${current#*=} start=
      case $command:$option in
%(values)s
      esac
      # Replies replace what follows the last divider.
      [[ $COMP_WORDBREAKS == *=* ]] || start=$option=
      if [[ -n $values ]]; then
        COMPREPLY=($(compgen -P "$start" -W "$values" -- "$value"))
      else
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -P "$start" -f -- "$value"))
      fi
      ;;
    -*)
      case $command in
%(options)s
      esac
      COMPREPLY=($(compgen -W "$options" -- "$current"))
      [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2> /dev/null
      ;;
    *)
      compopt -o filenames 2> /dev/null
      COMPREPLY=($(compgen -f -- "$current"))
      [[ $COMP_CWORD == 1 ]] && COMPREPLY+=($(compgen -W "%(commands)s" -- "$current"))
      ;;
  esac
}
complete -F %(function)s %(tool)s
"""


def write(tools):
    for tool in tools:
        names = [command["name"] for command in commands(tool)]
        choice = ""
        if names:
            choice = "  case ${COMP_WORDS[1]} in\n    %s) command=${COMP_WORDS[1]} ;;\n  esac\n" % (
                "|".join(names))
        values, options = [], []
        for command in tool["commands"]:
            for option in command["options"]:
                if words(option):
                    values.append("        %s:%s) values='%s' ;;" % (
                        command["name"], flag(option), " ".join(words(option))))
            options.append("        '%s') options='%s' ;;" % (command["name"], " ".join(
                flag(option) + ("=" if option["takes"] == "required"
                                and len(option["name"]) > 1 else "")
                for option in command["options"])))
        yield tool["name"], SCRIPT % {
            "tool": tool["name"], "function": "_" + tool["name"].replace("-", "_"),
            "choice": choice.rstrip("\n"), "commands": " ".join(names),
            "values": "\n".join(values) or "        *) ;;",
            "options": "\n".join(options)}

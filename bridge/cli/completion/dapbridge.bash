# Completion of the command dapbridge for bash. Needs nothing of bash-completion, which loads it by its name.

_dapbridge_options() { # of a sub-command, as its help lists them
  case $2 in
    --version | -V) echo --json ;;
    *) "$1" "$2" --help 2>/dev/null | sed -n 's/^  -[a-zA-Z], \(--[a-z]*\).*/\1/p' ;;
  esac
}

_dapbridge_values() { # of an option; fails where files, or anything, can be
  case $1 in
    --rules | -r | --protocol | -v) echo 0.10.0 0.9.0 0.0.1 ;;
    --type | -t) echo bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 ;;
    --for | -f | --memory | -m | --plane | -p | --findings | -n | --node | -N | --rank | -k) echo ;;
    *) return 1 ;;
  esac
}

_dapbridge() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="check describe draw explain plan layout rules --help --version"
  elif words=$(_dapbridge_values "$before"); then
    :
  elif [[ $current == -* ]]; then
    words=$(_dapbridge_options "${COMP_WORDS[0]}" "${COMP_WORDS[1]}")
  else
    case ${COMP_WORDS[1]} in rules | -*) return ;; esac
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o filenames -F _dapbridge dapbridge

# Completion of the command dapbridge for fish. It asks the command's help for sub-commands and options.

function __dapbridge_options # of the sub-command that is there, each with what it is
    dapbridge (commandline -opc)[2] --help 2>/dev/null | string replace -rf '^  -\w, (--[a-z]*)(?: [A-Z]+)? +(.*)' '$1\t$2'
end

complete -c dapbridge -n __fish_use_subcommand -f -a "(dapbridge --help | string replace -rf '^  ([a-z]+) {2,}(.*)' '\$1\t\$2')"
complete -c dapbridge -n __fish_use_subcommand -f -a '--help --version'
complete -c dapbridge -n 'not __fish_use_subcommand' -a '(__dapbridge_options)'
complete -c dapbridge -n '__fish_prev_arg_in --rules -r --protocol -v' -x -a '0.10.0 0.9.0 0.0.1'

# Completion of the command dapbridge for fish.

set -l types 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128'
set -l versions '0.10.0 0.9.0 0.0.1'

complete -c dapbridge -n __fish_use_subcommand -f -a check -d 'say whether arrays conform to the protocol'
complete -c dapbridge -n __fish_use_subcommand -f -a describe -d 'describe layouts in words'
complete -c dapbridge -n __fish_use_subcommand -f -a draw -d 'draw which process owns which elements'
complete -c dapbridge -n __fish_use_subcommand -f -a explain -d 'say whether ScaLAPACK and PETSc take arrays as they lie'
complete -c dapbridge -n __fish_use_subcommand -f -a plan -d 'say what moving an array to another layout takes'
complete -c dapbridge -n __fish_use_subcommand -f -a layout -d 'print the document of a layout given in a short form'
complete -c dapbridge -n __fish_use_subcommand -f -a rules -d 'list the rules of the protocol'
complete -c dapbridge -n __fish_use_subcommand -f -l version -s V -d 'print what it was built with'
complete -c dapbridge -f -l help -s h -d 'print help'

function __dapbridge_of # is one of these sub-commands there?
    __fish_seen_subcommand_from $argv
end

complete -c dapbridge -n '__dapbridge_of check describe draw explain plan' -x -l rules -s r -a "$versions" -d 'read by the rules of that version'
complete -c dapbridge -n '__dapbridge_of check describe draw explain plan' -x -l findings -s n -d 'errors that are printed'
complete -c dapbridge -n '__dapbridge_of check describe draw explain plan layout' -x -l memory -s m -a '500M 4G 64G' -d 'take no more memory'
complete -c dapbridge -n '__dapbridge_of check describe draw explain plan layout rules; or __fish_contains_opt -s V version' -f -l json -s j -d 'print JSON'
complete -c dapbridge -n '__dapbridge_of check' -f -l quiet -s q -d 'say nothing of documents that conform'
complete -c dapbridge -n '__dapbridge_of draw' -x -l plane -s p -d 'plane that is drawn'
complete -c dapbridge -n '__dapbridge_of draw plan' -r -l output -s o -d 'write an SVG picture'
complete -c dapbridge -n '__dapbridge_of explain' -x -l for -s f -d 'ScaLAPACK routine'
complete -c dapbridge -n '__dapbridge_of plan layout' -x -l type -s t -a "$types" -d 'type of elements'
complete -c dapbridge -n '__dapbridge_of plan' -x -l node -s N -d 'ranks on each node'
complete -c dapbridge -n '__dapbridge_of layout' -x -l protocol -s v -a "$versions" -d 'version to write'
complete -c dapbridge -n '__dapbridge_of layout' -x -l rank -s k -d 'the part of one process'
complete -c dapbridge -n '__dapbridge_of layout' -f -l fortran -s F -d 'buffers in F order'

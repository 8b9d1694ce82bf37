# Prints the completions of the last word.
# usage: completeInBash.bash COMPLETIONS WORD...
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_multitude
printf '%s\n' "${COMPREPLY[@]// /\\ }"

# Types each line and Tab into an interactive zsh, and writes the completed lines to a file.
# usage: typeInZsh.zsh COMPLETIONS OUT LINE...
zmodload zsh/zpty
completions=$1 out=$2
shift 2
: > $out
zpty -b z zsh -f -i
zpty -w z "PS1='> '; autoload -Uz compinit; compinit -u -D; source ${(q)completions}"
zpty -w z "show() { print -r -- \"\$BUFFER\" >> ${(q)out}; BUFFER=; }; zle -N show; bindkey '^G' show"
zpty -w z "print ready >> ${(q)out}"
await() {
  local output
  # Two minutes, for a busy machine.
  repeat 2400; do
    while zpty -r z output; do :; done
    (( $(wc -l < $out) >= $1 )) && return
    sleep 0.05
  done
  exit 1
}
await 1
count=1
for line in "$@"; do
  zpty -w -n z "$line"$'\t\x07'
  await $((++count))
done
zpty -d z

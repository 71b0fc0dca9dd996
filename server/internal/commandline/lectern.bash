# bash completion of lectern: source <(lectern completion bash)
_lectern() {
	local word IFS=$'\n'
	COMPREPLY=()
	while read -r word; do
		COMPREPLY+=("$(printf %q "$word")")
	done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
}
complete -o default -F _lectern lectern

#compdef lectern
# zsh completion of lectern: in a file _lectern of a folder of fpath, or source <(lectern completion zsh)
_lectern() {
	local line
	local -a found
	for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#found )); then
		_describe lectern found
	else
		_files
	fi
}
if [[ $funcstack[1] == _lectern ]]; then
	_lectern "$@"
else
	compdef _lectern lectern
fi

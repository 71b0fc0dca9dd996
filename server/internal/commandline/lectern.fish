# fish completion of lectern: in ~/.config/fish/completions/lectern.fish
function __lectern_complete
	set -l before (commandline -opc)
	set -l current (commandline -ct)
	set -l found ($before[1] complete -- $before[2..-1] "$current" 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path "$current"
	end
end
complete -c lectern -f -a '(__lectern_complete)'

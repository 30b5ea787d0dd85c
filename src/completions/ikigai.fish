# Completion of ikigai's command line in fish; ikigai itself knows what can follow.
function __ikigai_complete
	set -l words (commandline -opc)
	set -l token (commandline -ct)
	set -l found (command $words[1] --complete $words "$token" 2>/dev/null)

	switch "$found[1]"
		case \tfiles
			__fish_complete_path "$token"
		case \tdirectories
			__fish_complete_directories "$token"
		case '*'
			printf '%s\n' $found
	end
end
complete -c ikigai -f -k -a '(__ikigai_complete)'

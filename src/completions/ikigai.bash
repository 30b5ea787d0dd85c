# Completion of ikigai's command line in bash; ikigai itself knows what can follow.
_ikigai()
{
	local rest=${COMP_LINE:0:COMP_POINT} words=() found=() word line i

	# Bash splits words at "=" and ":", too: put together what no blank separates.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $i -eq 0 || $rest == [[:blank:]]* ]]; then
			rest=${rest#"${rest%%[![:blank:]]*}"}
			words+=("")
		fi
		((i < COMP_CWORD)) || word=$rest
		words[-1]+=$word
		rest=${rest#"$word"}
	done
	word=${words[-1]}
	mapfile -t found < <("$1" --complete "${words[@]}" 2>/dev/null)
	case ${found[0]} in
	$'\tfiles')
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
		return ;;
	$'\tdirectories')
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$2")
		return ;;
	esac
	# Bash replaces the word only from its last "=" or ":" on.
	[[ $word == *[=:]* ]] && word=${word%"${word##*[=:]}"} || word=
	COMPREPLY=()
	for line in "${found[@]}"; do
		local value=${line%%$'\t'*} meaning=${line#*$'\t'}

		# What others named may have a meaning for the shell.
		value=${value#"$word"}
		[[ $value == *[!A-Za-z0-9_.:/=-]* ]] && printf -v value %q "$value"
		# Several are only shown, 63 and 37 apart from what the user sees of each.
		[[ ${#found[@]} -gt 1 && -n $meaning && $COMP_TYPE != 37 && $COMP_TYPE != 42 ]] &&
			value+="  ($meaning)"
		COMPREPLY+=("$value")
	done
}
complete -o nosort -F _ikigai ikigai

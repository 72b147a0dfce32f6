# programs.sh: the programs of tests/control, for the tests that run them: what their tail comments say (tests/control/run.t
# has the list) and how they are built. Source it after cc.sh, with $programs the folder, $source the file of the program,
# $name its name and $folder where it is built.

# hear: the tail comment of $source becomes $said: by key, the values, each with its newline
declare -A said
hear() {
	local line key
	said=()
	while IFS= read -r line; do
		line=${line#' * '} key=${line%%:*}
		line=${line#"$key:"} line=${line# }
		said[$key]+=$line$'\n'
	done < <(grep -E '^ \* [a-z]+:' "$source")
}

# one KEY: after hear, the only value of a key goes to $value
one() {
	value=${said[$1]:-}
	value=${value%$'\n'}
}

# say KEY: prints the values of a key in the tail comment of $source
say() {
	sed -n "s/^ \* $1: \{0,1\}//p" "$source"
}

# build VARIANT: $source becomes $folder/$name; 0, or 2 when the compiler has no OpenMP
build() {
	local c cplusplus part
	case $1 in
	plain) c=gcc cplusplus=g++ ;;
	libomp)
		c=$clang cplusplus=$clangxx
		;;
	woven) c="$cc --heddle-prove=${TEST_PROVE:-no}" cplusplus="$cxx --heddle-prove=${TEST_PROVE:-no}" ;;
	esac
	for part in $(say part); do
		$cplusplus -std=c++20 -O2 -g -fPIC -shared "$programs/$part" -o "$folder/${part%.*}.so" 2>"$folder/build" || return 1
	done
	case $source in
	*.cc) c="$cplusplus -std=c++20" ;;
	*) c="$c -std=gnu11" ;;
	esac
	# shellcheck disable=SC2046,SC2086
	$c -O2 -g -pthread "$source" -o "$folder/$name" $(say flags) 2>"$folder/build" && return
	grep -q -e 'omp.h' -e '-lomp' "$folder/build" && return 2
	return 1
}

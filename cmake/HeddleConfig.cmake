# find_package(Heddle) and what it gives:
#
#   Heddle_VERSION        the version
#   Heddle_EXECUTABLE     heddle, also as the target Heddle::heddle
#   Heddle_C_COMPILER     heddle-cc:  cmake -DCMAKE_C_COMPILER=heddle-cc
#   Heddle_CXX_COMPILER   heddle-c++: cmake -DCMAKE_CXX_COMPILER=heddle-c++
#   Heddle_INCLUDE_DIR    where heddle/heddle.h is, also by the target Heddle::annotations, for other compilers
#
#   heddle_add_test(NAME name COMMAND target|program [ARGS argument...] [RUNS n] [TIME seconds] [OPTIONS option...]
#                   [WORKING_DIRECTORY folder])
#
# adds a test that runs the program under many schedules with heddle test, and fails when something is found or when it
# could not be tested. OPTIONS are those of heddle test. What is found is kept in .heddle/evidence in the folder that the
# test runs in: the current binary folder, when none is given.

cmake_minimum_required(VERSION 3.10)

# REALPATH: /lib may be a link to /usr/lib, and what is two folders up from there is not what is two up from here.
get_filename_component(Heddle_PREFIX "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(Heddle_PREFIX "${Heddle_PREFIX}/../../.." ABSOLUTE)
set(Heddle_EXECUTABLE "${Heddle_PREFIX}/bin/heddle")
set(Heddle_C_COMPILER "${Heddle_PREFIX}/bin/heddle-cc")
set(Heddle_CXX_COMPILER "${Heddle_PREFIX}/bin/heddle-c++")
set(Heddle_INCLUDE_DIR "${Heddle_PREFIX}/include")

foreach(heddle_file IN ITEMS "${Heddle_EXECUTABLE}" "${Heddle_C_COMPILER}" "${Heddle_INCLUDE_DIR}/heddle/heddle.h")
	if(NOT EXISTS "${heddle_file}")
		set(Heddle_FOUND FALSE)
		set(Heddle_NOT_FOUND_MESSAGE "\"${heddle_file}\" is missing: reinstall Heddle")
		return()
	endif()
endforeach()
unset(heddle_file)

if(NOT TARGET Heddle::heddle)
	add_executable(Heddle::heddle IMPORTED)
	set_target_properties(Heddle::heddle PROPERTIES IMPORTED_LOCATION "${Heddle_EXECUTABLE}")
	add_library(Heddle::annotations INTERFACE IMPORTED)
	set_target_properties(Heddle::annotations PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Heddle_INCLUDE_DIR}")
endif()

function(heddle_add_test)
	cmake_parse_arguments(PARSE_ARGV 0 asked "" "NAME;COMMAND;RUNS;TIME;WORKING_DIRECTORY" "ARGS;OPTIONS")
	if(NOT DEFINED asked_NAME OR NOT DEFINED asked_COMMAND)
		message(FATAL_ERROR "heddle_add_test requires NAME and COMMAND")
	endif()
	if(DEFINED asked_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "heddle_add_test(${asked_NAME}): unknown arguments: ${asked_UNPARSED_ARGUMENTS}")
	endif()
	set(options)
	if(DEFINED asked_RUNS)
		list(APPEND options --runs "${asked_RUNS}")
	endif()
	if(DEFINED asked_TIME)
		list(APPEND options --time "${asked_TIME}")
	endif()
	list(APPEND options ${asked_OPTIONS})
	if(NOT DEFINED asked_WORKING_DIRECTORY)
		set(asked_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
	endif()
	set(program "${asked_COMMAND}")
	if(TARGET "${asked_COMMAND}")
		set(program "$<TARGET_FILE:${asked_COMMAND}>")
	endif()
	add_test(NAME "${asked_NAME}"
		COMMAND Heddle::heddle test ${options} -- "${program}" ${asked_ARGS}
		WORKING_DIRECTORY "${asked_WORKING_DIRECTORY}")
endfunction()

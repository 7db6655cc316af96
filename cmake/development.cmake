# How tarn builds its own tests, examples and benchmarks. Nothing here reaches a consumer.
set(TARN_SANITIZE "" CACHE STRING "Sanitizers for tarn's own programs: address,undefined or thread")
option(TARN_NO_EXCEPTIONS "Build tarn's own programs without exceptions and RTTI" OFF)
option(TARN_COVERAGE "Measure which lines, branches and conditions the tests run; needs Clang 19" OFF)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# CMake 3.24 and later; `cmake --compile-no-warning-as-error` turns it off for a compiler that warns of more.
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion)

add_library(tarn_development INTERFACE)
target_link_libraries(tarn_development INTERFACE tarn::tarn Threads::Threads)
target_compile_options(tarn_development INTERFACE ${warnings})
if(TARN_SANITIZE)
  target_compile_options(
    tarn_development INTERFACE -fsanitize=${TARN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
  )
  target_link_options(tarn_development INTERFACE -fsanitize=${TARN_SANITIZE})
endif()
if(TARN_NO_EXCEPTIONS)
  target_compile_options(tarn_development INTERFACE -fno-exceptions -fno-rtti)
endif()
if(TARN_COVERAGE)
  # Atomic, since threads that count at once lose counts, and a branch that was taken then seems never to have been.
  target_compile_options(
    tarn_development INTERFACE -fprofile-instr-generate -fprofile-update=atomic -fcoverage-mapping -fcoverage-mcdc
  )
  target_link_options(tarn_development INTERFACE -fprofile-instr-generate)
endif()

enable_testing()
if(TARN_EXAMPLES)
  add_subdirectory(examples)
endif()
if(TARN_TESTS)
  add_subdirectory(tests) # after the examples: it tests the tool that is one of them
endif()
if(TARN_BENCHMARKS)
  add_subdirectory(benchmarks)
endif()

# clang-tidy looks at all that is configured to be built (the preset `tidy` leaves out the tests), and at the headers
# both through what uses them and, as not all are used, through one file that includes every one.
find_program(RUN_CLANG_TIDY run-clang-tidy)
if(RUN_CLANG_TIDY)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS include/*.hpp)
  list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
  list(JOIN headers "" all_headers)
  file(CONFIGURE OUTPUT all_headers.cpp CONTENT "${all_headers}")
  add_library(tarn_all_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/all_headers.cpp)
  target_link_libraries(tarn_all_headers PRIVATE tarn_development)
  set(TARN_TIDY_FILES "" CACHE STRING "Only the files that match this regular expression")
  add_custom_target(
    tidy COMMAND ${RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR} ${TARN_TIDY_FILES} VERBATIM USES_TERMINAL
  )
endif()

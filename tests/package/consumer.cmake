# A script for ctest: builds and runs tests/consumer with one way of using the library.
#
#   FROM      package, pkgconfig, shared (all three after an install into a scratch prefix),
#             subdirectory, fetch; cuda, nvcc: the package's component for a GPU, from a project
#             without nvcc and from one with it; sim: its emulator; mpi: ranks; examples: all of
#             examples/, compiled against an installation
#   SOURCE    this repository      BUILD  its build directory      WORK  scratch
#   COMPILER, WERROR  those of the main build      PYTHON  an interpreter
#   COMPATIBLE  the part of the version that compatible versions share
#
# The compiler flags are those of the main build, whose objects are taken then.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(status EQUAL 5 AND FROM MATCHES "cuda|nvcc" AND output MATCHES "no NVIDIA GPU")
    message(STATUS "${output}")  # as it should be on such a machine
  elseif(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "consumer (${FROM}): '${command}' failed with ${status}\n${output}")
  endif()
endfunction()

# All documents that installed headers, manual and documents refer to are installed.
function(require_documents prefix)
  file(GLOB_RECURSE naming ${prefix}/include/*.h ${prefix}/include/*.hpp ${prefix}/share/man/*
    ${prefix}/share/doc/upsweep/README.md)
  foreach(file IN LISTS naming)
    file(READ ${file} text)
    string(REPLACE "\\-" "-" text "${text}")  # as a manual writes it
    string(REGEX MATCHALL "docs/[A-Za-z0-9_/-]+\\.md" documents "${text}")
    foreach(document IN LISTS documents)
      if(NOT EXISTS ${prefix}/share/doc/upsweep/${document})
        message(FATAL_ERROR
          "consumer (${FROM}): ${file} names ${document}, "
          "which is not in ${prefix}/share/doc/upsweep")
      endif()
    endforeach()
  endforeach()
endfunction()

# Every header that a page or an example includes is installed.
function(require_documented_headers prefix)
  file(GLOB_RECURSE naming ${SOURCE}/docs/*.md ${SOURCE}/examples/*)
  list(APPEND naming ${SOURCE}/README.md ${SOURCE}/CONTRIBUTING.md)
  foreach(file IN LISTS naming)
    file(STRINGS ${file} lines REGEX "# *include *<upsweep/")
    list(TRANSFORM lines REPLACE ".*# *include *<(upsweep/[^>]+)>.*" "\\1")
    foreach(header IN LISTS lines)
      # The component cuda and new kernels are not in every installation.
      if(NOT EXISTS ${prefix}/include/${header} AND NOT header MATCHES "cuda|nccl|textbook/|sim/")
        message(FATAL_ERROR "consumer (${FROM}): ${file} includes ${header}, "
          "which is not installed")
      endif()
    endforeach()
  endforeach()
endfunction()

# The soname has the part of the version that find_package treats as compatible: 0.1 in every 0.1.x.
function(require_soname prefix)
  file(GLOB_RECURSE library ${prefix}/*/libupsweep.so)
  execute_process(COMMAND readelf -d ${library} OUTPUT_VARIABLE header)
  string(REGEX MATCH "libupsweep\\.so\\.[0-9.]+" soname "${header}")
  if(NOT soname STREQUAL "libupsweep.so.${COMPATIBLE}")
    message(FATAL_ERROR
      "consumer (${FROM}): the soname of ${library} is '${soname}', "
      "not libupsweep.so.${COMPATIBLE}")
  endif()
endfunction()

# The library exports only its interface, no internal symbols and none of Highway. The static one
# has the objects of the shared one.
function(require_exports prefix)
  file(GLOB_RECURSE library ${prefix}/*/libupsweep.so ${prefix}/*/libupsweep.a)
  execute_process(COMMAND readelf -sWC ${library} OUTPUT_VARIABLE symbols)
  string(REGEX MATCHALL "(GLOBAL|WEAK|UNIQUE) +DEFAULT +[0-9]+ [^\n]+" symbols "${symbols}")
  list(TRANSFORM symbols REPLACE "[A-Z]+ +DEFAULT +[0-9]+ " "")
  if(library MATCHES "\\.a$")  # templates of the standard library, and what compilers add
    list(FILTER symbols EXCLUDE REGEX "^([a-z* ]+ )?std::|^__")
  endif()
  list(REMOVE_DUPLICATES symbols)
  list(LENGTH symbols count)
  set(inside ${symbols})
  list(FILTER symbols EXCLUDE REGEX "upsweep_|upsweep::")
  list(FILTER inside INCLUDE REGEX "hwy::|::N_[A-Z]|_engine|anonymous namespace")
  if(symbols OR inside OR count LESS 40)
    list(JOIN symbols "\n" symbols)
    list(JOIN inside "\n" inside)
    message(FATAL_ERROR "consumer (${FROM}): ${library} shows ${count} symbols, among them\n"
      "${symbols}\n${inside}")
  endif()
endfunction()

# An installation has the licenses of what is in it, nothing that names the folders of whoever built
# it, and the benchmark's peers on request only.
function(require_clean prefix)
  foreach(file share/upsweep/copyright share/doc/upsweep/LICENSE)
    if(FROM STREQUAL "package" AND NOT EXISTS ${prefix}/${file})
      message(FATAL_ERROR "consumer (${FROM}): there is no ${file}")
    endif()
  endforeach()
  file(GLOB_RECURSE notices ${prefix}/copyright)
  foreach(file IN LISTS notices)
    file(READ ${file} text)
    foreach(name Upsweep Highway Chart.js CLI11 JSON {fmt} fast_float libbacktrace Boost)
      string(FIND "${text}" "${name}" at)
      if(at EQUAL -1)
        message(FATAL_ERROR "consumer (${FROM}): ${file} does not name ${name}")
      endif()
    endforeach()
  endforeach()
  set(naming "")
  file(GLOB_RECURSE cuda ${prefix}/libupsweep_cuda.a)
  if(NOT cuda)  # its errors name the source that CUDA refused
    execute_process(COMMAND grep -rlaF -e "${SOURCE}/" -e "${BUILD}/" ${prefix}
      OUTPUT_VARIABLE naming)
  endif()
  file(GLOB_RECURSE peers ${prefix}/upsweep_peers* ${prefix}/upsweep_loops*)
  if(NOT notices OR naming OR peers)
    message(FATAL_ERROR "consumer (${FROM}): notices: ${notices}; "
      "files with the path of the build: ${naming}; peers: ${peers}")
  endif()
endfunction()

# Builds a program of tests/consumer without CMake, by the flags of pkg-config, and runs it.
function(build_by_pkgconfig program compiler)
  execute_process(COMMAND pkg-config ${ARGN} --cflags --libs upsweep OUTPUT_VARIABLE flags
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  if(program MATCHES "cpp$")
    list(PREPEND flags -std=c++20)
  endif()
  run(${compiler} ${SOURCE}/tests/consumer/${program} -o ${WORK}/by_pkgconfig ${flags})
  run(${WORK}/by_pkgconfig)
endfunction()

# The verbs of C are called by name, so a program reaches all operators and types of its verb. It
# must not reach the other verbs, which are six times as large.
function(require_small_program)
  build_by_pkgconfig(total.c cc)
  run(strip ${WORK}/by_pkgconfig)
  file(SIZE ${WORK}/by_pkgconfig bytes)
  if(bytes GREATER 3000000)
    message(FATAL_ERROR "consumer (${FROM}): a C program with one reduction has ${bytes} bytes, "
      "more than 3 MB")
  endif()
endfunction()

# Without its own site-packages an interpreter starts in a quarter of the time.
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${PYTHON};-IS;${SOURCE}/tools/reuse_objects.py;${BUILD}")
file(REMOVE_RECURSE ${WORK})
set(way ${FROM})
set(project ${SOURCE}/tests/consumer)
if(FROM MATCHES "cuda|nvcc|sim|mpi")
  set(way package)
  set(project ${SOURCE}/tests/consumer/${FROM})
endif()
if(FROM STREQUAL "shared")  # find_package again, but of a shared library
  set(way package)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/library -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DBUILD_SHARED_LIBS=ON
    -DCMAKE_CXX_COMPILER=${COMPILER}
    -DUPSWEEP_BUILD_TESTS=OFF -DUPSWEEP_BUILD_CLI=OFF
    -DUPSWEEP_BUILD_EXAMPLES=OFF -DUPSWEEP_WERROR=${WERROR})
  run(${CMAKE_COMMAND} --build ${WORK}/library --parallel 2)
  set(BUILD ${WORK}/library)
endif()
set(configure ${CMAKE_COMMAND} -S ${project} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DUPSWEEP_FROM=${way}
  -DUPSWEEP_SOURCE=${SOURCE}
  -DUPSWEEP_WERROR=${WERROR})
if(way MATCHES "^(package|pkgconfig|examples)$")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
  # A moved installation must still work: nothing in it may name the place it was installed to.
  file(RENAME ${WORK}/installed ${WORK}/moved)
  file(GLOB_RECURSE pc ${WORK}/moved/upsweep.pc)
  get_filename_component(pc_folder ${pc} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${pc_folder})
  list(APPEND configure -DCMAKE_PREFIX_PATH=${WORK}/moved)
  if(FROM MATCHES "^(package|shared)$")  # the others install the files of `package`
    require_documents(${WORK}/moved)
    require_documented_headers(${WORK}/moved)
    require_clean(${WORK}/moved)
    require_exports(${WORK}/moved)
  endif()
  if(FROM STREQUAL "shared")
    require_soname(${WORK}/moved)
  endif()
endif()
# As one does by hand. CMake adds a run path for a shared library, pkg-config does not.
if(FROM STREQUAL "pkgconfig" OR FROM STREQUAL "shared")
  cmake_path(GET pc_folder PARENT_PATH library_folder)
  set(ENV{LD_LIBRARY_PATH} ${library_folder})
  build_by_pkgconfig(main.c cc)
  build_by_pkgconfig(main.cpp ${COMPILER})
endif()
if(FROM STREQUAL "pkgconfig")
  build_by_pkgconfig(main.c cc --static)
  require_small_program()
endif()
if(FROM STREQUAL "examples")
  file(GLOB examples ${SOURCE}/examples/*.cpp)
  list(FILTER examples EXCLUDE REGEX "/ranks_total")  # needs MPI, as consumer_by_mpi does
  foreach(example IN LISTS examples)
    run(${COMPILER} -std=c++20 -fsyntax-only -I${WORK}/moved/include ${example})
  endforeach()
  file(REMOVE_RECURSE ${WORK})
  return()
endif()
if(FROM STREQUAL "cuda")
  # CUDA's runtime alone, found without CMake's module, which fails where there is no nvcc.
  file(MAKE_DIRECTORY ${WORK}/runtime/lib)
  file(CREATE_LINK ${CUDA_INCLUDE} ${WORK}/runtime/include SYMBOLIC)
  file(CREATE_LINK ${CUDART} ${WORK}/runtime/lib/libcudart_static.a SYMBOLIC)
  list(APPEND configure -DCUDAToolkit_ROOT=${WORK}/runtime
    -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
elseif(FROM STREQUAL "nvcc")
  list(APPEND configure -DCMAKE_CUDA_COMPILER=${CUDA_COMPILER}
    -DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURE} "-DCMAKE_CUDA_FLAGS=${CUDA_FLAGS}"
    "-DCMAKE_CUDA_FLAGS_RELEASE=${CUDA_FLAGS_RELEASE}")
endif()
run(${configure})
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
if(FROM STREQUAL "mpi")
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
  set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
  set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
  run(${CMAKE_COMMAND} --build ${WORK}/build --target ranks)
else()
  run(${WORK}/build/consumer)
endif()
if(NOT FROM MATCHES "nvcc|sim|mpi")
  run(${WORK}/build/c_consumer)
endif()
if(FROM STREQUAL "package")
  run(${CMAKE_COMMAND} -S ${project}/c -B ${WORK}/c -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
  run(${CMAKE_COMMAND} --build ${WORK}/c)
  run(${WORK}/c/consumer)
endif()
file(REMOVE_RECURSE ${WORK})

# Configures the project with a thrust/ that does not compile, as in an installation of CCCL without
# CUDA's headers; ctest runs it with -P. The benchmark must be built without Thrust, and a status
# line must say so.
file(REMOVE_RECURSE ${WORK})
foreach(header reduce.h scan.h system/omp/execution_policy.h system/tbb/execution_policy.h)
  file(WRITE ${WORK}/cccl/thrust/${header} "#include <cuda_runtime_that_is_not_there.h>\n")
endforeach()
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER}
    -DUPSWEEP_THRUST_INCLUDE=${WORK}/cccl -DUPSWEEP_BUILD_TESTS=OFF -DUPSWEEP_BUILD_EXAMPLES=OFF
    -DUPSWEEP_LAB=OFF
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "configuring failed with ${status}\n${output}")
endif()
if(NOT output
  MATCHES "the Thrust in [^\n]*/cccl does not compile here; the benchmark is built without it")
  message(FATAL_ERROR "no status line says that Thrust is left out:\n${output}")
endif()
file(READ ${WORK}/build/compile_commands.json commands)
if(commands MATCHES "thrust_(tbb|omp)\\.cpp")
  message(FATAL_ERROR "${CMAKE_MATCH_0} is compiled all the same")
endif()
file(REMOVE_RECURSE ${WORK})

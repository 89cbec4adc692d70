# The outside libraries. Their headers are SYSTEM, so our warnings stay ours. cmake/floors.txt says where each may be used.

find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Eigen3 CONFIG REQUIRED)
find_library(re2_library re2 REQUIRED)  # the distribution ships no config; linked by its name
find_package(Protobuf REQUIRED)  # module mode: the distribution ships no config
find_package(simdjson CONFIG REQUIRED)
find_package(ONNX CONFIG REQUIRED)  # the schema of model.onnx; its target does not know its own includes
find_package(nlohmann_json CONFIG REQUIRED)

if(NOT SIGNET_CORE_ONLY)
  find_package(gRPC CONFIG REQUIRED)
  find_package(CLI11 CONFIG REQUIRED)
  find_library(csv_library csv REQUIRED)  # libcsv: small, complete for RFC 4180, reads in pieces; no CMake config
endif()
if(SIGNET_TESTS)
  find_package(GTest CONFIG REQUIRED)
  if(NOT SIGNET_CORE_ONLY)
    find_package(benchmark CONFIG REQUIRED)
  endif()
endif()

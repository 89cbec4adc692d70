# The external libraries. Their headers are SYSTEM, so that warnings in them are not reported. cmake/layers.txt states
# which directory may use which library.

find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Eigen3 CONFIG REQUIRED)
find_library(re2_library re2 REQUIRED)  # Debian has no CMake config for it; it is linked by its name
find_package(Protobuf REQUIRED)  # module mode: Debian has no CMake config for it
find_package(simdjson CONFIG REQUIRED)
find_package(ONNX CONFIG REQUIRED)  # the schema of model.onnx; its target lacks the include directories
find_library(snappy_library snappy REQUIRED)      # blocks of checkpoints
find_library(farmhash_library farmhash REQUIRED)  # the hash function of TensorFlow; it has no CMake config
find_package(nlohmann_json CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)  # checksums, certificates, and digests of tokens; gRPC links it, too

# Libraries of image formats, for the op decode_image. Each is optional: without it, images of its format are rejected.
# SIGNET_IMAGE_FORMATS lists the formats that were found. `symbol` is in the header of new enough versions.
set(SIGNET_IMAGE_FORMATS "")
macro(signet_find_image_library format library header symbol)
  find_library(SIGNET_${format}_LIBRARY ${library})
  find_path(SIGNET_${format}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
  if(SIGNET_${format}_LIBRARY AND SIGNET_${format}_INCLUDE)
    file(STRINGS ${SIGNET_${format}_INCLUDE}/${header} found REGEX ${symbol})
    if(found)
      list(APPEND SIGNET_IMAGE_FORMATS ${format})
    endif()
  endif()
endmacro()
signet_find_image_library(JPEG jpeg jpeglib.h jpeg_mem_src)
signet_find_image_library(JPEG2000 openjp2 openjpeg.h opj_stream_set_user_data_length openjpeg-2.5 openjpeg-2.4)
signet_find_image_library(PNG png png.h png_set_keep_unknown_chunks)
signet_find_image_library(TIFF tiff tiffio.h TIFFOpenOptionsAlloc)
signet_find_image_library(WEBP webp webp/decode.h WebPIUpdate)

if(NOT SIGNET_CORE_ONLY)
  find_package(gRPC CONFIG REQUIRED)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(Boost REQUIRED)  # Asio and Beast, which are headers only: HTTP
  find_package(ZLIB REQUIRED)   # compressed requests and results
  # The text format of /metrics. Its CMake config requires an HTTP server that Signet does not use.
  find_library(prometheus_library prometheus-cpp-core REQUIRED)
  find_library(cjose_library cjose REQUIRED)  # checks JSON web tokens; it has no CMake config
  find_package(spdlog CONFIG REQUIRED)  # the log of the server; compiled, because its headers alone cost 9 seconds per file
  find_library(systemd_library systemd REQUIRED)  # the journal; it has no CMake config
  find_library(csv_library csv REQUIRED)  # libcsv: implements RFC 4180, and parses in pieces; it has no CMake config

  set(SIGNET_PYTHON_ENVIRONMENT PYTHONPATH=${CMAKE_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1)
  # The engine as a module of Python. Without these, the Python package is a client only.
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python whose packages Debian installs")
  find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
  find_path(SIGNET_PYBIND11_INCLUDE pybind11/pybind11.h)
  # With sanitizers, the program that loads the module needs their library first; with those of Clang, it cannot be preloaded.
  set(clang_sanitizers FALSE)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(clang_sanitizers TRUE)
  endif()
  if(Python3_Development.Module_FOUND AND SIGNET_PYBIND11_INCLUDE AND NOT clang_sanitizers)
    set(SIGNET_PYTHON_CORE ON)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
      foreach(name asan stdc++)  # the first intercepts what the second throws
        execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.so
                        OUTPUT_VARIABLE ${name}_library OUTPUT_STRIP_TRAILING_WHITESPACE)
      endforeach()
      list(APPEND SIGNET_PYTHON_ENVIRONMENT LD_PRELOAD=${asan_library}:${stdc++_library} ASAN_OPTIONS=detect_leaks=0)
    endif()
  endif()
endif()
if(SIGNET_TESTS)
  find_package(GTest CONFIG REQUIRED)
  if(NOT SIGNET_CORE_ONLY)
    find_package(benchmark CONFIG REQUIRED)
  endif()
endif()

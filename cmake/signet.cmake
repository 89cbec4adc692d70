# The compiler options of all targets, and the functions that make libraries and programs.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(SIGNET_CCACHE ccache)
if(SIGNET_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache caches files that are compiled with precompiled headers only with these settings.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${SIGNET_CCACHE})
endif()

find_program(SIGNET_LLD ld.lld)
if(SIGNET_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Quick builds: some sources of a library are compiled as one (a unity build), and headers of other projects that most
# sources include are compiled once (precompiled headers). Two sources of a directory therefore never define the same name,
# not even in unnamed namespaces. The preset release compiles every source alone, because GCC inlines less in unity builds,
# which makes some loops 1.6 times slower. clang-tidy cannot read precompiled headers of GCC.
option(SIGNET_UNITY "Compile several sources of a library together" ON)
option(SIGNET_PRECOMPILE "Use precompiled headers" ON)

# The warnings for Signet's code. Generated code links signet_generated_options instead.
add_library(signet_options INTERFACE)
# In unity builds, Clang's -Wshadow reports an alias that two files of a directory have. GCC checks the rest.
target_compile_options(signet_options INTERFACE
  -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow> -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in plain std::string concatenation (GCC bug 105329), and reads of
  # uninitialized memory in moves of absl::InlinedVector and std::optional. The sanitizers find real ones.
  target_compile_options(signet_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  # In a unity build, every source is included, so GCC warns about its unnamed namespaces as in a header.
  target_compile_options(signet_options INTERFACE -Wno-subobject-linkage)
  if(SIGNET_UNITY OR SIGNET_PRECOMPILE OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|-O3")
    # Sanitizer checks and deep inlining cause wrong warnings about bounds, and so do precompiled headers, which GCC does not
    # treat as headers of other projects. Builds of the preset lint keep these warnings.
    target_compile_options(signet_options INTERFACE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()

# signet_precompile(signet_precompiled_core [PROGRAMS] HEADERS <string> ... DEPS ...)
#
# Compiles headers of other projects once, for libraries, or with PROGRAMS for the sources of programs, which GCC compiles
# with other options. Targets use them by signet_quick_build.
function(signet_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROGRAMS" "" "HEADERS;DEPS")
  if(NOT SIGNET_PRECOMPILE)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n" @ONLY)
  if(arg_PROGRAMS)
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_compile_options(${name} PRIVATE -pthread)
  else()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  endif()
  target_link_libraries(${name} PRIVATE ${arg_DEPS} signet_options)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# signet_quick_build(signet_core_types signet_precompiled_core [UNITY 8])
#
# Compiles a target with precompiled headers, and with this number of sources per unity file.
function(signet_quick_build target precompiled)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "UNITY" "")
  if(SIGNET_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # for ccache
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "EXECUTABLE")
      target_compile_options(${target} PRIVATE -pthread)  # as gRPC requires: all users of the headers define _REENTRANT
    endif()
  endif()
  if(SIGNET_UNITY AND arg_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${arg_UNITY})
  endif()
endfunction()

# signet_library(signet_core_types DIRECTORY core/types DEPS signet_core_base)
#
# Makes the static library of the sources directly in a directory, except for main.cc. Without sources it is an INTERFACE
# library.
function(signet_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY" "DEPS")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${arg_DIRECTORY}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE $<BUILD_INTERFACE:signet_options>)
    set(precompiled signet_precompiled_core)
    if(NOT arg_DIRECTORY MATCHES "^(python/)?core")
      set(precompiled signet_precompiled_grpc)
    endif()
    signet_quick_build(${target} ${precompiled} UNITY 8)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPS})
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:include> $<INSTALL_INTERFACE:include/signet>)
  target_compile_features(${target} ${scope} cxx_std_20)
endfunction()

# signet_program(signet-server server)
#
# Makes a program of main.cc in a directory and the library of that directory. The program is written to the directory of
# the same name in the build directory.
function(signet_program name directory)
  signet_layer_target(${directory} library)
  add_executable(${name} ${directory}/main.cc)
  target_link_libraries(${name} PRIVATE ${library} signet_options)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${directory})
  set_source_files_properties(${directory}/main.cc ${directory}/options.cc PROPERTIES
                              COMPILE_DEFINITIONS SIGNET_VERSION="${PROJECT_VERSION}")
endfunction()

# signet_console_files(signet_server_console server/console/static)
#
# Adds a source with the contents of the files in a directory, which the server sends to browsers.
function(signet_console_files target directory)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${directory}/*)
  set(source ${PROJECT_BINARY_DIR}/console_files.cc)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/${directory} -DOUT=${source}
            -P ${PROJECT_SOURCE_DIR}/cmake/console.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/console.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

# signet_image_formats(signet_core_kernels_vision core/kernels/vision)
#
# Removes the decoders of image formats whose library was not found (cmake/packages.cmake), and links the others.
# decode_image rejects images of the removed formats.
function(signet_image_formats target directory)
  get_target_property(sources ${target} SOURCES)
  foreach(format JPEG JPEG2000 PNG TIFF WEBP)
    string(TOLOWER ${format} name)
    if(NOT format IN_LIST SIGNET_IMAGE_FORMATS)
      list(FILTER sources EXCLUDE REGEX "/${name}_decoder\\.cc$")
      continue()
    endif()
    target_link_libraries(${target} PRIVATE ${SIGNET_${format}_LIBRARY})
    if(NOT SIGNET_${format}_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      set_source_files_properties(${PROJECT_SOURCE_DIR}/${directory}/${name}_decoder.cc PROPERTIES
                                  COMPILE_OPTIONS "-isystem;${SIGNET_${format}_INCLUDE}")
    endif()
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/${directory}/decode_image.cc APPEND PROPERTY COMPILE_DEFINITIONS
                 SIGNET_HAS_${format})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()

# signet_isa_sources(signet_core_kernels_simd signet_core_kernels_simd_vector)
#
# Compiles the sources of the first library once per instruction-set level, with SIGNET_ISA set to baseline, v3, or v4. If
# the processor has levels, the second library, which the first one links, and all libraries that link it define
# SIGNET_ISA_LEVELS. Otherwise, only baseline exists.
#
# Inline functions and templates are weak symbols, of which a linker keeps one copy. If it kept the copy for AVX-512, the
# program would crash on a processor without AVX-512. Each level is therefore linked into one object whose weak symbols are
# local, and the namespace of Eigen has a different name per level. The test isa_isolation checks the result.
function(signet_isa_sources target levels_target)
  get_target_property(sources ${target} SOURCES)
  # Always use the GNU tools, because the LLVM tools cannot remove section groups.
  find_program(SIGNET_GNU_LD ld.bfd REQUIRED)
  find_program(SIGNET_GNU_NM nm REQUIRED)
  find_program(SIGNET_GNU_OBJCOPY objcopy REQUIRED)
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND levels v3 v4)
    target_compile_definitions(${levels_target} PUBLIC SIGNET_ISA_LEVELS)
  endif()
  # Vectorized loops require that rounding and square roots set neither errno nor traps.
  # Sanitizers keep their own level of optimization.
  set(options -fno-math-errno -fno-trapping-math)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
    list(APPEND options -O3 -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${options}")
  set(objects_of_levels)
  set(flags_baseline "")
  set(flags_v3 -march=x86-64-v3)
  set(flags_v4 -march=x86-64-v4)
  foreach(level IN LISTS levels)
    set(objects ${target}_${level})
    set(isolated ${CMAKE_CURRENT_BINARY_DIR}/${objects}.o)
    add_library(${objects} OBJECT ${sources})
    target_compile_definitions(${objects} PRIVATE SIGNET_ISA=${level} Eigen=Eigen_${level})
    # GCC makes static variables of templates unique symbols, which cannot be made local.
    target_compile_options(${objects} PRIVATE ${flags_${level}} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    add_custom_command(
      OUTPUT ${isolated}
      COMMAND ${CMAKE_COMMAND} "-DOBJECTS=$<TARGET_OBJECTS:${objects}>" -DOUTPUT=${isolated} -DLD=${SIGNET_GNU_LD}
              -DNM=${SIGNET_GNU_NM} -DOBJCOPY=${SIGNET_GNU_OBJCOPY} -P ${PROJECT_SOURCE_DIR}/cmake/isolate.cmake
      DEPENDS $<TARGET_OBJECTS:${objects}> ${objects} ${PROJECT_SOURCE_DIR}/cmake/isolate.cmake
      COMMENT "Isolating the ${level} objects of ${target}"
      VERBATIM)
    set_source_files_properties(${isolated} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND objects_of_levels ${isolated})
    set_property(GLOBAL APPEND PROPERTY SIGNET_ISOLATED_OBJECTS ${isolated})
  endforeach()
  # The library consists of the isolated objects only.
  set_target_properties(${target} PROPERTIES SOURCES "${objects_of_levels}" LINKER_LANGUAGE CXX UNITY_BUILD OFF)
endfunction()

# How every target of ours is compiled, and `signet_library`, which each folder's CMakeLists.txt calls.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(SIGNET_CCACHE ccache)
if(SIGNET_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SIGNET_CCACHE})
endif()

find_program(SIGNET_LLD ld.lld)
if(SIGNET_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# The warnings of our own code; generated code links signet_generated_options instead.
add_library(signet_options INTERFACE)
target_compile_options(signet_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in plain std::string concatenation (GCC bug 105329).
  target_compile_options(signet_options INTERFACE -Wno-restrict)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize|-O3")
    # Sanitizer checks and deep inlining confuse GCC's data flow; the dev preset keeps these warnings.
    target_compile_options(signet_options INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow
                                                    -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()

# signet_library(types SOURCES dtype.cc shape.cc DEPS signet_base [PRIVATE_DEPS Eigen3::Eigen])
#
# Makes the static library signet_<name>. DEPS come with its headers, PRIVATE_DEPS do not. With no
# sources it is an INTERFACE library, so that a folder with headers only, or nothing yet, configures.
function(signet_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  set(target signet_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS}
                                    PRIVATE $<BUILD_INTERFACE:signet_options>)
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPS})
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                $<INSTALL_INTERFACE:include/signet>)
  target_compile_features(${target} ${scope} cxx_std_20)
endfunction()

# signet_isa_sources(signet_kernels isa/gemm.cc ...)
#
# Compiles the sources once per instruction-set level into `target`, as namespace SIGNET_ISA sees it
# (baseline, v3 or v4). Eigen is renamed per level: its templates are weak symbols, and a linker that
# merged those of two levels would run AVX-512 code on a CPU without it. The test isa_isolation looks.
function(signet_isa_sources target)
  if(NOT ARGN)
    return()
  endif()
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(levels baseline v3 v4)
  endif()
  set(flags_baseline "")
  set(flags_v3 -march=x86-64-v3)
  set(flags_v4 -march=x86-64-v4)
  foreach(level IN LISTS levels)
    set(objects ${target}_${level})
    add_library(${objects} OBJECT ${ARGN})
    target_compile_definitions(${objects} PRIVATE SIGNET_ISA=${level} Eigen=Eigen_${level})
    target_compile_options(${objects} PRIVATE ${flags_${level}})
    target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
  list(LENGTH levels count)
  if(count GREATER 1)
    target_compile_definitions(${target} PRIVATE SIGNET_ISA_LEVELS=1)
  endif()
  set_property(GLOBAL PROPERTY SIGNET_ISA_LEVELS ${levels})
endfunction()

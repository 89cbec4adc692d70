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
  # GCC 12 sees overlapping copies in plain std::string concatenation (GCC bug 105329), and reads of
  # uninitialized memory in moves of absl::InlinedVector and std::optional. The sanitizers watch for real ones.
  target_compile_options(signet_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize|-O3")
    # Sanitizer checks and deep inlining confuse GCC's bounds analysis; the dev preset keeps these warnings.
    target_compile_options(signet_options INTERFACE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()

# signet_library(types SOURCES dtype.cc shape.cc DEPS signet_base [PRIVATE_DEPS Eigen3::Eigen])
#
# Makes the static library signet_<name>. DEPS come with its headers, PRIVATE_DEPS do not. With no
# sources it is an INTERFACE library, so that a folder with headers only, or nothing yet, configures.
function(signet_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  set(target signet_${name})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS *.cc)
    list(FILTER arg_SOURCES EXCLUDE REGEX "/isa/|/(jpeg|jpeg2000|png|tiff|webp)_decoder")
  endif()
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
# Compiles the sources once per instruction-set level, with SIGNET_ISA as baseline, v3 or v4, into `target`. Where
# there are levels, the other sources of `target` see SIGNET_ISA_LEVELS; elsewhere only baseline exists.
#
# Inline functions and templates are weak symbols, of which a linker keeps one copy: if that were the one compiled for
# AVX-512, the program would die on a CPU without it. So each level becomes one object with its weak symbols made
# local, and Eigen has a name per level, which profiles show. The test isa_isolation looks at the outcome.
function(signet_isa_sources target)
  # GNU's tools, whatever the compiler brings: LLVM's cannot dissolve groups.
  find_program(SIGNET_GNU_LD ld.bfd REQUIRED)
  find_program(SIGNET_GNU_NM nm REQUIRED)
  find_program(SIGNET_GNU_OBJCOPY objcopy REQUIRED)
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND levels v3 v4)
    target_compile_definitions(${target} PRIVATE SIGNET_ISA_LEVELS)
  endif()
  set(flags_baseline "")
  set(flags_v3 -march=x86-64-v3)
  set(flags_v4 -march=x86-64-v4)
  foreach(level IN LISTS levels)
    set(objects ${target}_${level})
    set(isolated ${CMAKE_CURRENT_BINARY_DIR}/${objects}.o)
    add_library(${objects} OBJECT ${ARGN})
    target_compile_definitions(${objects} PRIVATE SIGNET_ISA=${level} Eigen=Eigen_${level})
    # Unique symbols, which GCC gives static variables of templates, could not be made local.
    target_compile_options(${objects} PRIVATE ${flags_${level}} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR})
    add_custom_command(
      OUTPUT ${isolated}
      COMMAND ${CMAKE_COMMAND} "-DOBJECTS=$<TARGET_OBJECTS:${objects}>" -DOUTPUT=${isolated} -DLD=${SIGNET_GNU_LD}
              -DNM=${SIGNET_GNU_NM} -DOBJCOPY=${SIGNET_GNU_OBJCOPY} -P ${PROJECT_SOURCE_DIR}/cmake/isolate.cmake
      DEPENDS $<TARGET_OBJECTS:${objects}> ${objects} ${PROJECT_SOURCE_DIR}/cmake/isolate.cmake
      COMMENT "Isolating the ${level} objects of ${target}"
      VERBATIM)
    set_source_files_properties(${isolated} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(${target} PRIVATE ${isolated})
    set_property(GLOBAL APPEND PROPERTY SIGNET_ISOLATED_OBJECTS ${isolated})
  endforeach()
endfunction()

# Installs the programs, the public headers, and the CMake package `signet` with its components:
#
#   find_package(signet COMPONENTS core client)
#   signet::core     libsignet_core.so: loads models and runs their functions in the calling process
#   signet::client   libsignet_client.so: calls servers; does not link the engine
#
# Both link libsignet_base.so: types, values, and their messages, which must exist once in a process. The programs link the
# static libraries of the layers instead. The component `runtime` has the programs with their files, `lib` has the libraries that
# programs need at run time, and `dev` has everything else.

# Debian's directory of libraries, which GNUInstallDirs chooses only if the prefix is /usr when CMake runs.
if(CMAKE_LIBRARY_ARCHITECTURE AND EXISTS /etc/debian_version AND "${CMAKE_INSTALL_LIBDIR}" MATCHES "^(lib)?$")
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/signet)
# Versions with the same two first numbers have the same binary interface.
set(SIGNET_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# signet_shared(core LAYERS signet_core_types.. EXTERNAL RE2.. PUBLIC signet_shared_base)
#
# Makes the target signet_shared_core, which becomes signet::core: the shared library of the given static libraries, which
# exports the names of Signet only, so that it does not clash with other libraries of a program.
function(signet_shared name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;EXTERNAL;PUBLIC")
  set(target signet_shared_${name})
  set(source ${PROJECT_BINARY_DIR}/${target}.cc)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Everything is in the static libraries.\n" @ONLY)
  add_library(${target} SHARED ${source})
  set(archives)
  foreach(layer IN LISTS arg_LAYERS)
    get_target_property(type ${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND archives $<TARGET_FILE:${layer}>)
      add_dependencies(${target} ${layer})
    endif()
  endforeach()
  target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}" "LINKER:-Bsymbolic-functions"
                      "LINKER:--whole-archive" ${archives} "LINKER:--no-whole-archive" "LINKER:-z,now")
  set_target_properties(${target} PROPERTIES
    LINK_DEPENDS "${archives};${exports}"
    OUTPUT_NAME signet_${name} EXPORT_NAME ${name}
    VERSION ${SIGNET_ABI} SOVERSION ${SIGNET_ABI}
    INSTALL_RPATH "$ORIGIN")
  target_link_libraries(${target} PRIVATE ${arg_EXTERNAL}
    PUBLIC ${arg_PUBLIC} absl::status absl::statusor absl::strings absl::inlined_vector absl::int128)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  install(TARGETS ${target} EXPORT signet_${name} LIBRARY COMPONENT lib NAMELINK_COMPONENT dev)
  install(EXPORT signet_${name} NAMESPACE signet:: FILE signet_${name}.cmake DESTINATION ${package} COMPONENT dev)
endfunction()

# The external libraries of layers.
function(signet_external_of layers out)
  set(found)
  file(STRINGS cmake/layers.txt lines REGEX "^layer ")
  foreach(line IN LISTS lines)
    separate_arguments(words UNIX_COMMAND "${line}")
    list(GET words 1 directory)
    signet_layer_target(${directory} layer)
    if(layer IN_LIST layers)
      get_property(external GLOBAL PROPERTY SIGNET_EXTERNAL_${directory})
      list(APPEND found ${external})
    endif()
  endforeach()
  foreach(format IN LISTS SIGNET_IMAGE_FORMATS)
    if("signet_core_kernels_vision" IN_LIST layers)
      list(APPEND found ${SIGNET_${format}_LIBRARY})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found)
  list(REMOVE_ITEM found signet_proto signet_grpc)  # static libraries of ours
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# The base consists of the layers that both core/api and client/lib use.
get_property(core_layers GLOBAL PROPERTY SIGNET_REACH_core/api)
get_property(client_layers GLOBAL PROPERTY SIGNET_REACH_client/lib)
if(SIGNET_CORE_ONLY)
  get_property(client_layers GLOBAL PROPERTY SIGNET_REACH_core/formats/signet_wire)
endif()
set(base_layers ${client_layers})
list(FILTER base_layers INCLUDE REGEX "^signet_(core|include)_")
list(REMOVE_ITEM core_layers ${base_layers})
list(REMOVE_ITEM client_layers ${base_layers})

signet_external_of("${base_layers}" external)
signet_shared(base LAYERS ${base_layers} signet_proto EXTERNAL ${external} protobuf::libprotobuf)
signet_external_of("${core_layers}" external)
signet_shared(core LAYERS ${core_layers} EXTERNAL ${external} PUBLIC signet_shared_base)
if(NOT SIGNET_CORE_ONLY)
  signet_external_of("${client_layers}" external)
  signet_shared(client LAYERS ${client_layers} signet_grpc EXTERNAL ${external} PUBLIC signet_shared_base)
endif()

install(DIRECTORY include/signet DESTINATION include COMPONENT dev FILES_MATCHING PATTERN *.h)
install(DIRECTORY proto DESTINATION share/signet COMPONENT dev FILES_MATCHING PATTERN *.proto)

foreach(program signet-server signet)
  if(TARGET ${program})
    target_link_options(${program} PRIVATE "LINKER:-z,now")  # symbols cannot be replaced while the program runs
    install(TARGETS ${program} COMPONENT runtime)
  endif()
endforeach()

configure_package_config_file(cmake/signetConfig.cmake.in ${PROJECT_BINARY_DIR}/signetConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/signetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/signetConfig.cmake ${PROJECT_BINARY_DIR}/signetConfigVersion.cmake
        DESTINATION ${package} COMPONENT dev)

# Installs the programs, core as the CMake package `signet` (target signet::core), and the headers, which keep their
# paths under include/signet: #include "core/types/notation/notation.h".
#
# The component `runtime` is the programs with their files, and `dev` is all else. cmake/debian.cmake makes a package of each.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/signet)

set(libraries ${SIGNET_LAYERS} signet_proto signet_core)
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^signet_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${libraries} EXPORT signetTargets COMPONENT dev)
install(EXPORT signetTargets NAMESPACE signet:: DESTINATION ${package} COMPONENT dev)
install(DIRECTORY include/signet DESTINATION include COMPONENT dev)
install(DIRECTORY core DESTINATION include/signet COMPONENT dev FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_BINARY_DIR}/proto/ DESTINATION include/signet COMPONENT dev
        FILES_MATCHING PATTERN *.pb.h PATTERN CMakeFiles EXCLUDE)
install(DIRECTORY proto DESTINATION share/signet COMPONENT dev FILES_MATCHING PATTERN *.proto)

foreach(program signet-server signet)
  if(TARGET ${program})
    install(TARGETS ${program} COMPONENT runtime)
  endif()
endforeach()

configure_package_config_file(cmake/signetConfig.cmake.in ${PROJECT_BINARY_DIR}/signetConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/signetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/signetConfig.cmake ${PROJECT_BINARY_DIR}/signetConfigVersion.cmake
        DESTINATION ${package} COMPONENT dev)

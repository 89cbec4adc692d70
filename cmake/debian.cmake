# The Debian packages that `./dev package` makes with CPack: `signet` has the programs, `libsignet0.1` has the libraries that
# other programs need at run time, and `libsignet-dev` has what is needed to compile such programs.

# Files that the programs generate: the completion of bash, and manual pages.
set(files ${PROJECT_BINARY_DIR}/package_files)
add_custom_command(
  OUTPUT ${files}/signet ${files}/man
  COMMAND $<TARGET_FILE:signet> completion bash > ${files}/signet
  COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/deploy/debian/man_pages.py ${files}/man
          $<TARGET_FILE:signet-server> $<TARGET_FILE:signet>
  DEPENDS signet signet-server ${PROJECT_SOURCE_DIR}/deploy/debian/man_pages.py
  COMMENT "Writing the completion and the manual pages"
  VERBATIM)
file(MAKE_DIRECTORY ${files})
add_custom_target(package_files ALL DEPENDS ${files}/signet ${files}/man)
add_custom_target(package_contents DEPENDS package_files signet signet-server signet_shared_core signet_shared_client)
install(FILES ${files}/signet DESTINATION share/bash-completion/completions COMPONENT runtime OPTIONAL)
install(DIRECTORY ${files}/man DESTINATION share COMPONENT runtime OPTIONAL)

# The service, and the example models with the calls of the demo, which expects them in examples/.
install(FILES deploy/debian/signet-server.service DESTINATION lib/systemd/system COMPONENT runtime)
install(DIRECTORY examples DESTINATION share/signet COMPONENT runtime
        PATTERN make_* EXCLUDE REGEX "examples/CMakeLists.txt$" EXCLUDE PATTERN demo.sh EXCLUDE)
install(PROGRAMS examples/demo.sh DESTINATION share/signet/examples COMPONENT runtime)
set(package_of_runtime signet)
set(package_of_lib libsignet${SIGNET_ABI})
set(package_of_dev libsignet-dev)
file(CONFIGURE OUTPUT ${files}/changelog CONTENT [[
signet (@PROJECT_VERSION@) bookworm; urgency=medium

  * CHANGELOG.md of the sources lists what changed.

 -- Signet maintainers <maintainers@signet.invalid>  Thu, 01 Jan 2026 00:00:00 +0000
]] @ONLY)
execute_process(COMMAND gzip -9n --stdout ${files}/changelog OUTPUT_FILE ${files}/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(component runtime lib dev)
  set(package ${package_of_${component}})
  install(FILES deploy/debian/copyright ${files}/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
  # What lintian reports and is right.
  if(EXISTS ${PROJECT_SOURCE_DIR}/deploy/debian/lintian/${component})
    install(FILES deploy/debian/lintian/${component} DESTINATION share/lintian/overrides RENAME ${package} COMPONENT ${component})
  endif()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime lib dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_CONTACT "Signet maintainers <maintainers@signet.invalid>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${package_of_runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Model server for records, lists, and tensors
Signet serves models over gRPC. A model is a set of functions with
Python-like signatures, and a call passes JSON, protobuf, Arrow, or tensors.
.
This package has the server, signet-server, the command line, signet, and
example models in /usr/share/signet/examples.")
set(scripts ${PROJECT_SOURCE_DIR}/deploy/debian)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm ${scripts}/postrm)

set(CPACK_DEBIAN_LIB_PACKAGE_NAME ${package_of_lib})
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIB_PACKAGE_SHLIBDEPS ON)
# Which package a program needs that links the libraries. CPack does not write it for libraries in a directory of Debian's.
file(CONFIGURE OUTPUT ${files}/shlibs CONTENT [[
libsignet_base @SIGNET_ABI@ @package_of_lib@ (>= @PROJECT_VERSION@)
libsignet_client @SIGNET_ABI@ @package_of_lib@ (>= @PROJECT_VERSION@)
libsignet_core @SIGNET_ABI@ @package_of_lib@ (>= @PROJECT_VERSION@)
]] @ONLY)
file(CONFIGURE OUTPUT ${files}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA ${files}/shlibs ${files}/triggers)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_LIB_DESCRIPTION "Libraries of the Signet model server
The shared libraries with which C++ programs load models and call their
functions in their own process, or call servers.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${package_of_dev})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# The public headers include those of Abseil.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${package_of_lib} (= ${PROJECT_VERSION}), libabsl-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "Signet model server, for compiling C++ programs
Headers and the CMake package `signet`, with which a C++ program loads models
and calls their functions in its own process, or calls servers.")
include(CPack)

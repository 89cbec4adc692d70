# Makes the libraries of Signet from cmake/layers.txt: one static library per layer, from the sources of its directory.
#
# The library of core/ops/shape is signet_core_ops_shape. It links the libraries of the layers in its row and the external
# libraries of the row. `main.cc` is left out. A new file is picked up by itself; a new directory needs a row.

# The name of the library of a directory.
function(signet_layer_target directory out)
  string(REPLACE "/" "_" name ${directory})
  set(${out} signet_${name} PARENT_SCOPE)
endfunction()

# Makes all libraries, and signet_core, which links all layers of core. SIGNET_LAYERS is set to the names of those in core
# and include.
#
# For cmake/install.cmake, the global properties SIGNET_REACH_<directory> and SIGNET_EXTERNAL_<directory> are set to the
# libraries that a layer links, its own included, and to the external libraries that it links itself.
function(signet_layers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/layers.txt)
  file(STRINGS cmake/layers.txt lines REGEX "^(layer|library) ")
  set(core_layers)
  set(everywhere)
  foreach(line IN LISTS lines)
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words kind name)
    if(kind STREQUAL "library")
      list(FIND words ":" colon)
      list(SUBLIST words 0 ${colon} targets)
      if("everywhere" IN_LIST targets)
        list(REMOVE_ITEM targets everywhere)
        list(APPEND everywhere ${targets})
      endif()
      set(library_${name} ${targets})
      continue()
    endif()
    if(SIGNET_CORE_ONLY AND NOT name MATCHES "^(core|include)/")
      continue()
    endif()
    signet_layer_target(${name} target)
    set(reach ${target})
    set(external ${everywhere})
    set(links)
    foreach(word IN LISTS words)
      if(word MATCHES "^\\+(.*)")
        list(APPEND external ${library_${CMAKE_MATCH_1}})
      elseif(NOT word MATCHES "\\.h$")
        signet_layer_target(${word} included)
        list(APPEND links ${included})
        get_property(further GLOBAL PROPERTY SIGNET_REACH_${word})
        list(APPEND reach ${further})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES reach)
    set_property(GLOBAL PROPERTY SIGNET_REACH_${name} ${reach})
    set_property(GLOBAL PROPERTY SIGNET_EXTERNAL_${name} ${external})
    signet_library(${target} DIRECTORY ${name} DEPS ${external} ${links})
    if(name MATCHES "^(core|include)/")
      list(APPEND core_layers ${target})
    endif()
  endforeach()
  add_library(signet_core INTERFACE)
  target_link_libraries(signet_core INTERFACE ${core_layers})
  set(SIGNET_LAYERS ${core_layers} PARENT_SCOPE)
endfunction()

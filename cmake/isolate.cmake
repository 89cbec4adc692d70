# cmake -DOBJECTS=a.o;b.o -DOUTPUT=level.o -DLD=ld -DNM=nm -DOBJCOPY=objcopy -P isolate.cmake
#
# Joins the objects of one instruction-set level and makes their weak symbols (inline functions and templates, ours or
# a library's) local, so that the linker can neither use them elsewhere nor replace them.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Remove section groups: a linker keeps one group per name, even if the name is local.
run(${LD} -r --force-group-allocation -o ${OUTPUT}.joined ${OBJECTS})

run(${NM} --defined-only --extern-only --format=posix ${OUTPUT}.joined)
string(REGEX MATCHALL "[^\n]+ [VWu] [^\n]*" weak "${output}")
list(TRANSFORM weak REPLACE " .*" "")
list(JOIN weak "\n" weak)
file(WRITE ${OUTPUT}.weak "${weak}\n")

run(${OBJCOPY} --localize-symbols=${OUTPUT}.weak ${OUTPUT}.joined ${OUTPUT})
file(REMOVE ${OUTPUT}.joined)

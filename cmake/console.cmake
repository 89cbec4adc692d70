# Makes the source that contains the files of server/console/static:
#
#   cmake -DFOLDER=server/console/static -DOUT=console_files.cc -P cmake/console.cmake

file(GLOB files "${FOLDER}/*")
list(SORT files)
set(arrays)
set(rows)
set(index 0)
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${index}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${name}\", {kFile${index}, sizeof(kFile${index}) - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "#include \"server/console/console.h\"

namespace signet {
namespace {

${arrays}
constexpr ConsoleFile kFiles[] = {
${rows}};

}  // namespace

std::span<const ConsoleFile> ConsoleFiles() { return kFiles; }

}  // namespace signet
")

#include "core/model/native/model_text.h"

#include <google/protobuf/text_format.h>

#include "signet/cat.h"

namespace signet {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;

std::string Print(const Message& message, bool single_line) {
  TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  printer.SetSingleLineMode(single_line);
  printer.SetUseShortRepeatedPrimitives(true);
  std::string out;
  printer.PrintToString(message, &out);
  return out;
}

// Returns the fields of `message`, one per line, indented by `indent` spaces.
std::string Fields(const Message& message, int indent) {
  std::string out;
  std::string text = Print(message, /*single_line=*/false);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    out.append(static_cast<size_t>(indent), ' ');
    out.append(text, begin, end + 1 - begin);
    begin = end + 1;
  }
  return out;
}

std::string FunctionText(const v1::Function& function) {
  v1::Function head = function;
  head.clear_nodes();
  head.clear_result();
  head.clear_examples();
  head.clear_batch();
  v1::Function tail;
  tail.set_result(function.result());
  *tail.mutable_examples() = function.examples();
  if (function.has_batch()) *tail.mutable_batch() = function.batch();
  std::string out = Cat("functions {\n", Fields(head, 2));
  for (const v1::Node& node : function.nodes()) {
    std::string line = Print(node, /*single_line=*/true);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out.append(Cat("  nodes { ", line, " }\n"));
  }
  return Cat(out, Fields(tail, 2), "}\n");
}

}  // namespace

std::string ModelToText(const v1::Model& proto) {
  v1::Model head;
  head.set_format_version(proto.format_version());
  head.set_doc(proto.doc());
  *head.mutable_metadata() = proto.metadata();
  v1::Model tail = proto;
  tail.clear_format_version();
  tail.clear_doc();
  tail.clear_metadata();
  tail.clear_functions();
  std::string out = Cat("# proto-file: signet/v1/model.proto\n# proto-message: signet.v1.Model\n\n",
                        Fields(head, 0));
  for (const v1::Function& function : proto.functions()) {
    out.append(Cat("\n", FunctionText(function)));
  }
  std::string rest = Fields(tail, 0);
  return rest.empty() ? out : Cat(out, "\n", rest);
}

}  // namespace signet

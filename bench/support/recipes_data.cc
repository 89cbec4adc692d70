#include "bench/support/recipes_data.h"

#include <fstream>
#include <iterator>

namespace signet {

StatusOr<std::string> ReadRecipes() {
  std::ifstream file("examples/recipes/recipes.json", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty())
    return NotFound("examples/recipes/recipes.json not found in the current folder");
  return text;
}

std::string RepeatRecipes(std::string_view recipes, size_t times) {
  size_t begin = recipes.find('[') + 1;
  std::string_view records = recipes.substr(begin, recipes.rfind(']') - begin);
  std::string out = "[";
  out.reserve(times * (records.size() + 1) + 1);
  for (size_t i = 0; i < times; ++i) {
    if (i > 0) out += ',';
    out += records;
  }
  return out + "]";
}

}  // namespace signet

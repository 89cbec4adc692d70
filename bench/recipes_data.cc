#include "bench/recipes_data.h"

#include <fstream>
#include <iterator>

namespace signet {

StatusOr<std::string> ReadRecipes() {
  std::ifstream file("examples/recipes/recipes.json", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) return NotFound("no examples/recipes/recipes.json in the current folder");
  return text;
}

std::string RepeatRecipes(std::string_view recipes, size_t bytes) {
  size_t begin = recipes.find('[') + 1;
  std::string_view records = recipes.substr(begin, recipes.rfind(']') - begin);
  std::string out = "[";
  do {
    if (out.size() > 1) out += ',';
    out += records;
  } while (out.size() < bytes);
  return out + "]";
}

}  // namespace signet

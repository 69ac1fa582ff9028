#include "engine/node/random_params.h"

namespace hw {

RandomParams random_params(const NodeDecl& decl, const ParamMap& params, std::string_view node_id) {
  RandomParams random{false, std::string(node_id)};
  if (!decl.is_random() || !applies(*decl.find_param("random_seed"), decl, params)) return random;
  const auto number = [&](const char* id) {
    const auto* whole = std::get_if<int64_t>(&param_value(decl, params, id));
    return whole ? *whole : -1;
  };
  random.draws = true;
  const auto* name = std::get_if<std::string>(&param_value(decl, params, "random_stream"));
  if (name && !name->empty()) random.name = *name;
  if (const int64_t seed = number("random_seed"); seed >= 0) random.seed = static_cast<uint64_t>(seed);
  if (const int64_t step = number("random_step"); step > 0) random.step = static_cast<uint64_t>(step - 1);
  return random;
}

void set_random(OpBuilder& builder, const RandomParams& random) {
  if (random.draws) builder.set_random(random.name, random.seed, random.step);
}

}  // namespace hw

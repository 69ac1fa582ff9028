#include "engine/node/many_inputs.h"

namespace hw::shapes {

void declare_input_count(NodeDecl& d) {
  d.integer("inputs", 4).docs("How many sockets there are; those after b may stay open.").range(2, 256);
}

std::vector<std::string> input_ids_up_to(size_t count) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < count; ++i) {
    std::string id;
    for (size_t rest = i + 1; rest > 0; rest = (rest - 1) / 26)
      id.insert(id.begin(), static_cast<char>('a' + (rest - 1) % 26));
    ids.push_back(std::move(id));
  }
  return ids;
}

std::vector<std::string> input_ids(const Params& p) {
  return input_ids_up_to(static_cast<size_t>(p.integer("inputs")));
}

void add_inputs(NodeDecl& d, const Params& p, const std::vector<DType>& dtypes) {
  size_t count = 0;
  for (const std::string& id : input_ids(p)) {
    SocketDecl& socket = d.input(id).dtype_group("T", dtypes);
    if (++count > 2) socket.may_be_open();
  }
}

std::string beside_first(const Shape& first, const Shape& shape) {
  return "a is " + to_string(first) + ", this is " + to_string(shape) + ".";
}

}  // namespace hw::shapes

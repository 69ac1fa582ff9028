// Registry, and what node code reads through Params, ShapeArgs and LowerArgs.
#include "engine/node/node_type.h"

#include <cassert>

namespace hw {

const ParamValue& Params::get(std::string_view id) const {
  return param_value(decl_, values_, id);
}

int64_t Params::integer(std::string_view id) const {
  return std::get<int64_t>(get(id));
}

double Params::real(std::string_view id) const {
  const ParamValue& value = get(id);
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

bool Params::boolean(std::string_view id) const {
  return std::get<bool>(get(id));
}

const std::string& Params::text(std::string_view id) const {
  return std::get<std::string>(get(id));
}

DType Params::dtype(std::string_view id) const {
  const auto dtype = dtype_from_name(text(id));
  assert(dtype && "check_param lets only names of dtypes through");
  return *dtype;
}

const std::vector<double>& Params::vector(std::string_view id) const {
  return std::get<std::vector<double>>(get(id));
}

const WireType* ShapeArgs::in(std::string_view socket) const {
  const auto it = in_.find(socket);
  return it == in_.end() ? nullptr : &it->second;
}

const Shape& ShapeArgs::shape(std::string_view socket) const {
  const WireType* type = in(socket);
  assert(type && "shape() is called with every required input");
  return type->shape;
}

DType ShapeArgs::dtype(std::string_view socket) const {
  const WireType* type = in(socket);
  assert(type && "shape() is called with every required input");
  return type->dtype;
}

const LowerArgs::Arg& LowerArgs::arg(std::string_view socket) const {
  const auto it = in_.find(socket);
  assert(it != in_.end() && "has() is asked before an optional input is read");
  return it->second;
}

Val LowerArgs::in(std::string_view socket) const {
  return std::get<Val>(arg(socket));
}

std::shared_ptr<const Mesh> LowerArgs::mesh(std::string_view socket) const {
  return std::get<std::shared_ptr<const Mesh>>(arg(socket));
}

std::shared_ptr<const Image> LowerArgs::image(std::string_view socket) const {
  return std::get<std::shared_ptr<const Image>>(arg(socket));
}

std::shared_ptr<const Dataset> LowerArgs::dataset(std::string_view socket) const {
  return std::get<std::shared_ptr<const Dataset>>(arg(socket));
}

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

void Registry::add(NodeType type) {
  std::string id = type.id;
  [[maybe_unused]] const bool is_new = types_.emplace(std::move(id), std::move(type)).second;
  assert(is_new && "two files in nodes/ have the same stem");
}

const NodeType* Registry::find(std::string_view id) const {
  const auto it = types_.find(id);
  return it == types_.end() ? nullptr : &it->second;
}

Declaration NodeType::declared(const ParamMap& params) const {
  if (!sockets) return Declaration(&decl);
  NodeDecl own;
  declare(own);
  // check_param comes first, but a file may hold anything: a parameter of the wrong kind counts as its default.
  ParamMap sound;
  for (const auto& [param, value] : params)
    if (const ParamDecl* known = own.find_param(param); known && check_param(*known, value)) sound[param] = value;
  const NodeDecl fixed = own;
  Status status = sockets(own, Params(fixed, sound));
  return Declaration(std::move(own), std::move(status));
}

NodeRegistration::NodeRegistration(const char* id, void (*declare)(NodeDecl&),
                                   Result<Shapes> (*shape)(const ShapeArgs&),
                                   Lowered (*lower)(OpBuilder&, const LowerArgs&), Examples (*examples)(),
                                   Status (*sockets)(NodeDecl&, const Params&)) {
  NodeType type{id, {}, shape, lower, examples, declare, sockets};
  declare(type.decl);
  if (sockets) {
    const Declaration with_defaults = type.declared({});
    assert(with_defaults.status() && "a node's default parameters are right");
    type.decl = *with_defaults;
  }
  Registry::instance().add(std::move(type));
}

}  // namespace hw

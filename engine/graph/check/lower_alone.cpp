#include "engine/graph/check/lower_alone.h"

#include "engine/program/check_sizes.h"

namespace hw {
namespace {

class NoAssets : public Assets {
  static Error none() { return {codes::asset_missing, "", "Files are not read here.", ""}; }

 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Image>> image(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Dataset>> dataset(const std::string&, const DatasetSpec&) override { return none(); }
};

}  // namespace

std::optional<Program> lower_alone(const Node& node, const InputTypes& inputs) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type) return std::nullopt;
  for (const auto& [id, value] : node.params) {
    const ParamDecl* decl = type->decl.find_param(id);
    if (decl && !check_param(*decl, value)) return std::nullopt;
  }
  Program program;
  OpBuilder builder(program);
  LowerArgs::In in;
  const Declaration declared = type->declared(node.params);
  if (!declared.status()) return std::nullopt;
  for (const SocketDecl& socket : declared->inputs()) {
    const auto wire = inputs.find(socket.id);
    if (wire == inputs.end() && socket.optional) continue;
    if (wire == inputs.end() || socket.kind != Kind::tensor || wire->second.kind != Kind::tensor) return std::nullopt;
    Dims dims;
    for (const Axis& axis : wire->second.shape.axes()) dims.push_back(axis.known() ? axis.size : 1);
    in[socket.id] = builder.input(socket.id, wire->second.dtype, dims);
  }
  NoAssets assets;
  const Params params(*declared, node.params);
  if (!type->shape(ShapeArgs(params, inputs))) return std::nullopt;  // lower() may count on it
  (void)type->lower(builder, LowerArgs(params, in, assets));
  if (!builder.status()) return std::nullopt;
  return program;
}

std::optional<Program> lower_alone_in_f64(Node node, InputTypes inputs) {
  for (const ParamDecl& param : Registry::instance().find(node.type)->decl.params())
    if (param.type == ParamDecl::Type::dtype) node.params[param.id] = std::string(name(DType::f64));
  for (auto& [socket, wire] : inputs)
    if (wire.kind == Kind::tensor && info(wire.dtype).is_float) wire.dtype = DType::f64;
  return lower_alone(node, inputs);
}

std::optional<Diagnostic> check_own_sizes(const Node& node, const Program& program) {
  const Status fits = check_sizes(program);
  if (fits) return std::nullopt;
  Diagnostic d;
  d.code = fits.error().code;
  d.node = node.id;
  const std::string& what = fits.error().where;  // a parameter; values in between have no name
  d.reason = (what.empty() ? "A value inside " + display_name(node) : what + " of " + display_name(node)) +
             " is too large: " + fits.error().reason + " " + fits.error().remedy;
  return d;
}

}  // namespace hw

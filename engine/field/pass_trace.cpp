#include "engine/field/pass_trace.h"

#include "engine/graph/validate.h"

namespace hw {

std::vector<SocketRef> sink_wires(const Graph& flat) {
  std::vector<SocketRef> wires;
  Validator validator;
  validator.reset(flat);
  for (const Link& link : flat.links()) {
    const NodeType* type = Registry::instance().find(flat.find(link.to)->type);
    const auto wire = validator.output_type(link.from, link.from_socket);
    if (type && type->decl.outputs().empty() && wire && wire->kind == Kind::tensor)
      wires.push_back({link.from, link.from_socket});
  }
  return wires;
}

Result<std::vector<PassNote>> trace_passes(const Graph& flat, Assets& assets, std::string_view device) {
  const std::vector<SocketRef> wires = sink_wires(flat);
  LowerOptions options;
  options.pins = true;
  HW_TRY(const LoweredGraph lowered, lower(flat, wires, options, assets));
  std::vector<ValueId> keep;
  for (const SocketRef& wire : wires)
    if (const Val* value = std::get_if<Val>(&lowered.sockets.at(wire))) keep.push_back(value->id);
  return apply_passes(*lowered.program, {device, keep}).notes;
}

}  // namespace hw

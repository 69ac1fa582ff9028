#include "engine/field/pass_trace.h"

#include "engine/evaluate/evaluation.h"

namespace hw {

std::vector<SocketRef> sink_wires(const Graph& flat, const Validator& validator) {
  std::vector<SocketRef> wires;
  for (const Link& link : flat.links()) {
    const Node* sink = flat.find(link.to);  // a file may have wires to nodes that it lacks
    const NodeType* type = sink ? Registry::instance().find(sink->type) : nullptr;
    if (!type || !type->decl.outputs().empty()) continue;
    const auto wire = validator.output_type(link.from, link.from_socket);
    if (wire && wire->kind == Kind::tensor && !validator.blocking(flat, link.to, Pins::ignored))
      wires.push_back({link.from, link.from_socket});
  }
  return wires;
}

Result<std::vector<PassNote>> trace_passes(const Graph& flat, std::span<const SocketRef> wires, Assets& assets,
                                           std::string_view device) {
  LowerOptions options;
  options.pins = true;
  HW_TRY(const LoweredGraph lowered, lower(flat, wires, options, assets));
  clear_missing_devices(*lowered.program);
  std::vector<ValueId> keep;
  for (const SocketRef& wire : wires)
    if (const Val* value = std::get_if<Val>(&lowered.sockets.at(wire))) keep.push_back(value->id);
  return apply_passes(*lowered.program, {device, keep}).notes;
}

}  // namespace hw

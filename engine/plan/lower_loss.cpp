#include "engine/plan/lower_loss.h"

#include "engine/graph/check/validate.h"

namespace hw {

Status check_loss(const Graph& graph, const std::string& trainer) {
  Validator validator;
  validator.reset(graph);
  const Diagnostic* d = validator.blocking(graph, trainer);
  if (!d) return ok();
  Error error{d->code, d->socket.empty() ? d->node : d->node + "." + d->socket, d->reason, ""};
  if (!d->remedies.empty()) error.remedy = "Remedy: " + d->remedies.front().label + ".";
  return error;
}

Result<LoweredLoss> lower_loss(const Graph& graph, const std::string& trainer, LowerOptions options, Assets& assets) {
  options.training = true;
  options.pins = true;
  const NodeType& type = *Registry::instance().find(graph.find(trainer)->type);
  const Link link = graph.links_into(trainer, type.decl.inputs().front().id).front();
  const SocketRef loss{link.from, link.from_socket};
  HW_TRY(LoweredGraph lowered, lower(graph, std::span(&loss, 1), options, assets));
  const Val value = std::get<Val>(lowered.sockets.at(loss));
  return LoweredLoss{std::move(lowered), value};
}

}  // namespace hw

#include "app/cli/commands/bench_run.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>

#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "engine/core/convert.h"
#include "engine/core/memory.h"
#include "engine/core/sizes.h"
#include "engine/graph/edit.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/graph/precision/autocast.h"

namespace hw::cli {
namespace {

/// Normal random numbers, which repeat.
Tensor random_tensor(DType dtype, const Dims& dims) {
  Tensor tensor = Tensor::zeros(dtype, dims);
  if (!info(dtype).is_float) return tensor;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(std::min<size_t>(static_cast<size_t>(tensor.size()), 1 << 18));
  std::ranges::generate(values, [&] { return normal(random); });
  for (size_t first = 0, all = static_cast<size_t>(tensor.size()); first < all; first += values.size())
    convert(dtype, static_cast<std::byte*>(tensor.data()) + first * size_of(dtype), DType::f64, values.data(),
            std::min(values.size(), all - first));
  return tensor;
}

/// A value for each Input that nothing is wired to: what is given, else random, `batch` (0: as declared) along its
/// first axis.
Result<GivenValues> all_inputs(Graph& graph, int64_t batch, std::vector<GivenInput> given) {
  fit_inputs(graph, given);
  Validator validator;
  validator.reset(graph);
  const std::string option = "--batch " + std::to_string(batch);
  bool batched = false;
  for (const auto& [id, node] : graph.nodes()) {
    if (!is_graph_input(graph, node)) continue;
    if (std::ranges::find(given, SocketRef{id, "y"}, &GivenInput::socket) != given.end()) continue;
    const auto type = validator.output_type(id, "y");
    if (!type || type->kind != Kind::tensor) continue;
    Dims dims;
    for (size_t i = 0; i < type->shape.rank(); ++i) dims.push_back(std::max<int64_t>(type->shape[i].size, 1));
    if (batch > 0 && !dims.empty()) {
      dims[0] = batch;
      graph.node(id).params["shape"] = std::vector<double>(dims.begin(), dims.end());
      batched = true;
    }
    const size_t bytes = byte_count(type->dtype, dims), free = available_memory();
    if (bytes > free)
      return Error{codes::out_of_memory, batch > 0 ? option : id,
                   id + " needs " + memory_text(bytes) + ", and " + memory_text(free) + " are free.",
                   batch > 0 ? "Choose a smaller --batch." : "Choose a smaller shape."};
    given.push_back({{id, "y"}, id, "", random_tensor(type->dtype, dims)});
  }
  if (batch > 0 && !batched)
    return Error{codes::bad_usage, option, "the graph has no Input that takes a batch.",
                 "Set the samples of the node that makes them instead, for example --set batch.batch_size=8."};
  fit_inputs(graph, given);
  return noted(as_wires, graph, std::move(given));
}

Status change_dtype(Graph& graph, const std::string& dtype) {
  if (dtype.empty()) return ok();
  const PrecisionPlan plan = autocast(graph, dtype == "f16" ? DType::f16 : DType::bf16);
  for (const std::string& note : plan.numbers) std::fprintf(stderr, "note: %s\n", note.c_str());
  const Result<Edits> done = apply_edits(graph, plan.edits);
  return done ? ok() : Status(done.error());
}

/// What is missing follows from the graph's own errors where it has some: these are printed then.
Error missing(const Graph& graph, Error error) {
  Validator validator;
  validator.reset(graph);
  bool any = false;
  for (const Diagnostic& d : validator.all()) {
    if (d.severity != Severity::error) continue;
    report(d);
    any = true;
  }
  return any ? kPrintedAlready : std::move(error);
}

/// What the graph's Outputs take; without Outputs the loss that its Train node takes, or what no node reads.
Result<std::vector<SocketRef>> wires_of(const OpenGraph& loaded) {
  std::vector<SocketRef> wires = float_results(loaded.graph);
  const bool has_outputs =
      std::ranges::any_of(wires, [&](const SocketRef& wire) { return !loaded.graph.links_from(wire.node).empty(); });
  if (!has_outputs && has_trainer(loaded.graph)) {
    wires.clear();
    for (const auto& [id, node] : loaded.graph.nodes()) {
      const NodeType* type = Registry::instance().find(node.type);
      if (!type || type->decl.role() != Role::train) continue;
      if (report_blocking(loaded.graph, loaded.document, id)) return kPrintedAlready;
      for (const Link& link : loaded.graph.links_into(id)) wires.push_back({link.from, link.from_socket});
    }
  }
  if (wires.empty())
    return missing(loaded.graph, {codes::bad_usage, loaded.file, "no float comes out of this graph.",
                                  "Wire what is wanted to an Output."});
  for (const SocketRef& wire : wires)
    if (report_blocking(loaded.graph, loaded.document, wire.node)) return kPrintedAlready;
  return wires;
}

}  // namespace

Result<BenchReport> run_bench(const BenchOptions& o) {
  HW_TRY(OpenGraph loaded, noted(open_graph, o));
  HW_CHECK(check_passes(o.passes_off));
  HW_CHECK(change_dtype(loaded.graph, o.dtype));
  HW_TRY(std::vector<GivenInput> read, noted(read_given, loaded.graph, o.inputs, o.option_names.input));
  HW_TRY(const GivenValues given, all_inputs(loaded.graph, o.batch, std::move(read)));
  HW_TRY(const std::shared_ptr<Device> device, choose_device(o.device));
  const StopOnSignal stop;
  workspace::BenchRequest request;
  request.graph = loaded.graph;
  request.assets = loaded.assets;
  request.device = device;
  request.given = given;
  request.train = o.train;
  if (o.train) {
    auto made = noted(as_trainable, loaded, TrainableOptions{.device = o.device, .checks = true});
    if (!made) return made.error().code == codes::no_trainer ? missing(loaded.graph, made.error()) : made.error();
    request.graph = std::move(made->graph);
    request.assets = made->assets;
  } else {
    HW_TRY(request.wires, wires_of(loaded));
  }
  request.stated = o.dtype == "bf16" ? DType::bf16 : DType::f32;
  request.runs = o.runs;
  request.threads = o.threads;
  request.passes_off = o.passes_off;
  std::optional<ProgressLine> line;  // from the first run on
  request.progress = [&](double share, const std::string& what) {
    if (!line) line.emplace();
    line->show(share, what);
  };
  request.cancel = &StopOnSignal::asked();
  HW_TRY(BenchReport report, workspace::bench(request));
  report.dtype = o.dtype.empty() ? "as drawn" : o.dtype;
  return report;
}

}  // namespace hw::cli

// onnx-test: cases laid out as ONNX's own backend tests, through the graph and a device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/interop/onnx/import_graph.h"
#include "app/workspace/evaluate.h"
#include "engine/core/exceptions.h"
#include "engine/core/rounding_error.h"
#include "engine/io/asset/assets.h"

namespace hw::cli::onnx_test_command {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// ONNX's own runner. Where numbers of the dtype lie farther apart, two results that are each within one unit in the
// last place of the exact one are equal.
constexpr double kRelative = 1e-3, kAbsolute = 1e-7, kUlps = 2;

struct Options {
  std::vector<std::string> folders;
  std::string device = "cpu";
  bool json = false;
};

enum class Verdict : uint8_t { passed, failed, unsupported };
constexpr std::array kVerdicts{"passed", "failed", "unsupported"};

struct Outcome {
  Verdict verdict = Verdict::passed;
  std::string reason;
};

/// "" where two tensors agree.
std::string difference(const Tensor& made, const Tensor& wanted) {
  if (made.dtype() != wanted.dtype())
    return "its dtype is " + std::string(name(made.dtype())) + ", wanted is " + std::string(name(wanted.dtype()));
  if (made.dims() != wanted.dims())
    return "its sizes are " + to_string(made.dims()) + ", wanted are " + to_string(wanted.dims());
  const std::vector<double> a = made.to_f64(), b = wanted.to_f64();
  double worst = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double apart = std::abs(a[i] - b[i]);
    if (std::isfinite(b[i]) && apart <= kAbsolute + kRelative * std::abs(b[i])) continue;
    if (info(made.dtype()).is_float && error_of(a[i], b[i], made.dtype()).ulps <= kUlps) continue;
    ++wrong;
    worst = std::isnan(apart) ? apart : std::max(worst, apart);
  }
  if (wrong == 0) return {};
  char text[100];
  std::snprintf(text, sizeof text, "%zu of %zu values differ, by up to %.3g", wrong, a.size(), worst);
  return text;
}

/// input_0.pb, input_1.pb, … of a data set.
Result<std::vector<Tensor>> tensors_in(const fs::path& folder, const std::string& stem, size_t count) {
  std::vector<Tensor> all;
  for (size_t i = 0; i < count; ++i) {
    const fs::path file = folder / (stem + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) break;
    HW_TRY(Tensor tensor, interop::read_onnx_tensor(file));
    all.push_back(std::move(tensor));
  }
  return all;
}

std::vector<std::string> inputs_of(const interop::OnnxGraph& graph) {
  std::vector<std::string> names;
  for (const interop::OnnxValue& input : graph.inputs)
    if (!graph.initializers.contains(input.name)) names.push_back(input.name);
  return names;
}

Outcome unsupported(const std::string& reason) {
  return {Verdict::unsupported, reason};
}

Outcome failed(const std::string& reason) {
  return {Verdict::failed, reason};
}

/// Whether the values of the data are of the dtypes that the model declares.
bool has_dtypes(const std::vector<Tensor>& data, const std::vector<interop::OnnxValue>& declared,
                const std::vector<std::string>& names) {
  for (size_t i = 0; i < std::min(data.size(), names.size()); ++i) {
    const auto value = std::ranges::find(declared, names[i], &interop::OnnxValue::name);
    if (value != declared.end() && value->dtype != data[i].dtype()) return false;
  }
  return true;
}

/// One data set of a case. What cannot be run is known before it runs.
Outcome run_set(const interop::OnnxModel& model, const fs::path& folder, const std::string& device) {
  for (const auto* values : {&model.graph.inputs, &model.graph.outputs})
    for (const interop::OnnxValue& value : *values)
      if (!value.dtype) return unsupported(value.type + " is no dtype here");
  const std::vector<std::string> names = inputs_of(model.graph);
  auto inputs = tensors_in(folder, "input", names.size());
  if (!inputs) return unsupported(inputs.error().reason);
  auto wanted = tensors_in(folder, "output", model.graph.outputs.size());
  if (!wanted) return unsupported(wanted.error().reason);
  const size_t outputs = model.graph.outputs.size();
  if (inputs->size() < names.size())
    return failed("its data has " + std::to_string(inputs->size()) + " of " + std::to_string(names.size()) + " inputs");
  if (wanted->empty() || wanted->size() < outputs)
    return failed("its data has " + std::to_string(wanted->size()) + " of " + std::to_string(outputs) + " outputs");
  std::vector<std::string> made_names;
  for (const interop::OnnxValue& output : model.graph.outputs) made_names.push_back(output.name);
  if (!has_dtypes(*inputs, model.graph.inputs, names) || !has_dtypes(*wanted, model.graph.outputs, made_names))
    return unsupported("its data have other dtypes than the model declares");
  interop::ImportOptions options;
  interop::OnnxModel sized = model;
  for (size_t i = 0; i < inputs->size(); ++i) {
    options.given[names[i]] = (*inputs)[i];
    // Symbolic sizes are those of the data.
    for (interop::OnnxValue& input : sized.graph.inputs) {
      if (input.name != names[i]) continue;
      input.dims.emplace();
      for (const int64_t size : (*inputs)[i].dims()) input.dims->push_back({size, ""});
    }
  }
  auto imported = interop::import_graph(sized, options);
  if (!imported) return unsupported(imported.error().reason);
  if (!imported->missing.empty())
    return unsupported(imported->missing.front().op + ": " + imported->missing.front().reason);
  if (imported->outputs.size() != outputs) return unsupported("an output is missing");
  EvaluationRequest request{.graph = imported->graph, .assets = std::make_shared<FileAssets>(folder.string())};
  request.device = device;
  request.option_names = option_names();
  request.weights = std::make_shared<const Weights>(imported->weights);
  for (size_t i = 0; i < inputs->size(); ++i)
    if (const auto id = imported->inputs.find(names[i]); id != imported->inputs.end())
      request.given[{id->second, "y"}] = (*inputs)[i];
  for (const auto& [output, socket] : imported->outputs) request.wires.push_back(socket);
  const auto made = noted(evaluate, request);
  if (!made) return failed(made.error().text());
  for (size_t i = 0; i < outputs; ++i)
    if (const std::string apart = difference((*made)[i], (*wanted)[i]); !apart.empty())
      return failed(model.graph.outputs[i].name + ": " + apart);
  return {};
}

Outcome run_case(const fs::path& folder, const std::string& device) {
  const auto model = interop::read_onnx(folder / "model.onnx");
  if (!model) return unsupported(model.error().text());
  Outcome outcome;
  bool any = false;
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_"))
      sets.push_back(entry.path());
  std::ranges::sort(sets);
  for (const fs::path& set : sets) {
    any = true;
    outcome = run_set(*model, set, device);
    if (outcome.verdict != Verdict::passed) return outcome;
  }
  return any ? outcome : unsupported("it has no data");
}

/// The folder itself where it is a case, else those in it.
std::vector<fs::path> cases_in(const fs::path& folder) {
  if (fs::exists(folder / "model.onnx")) return {folder};
  std::vector<fs::path> all;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().filename() == "model.onnx") all.push_back(it->path().parent_path());
  std::ranges::sort(all);
  return all;
}

int onnx_test(const Options& o) {
  if (const auto device = choose_device(o.device); !device) return report(device.error());
  std::array<size_t, 3> counts{};
  ordered_json cases = ordered_json::array();
  for (const std::string& folder : o.folders) {
    const std::vector<fs::path> found = cases_in(folder);
    if (found.empty())
      return report({codes::file_unreadable, folder, "there is no model.onnx in it.",
                     "Name a folder that is laid out as ONNX's backend tests: CASE/model.onnx, CASE/test_data_set_0."});
    for (const fs::path& place : found) {
      const auto tried = guarded([&]() -> Result<Outcome> { return run_case(place, o.device); });
      const Outcome outcome = tried ? *tried : failed(tried.error().text());
      const auto verdict = static_cast<size_t>(outcome.verdict);
      ++counts[verdict];
      const std::string name = place.filename().string();
      if (o.json)
        cases.push_back({{"case", name}, {"verdict", kVerdicts[verdict]}, {"reason", outcome.reason}});
      else if (outcome.verdict != Verdict::passed)
        std::printf("%s %s: %s\n", kVerdicts[verdict], name.c_str(), outcome.reason.c_str());
    }
  }
  if (o.json)
    print_json({{"passed", counts[0]}, {"failed", counts[1]}, {"unsupported", counts[2]}, {"cases", cases}});
  else
    std::printf("%zu passed, %zu failed, %zu unsupported\n", counts[0], counts[1], counts[2]);
  return counts[1] > 0 ? kGraphErrors : kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("onnx-test", "Run cases laid out as ONNX's own backend tests");
  auto o = std::make_shared<Options>();
  command->add_option("folders", o->folders, "Cases, or folders of cases")->required();
  add_json(*command, o->json, "Everything, as JSON");
  add_device(*command, o->device);
  command->callback([o, &chosen] { chosen = [o] { return onnx_test(*o); }; });
}

}  // namespace hw::cli::onnx_test_command

#include "engine/io/checkpoint/checkpoint_file.h"

#include <algorithm>
#include <charconv>

#include "engine/core/codes.h"
#include "engine/core/magnitudes.h"
#include "engine/io/file/folder_entries.h"
#include "engine/io/file/json_text.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"
#include "engine/program/device_id.h"

namespace hw {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr char kFormat[] = "halfwire-checkpoint";
constexpr char kLosses[] = "#losses", kRates[] = "#learning_rates", kSeconds[] = "#seconds";
constexpr char kBest[] = "#best.";  // before a parameter's name
constexpr char kSound[] = "sound", kOfWeights[] = "weights";
constexpr std::string_view kPrefix = "checkpoint-", kSuffix = ".safetensors";

std::optional<uint64_t> step_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const char *begin = name.data() + kPrefix.size(), *end = name.data() + name.size() - kSuffix.size();
  uint64_t step = 0;
  const auto [at, error] = std::from_chars(begin, end, step);
  if (begin >= end || at != end || error != std::errc()) return std::nullopt;
  return step;
}

json to_json(const std::vector<LossScaleEvent>& events) {
  json list = json::array();
  for (const LossScaleEvent& e : events) list.push_back({e.step, e.scale, e.skipped, e.param, e.bad});
  return list;
}

/// Nothing where `list` is not what to_json writes, in the order of steps below `steps`.
std::optional<std::vector<LossScaleEvent>> events_of(const json& list, uint64_t steps) {
  if (!list.is_array()) return std::nullopt;
  std::vector<LossScaleEvent> events;
  for (const json& e : list) {
    if (!e.is_array() || e.size() != 5 || !e[0].is_number_unsigned() || !e[1].is_number() || !e[2].is_boolean() ||
        !e[3].is_string() || !e[4].is_number_integer())
      return std::nullopt;
    events.push_back(
        {e[0].get<uint64_t>(), e[1].get<double>(), e[2].get<bool>(), e[3].get<std::string>(), e[4].get<int64_t>()});
    const LossScaleEvent& last = events.back();
    const bool in_order = events.size() < 2 || events[events.size() - 2].step < last.step;
    if (!in_order || last.step >= steps || !(last.scale > 0)) return std::nullopt;
  }
  return events;
}

json to_json(const std::vector<RunHistory::Metrics>& metrics) {
  json list = json::array();
  for (const RunHistory::Metrics& m : metrics)
    list.push_back({m.step, m.values, name(m.split), m.loss ? json(*m.loss) : json()});
  return list;
}

/// Nothing where `list` is not what to_json writes, in the order of steps up to `steps`.
std::optional<std::vector<RunHistory::Metrics>> metrics_of(const json& list, uint64_t steps) {
  if (!list.is_array()) return std::nullopt;
  std::vector<RunHistory::Metrics> metrics;
  for (const json& m : list) {
    // The last two are missing in files of older versions.
    if (!m.is_array() || (m.size() != 2 && m.size() != 4) || !m[0].is_number_unsigned() || !m[1].is_object())
      return std::nullopt;
    RunHistory::Metrics read;
    read.step = m[0].get<uint64_t>();
    if (m.size() == 4) {
      if (m[2] == name(Split::validation)) read.split = Split::validation;
      if (m[3].is_number()) read.loss = m[3].get<double>();
    }
    for (const auto& [id, value] : m[1].items()) {
      if (!value.is_number()) return std::nullopt;
      read.values[id] = value.get<double>();
    }
    if (read.step > steps || (!metrics.empty() && metrics.back().step > read.step)) return std::nullopt;
    metrics.push_back(std::move(read));
  }
  return metrics;
}

/// Nothing where it is no object of whole numbers up to `steps`.
std::optional<std::map<std::string, uint64_t>> begun_of(const json& object, uint64_t steps) {
  if (!object.is_object()) return std::nullopt;
  std::map<std::string, uint64_t> begun;
  for (const auto& [param, updates] : object.items()) {
    if (!updates.is_number_unsigned() || updates.get<uint64_t>() > steps) return std::nullopt;
    begun[param] = updates.get<uint64_t>();
  }
  return begun;
}

Tensor one_a_step(const std::vector<float>& values) {
  return Tensor::from_f32(DType::f32, {static_cast<int64_t>(values.size())}, values);
}

/// Takes a tensor of one f32 a step out of `tensors`. Nothing: it is not there, or not such a one.
std::optional<std::vector<float>> take_steps(std::map<std::string, Tensor>& tensors, const char* name, uint64_t steps) {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.dtype() != DType::f32 ||
      found->second.dims() != Dims{static_cast<int64_t>(steps)})
    return std::nullopt;
  const float* values = found->second.as<float>();
  std::vector<float> taken(values, values + steps);
  tensors.erase(found);
  return taken;
}

/// "mlp.w: 4 of 16 are Inf or NaN" of the first state that is not finite, or "".
std::string first_unsound(const std::map<std::string, Tensor>& states) {
  for (const auto& [name, state] : states) {
    const Magnitudes m = magnitudes_of(state);
    if (!m.finite())
      return name + ": " + std::to_string(m.infs + m.nans) + " of " + std::to_string(state.size()) + " are Inf or NaN";
  }
  return {};
}

/// Numbers of the run, by name.
class Run {
 public:
  Run(const json& object, const std::string& file) : object_(object), file_(file) {}
  Result<uint64_t> count(const char* key) const {
    const auto it = object_.find(key);
    if (it == object_.end() || !it->is_number_unsigned()) return bad(key, "expected a whole number from 0.");
    return it->get<uint64_t>();
  }
  Result<double> real(const char* key) const {
    const auto it = object_.find(key);
    if (it == object_.end() || !it->is_number()) return bad(key, "expected a number.");
    return it->get<double>();
  }
  Result<std::string> text(const char* key) const {
    const auto it = object_.find(key);
    if (it == object_.end() || !it->is_string()) return bad(key, "expected text.");
    return it->get<std::string>();
  }
  Error bad(const std::string& key, const std::string& reason) const {
    return {codes::file_syntax, file_ + ": " + key, reason, "Resume from another checkpoint."};
  }

 private:
  const json& object_;
  const std::string& file_;
};

/// Takes the best weights out of `tensors`.
Result<Best> best_of(const json& object, uint64_t steps, std::map<std::string, Tensor>& tensors, const Run& run) {
  const auto whole = [&](const char* key) { return object.contains(key) && object[key].is_number_unsigned(); };
  if (!object.is_object() || !whole("step") || !whole("measured") || !object.contains("loss") ||
      !object["loss"].is_number() || object["step"].get<uint64_t>() > steps)
    return run.bad("best", "expected {loss, step, measured}, of a step before.");
  std::map<std::string, Tensor> weights;
  for (auto it = tensors.lower_bound(kBest); it != tensors.end() && it->first.starts_with(kBest);) {
    weights.emplace(it->first.substr(sizeof kBest - 1), it->second);
    it = tensors.erase(it);
  }
  return Best{object["loss"].get<double>(), object["step"].get<uint64_t>(), object["measured"].get<uint64_t>(),
              std::make_shared<const std::map<std::string, Tensor>>(std::move(weights))};
}

Error no_checkpoint(const std::string& file, const std::string& reason) {
  return {codes::file_syntax, file, reason, "Name a file that train --checkpoint-every wrote."};
}

}  // namespace

Status save_checkpoint(const Checkpoint& c, const fs::path& file) {
  WeightsFile out;
  out.tensors = c.states;
  out.tensors[kLosses] = one_a_step(c.losses);
  if (c.history.learning_rates.size() == c.step) out.tensors[kRates] = one_a_step(c.history.learning_rates);
  if (c.history.seconds.size() == c.step) out.tensors[kSeconds] = one_a_step(c.history.seconds);
  json run{{"step", c.step},   {"steps", c.steps},     {"seed", c.seed},
           {"every", c.every}, {"seconds", c.seconds}, {"device", c.device}};
  if (!c.begun.empty()) run["begun"] = c.begun;
  if (!c.loss_scales.empty()) run["loss_scales"] = to_json(c.loss_scales);
  if (!c.history.metrics.empty()) run["metrics"] = to_json(c.history.metrics);
  if (c.best) {
    run["best"] = {{"loss", c.best->loss}, {"step", c.best->step}, {"measured", c.best->measured}};
    for (const auto& [name, tensor] : *c.best->weights) out.tensors[kBest + name] = tensor;
  }
  out.metadata = {{"format", kFormat}, {kSound, first_unsound(c.states).empty() ? "true" : "false"},
                  {kChecksum, ""},     {"version", std::to_string(kCheckpointVersion)},
                  {"run", run.dump()}, {"graph", write_graph(c.graph)}};
  if (!c.of_weights.empty()) out.metadata[kOfWeights] = c.of_weights;
  return save_weights(out, file);
}

Result<Checkpoint> read_checkpoint(const fs::path& path) {
  const std::string file = path.string();
  HW_TRY(WeightsFile in, read_weights(path));
  const auto meta = [&](const char* key) {
    const auto it = in.metadata.find(key);
    return it == in.metadata.end() ? std::string() : it->second;
  };
  if (meta("format") != kFormat)
    return Error{
        codes::file_syntax, file, "this file holds no checkpoint of Halfwire.",
        "Name a file that train --checkpoint-every wrote (on the command line: or begin anew from its weights, "
        "by --weights)."};
  const std::string version = meta("version");
  int number = 0;
  const auto [at, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || at != version.data() + version.size() || number < 1)
    return no_checkpoint(file, "its version is not a number.");
  if (number > kCheckpointVersion) {
    return Error{codes::file_future, file,
                 "the checkpoint has format version " + version + "; this version of Halfwire reads up to " +
                     std::to_string(kCheckpointVersion) + ".",
                 "Resume with a newer Halfwire."};
  }
  HW_TRY(const json object, parse_json(meta("run"), file + ": run"));
  const Run run(object, file);
  if (!object.is_object()) return run.bad("run", "expected an object.");
  Checkpoint c;
  HW_TRY(c.step, run.count("step"));
  HW_TRY(c.steps, run.count("steps"));
  HW_TRY(c.seed, run.count("seed"));
  HW_TRY(c.every, run.count("every"));
  HW_TRY(c.seconds, run.real("seconds"));
  HW_TRY(c.device, run.text("device"));
  c.device = canonical_device_id(c.device);
  if (const auto begun = object.find("begun"); begun != object.end()) {
    auto read = begun_of(*begun, c.step);
    if (!read) return run.bad("begun", "expected {parameter: updates}.");
    c.begun = std::move(*read);
  }
  if (const auto scales = object.find("loss_scales"); scales != object.end()) {
    auto events = events_of(*scales, c.step);
    if (!events) return run.bad("loss_scales", "expected [step, scale, skipped, parameter, count] in order.");
    c.loss_scales = std::move(*events);
  }
  c.of_weights = meta(kOfWeights);
  HW_TRY(c.graph, parse_graph(meta("graph"), file + ": graph", NodeIds::paths));
  if (const auto metrics = object.find("metrics"); metrics != object.end()) {
    auto read = metrics_of(*metrics, c.step);
    if (!read) return run.bad("metrics", "expected [step, {node: number}, split, loss] in order.");
    c.history.metrics = std::move(*read);
  }
  auto losses = take_steps(in.tensors, kLosses, c.step);
  if (!losses) return run.bad(kLosses, "expected one f32 for each of " + std::to_string(c.step) + " steps.");
  c.losses = std::move(*losses);
  for (const auto& [name, to] :
       {std::pair(kRates, &c.history.learning_rates), std::pair(kSeconds, &c.history.seconds)}) {
    if (!in.tensors.contains(name)) continue;
    auto values = take_steps(in.tensors, name, c.step);
    if (!values) return run.bad(name, "expected one f32 for each of " + std::to_string(c.step) + " steps.");
    *to = std::move(*values);
  }
  if (const auto best = object.find("best"); best != object.end()) {
    HW_TRY(c.best, best_of(*best, c.step, in.tensors, run));
  }
  c.states = std::move(in.tensors);
  c.unsound = first_unsound(c.states);
  return c;
}

bool is_sound(const fs::path& file) {
  const auto metadata = read_metadata(file);
  if (!metadata) return false;
  if (const auto sound = metadata->find(kSound); sound != metadata->end()) return sound->second == "true";
  const auto read = read_checkpoint(file);
  return read && read->unsound.empty();
}

fs::path optimiser_file(const fs::path& weights) {
  return weights.parent_path() / (weights.stem().string() + ".optimiser.safetensors");
}

bool has_optimiser(const std::filesystem::path& weights) {
  const auto of_weights = read_metadata(weights), of_states = read_metadata(optimiser_file(weights));
  if (!of_weights || !of_states) return false;
  const auto checksum = of_weights->find(kChecksum), named = of_states->find(kOfWeights);
  return checksum != of_weights->end() && named != of_states->end() && checksum->second == named->second;
}

std::string checkpoint_name(uint64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < 9) digits.insert(0, 9 - digits.size(), '0');
  return std::string(kPrefix) + digits + std::string(kSuffix);
}

Result<std::vector<CheckpointPlace>> list_checkpoints(const fs::path& folder) {
  std::vector<CheckpointPlace> found;
  std::error_code ec;
  for (fs::path& file : entries_of(folder, ec)) {
    if (const auto step = step_of(file.filename().string())) found.push_back({*step, std::move(file)});
  }
  if (ec)
    return Error{codes::file_unreadable, folder.string(), ec.message() + ".", "Check the folder and its permissions."};
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return found;
}

std::vector<CheckpointPlace> find_checkpoints(const fs::path& folder) {
  auto found = list_checkpoints(folder);
  return found ? *std::move(found) : std::vector<CheckpointPlace>();
}

Result<fs::path> newest_checkpoint(const fs::path& place) {
  std::error_code ec;
  if (!fs::is_directory(place, ec)) return place;
  HW_TRY(const auto found, list_checkpoints(place));
  if (!found.empty()) return found.back().file;
  return Error{codes::file_unreadable, place.string(), "there is no checkpoint in this folder.",
               "Name a folder that train --checkpoint-every wrote to."};
}

}  // namespace hw

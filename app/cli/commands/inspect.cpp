// inspect: the tensors, gradients and parameters of one node at a step, all as its passes had them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_with_progress.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/inspection_report.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "app/workspace/assets.h"
#include "app/workspace/input_files.h"
#include "engine/graph/near_nodes.h"
#include "engine/io/tensor/npy.h"
#include "engine/plan/pass_plan.h"
#include "engine/plan/train_settings.h"
#include "engine/train/training_run.h"

namespace hw::cli::inspect_command {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::vector<std::string> nodes, inputs;
  std::string device = "cpu", npy;
  WeightsChoice weights;
  uint64_t steps = 1;
  int64_t seed = -1;
  bool grad = false, json = false;
};

/// What is trained, or only looked at where nothing learns, and what it is given.
struct Subject {
  TrainableGraph trainable;
  bool learns = true;
  std::shared_ptr<const Weights> weights;
  GivenValues given;
  std::vector<fs::path> read;  // files that nothing is written over
};

/// All tensors of an inspection, as .npy files, by NODE.NAME and NODE.NAME.grad. Nothing where none are asked for.
Result<std::map<std::string, std::string>> save(const Options& o, const Subject& subject,
                                                const NodeInspection& inspection) {
  std::map<std::string, std::string> files;
  const auto save_one = [&](const std::string& name, const Tensor& tensor) -> Status {
    if (tensor.empty()) return ok();
    const fs::path file = (fs::path(o.npy) / (name + ".npy")).lexically_normal();  // in groups: GROUP/NODE.NAME.npy
    files[name] = file.string();
    std::error_code ec;
    fs::create_directories(file.parent_path(), ec);
    if (ec)
      return Error{codes::file_unwritable, file.parent_path().string(), ec.message() + ".", "Name another folder."};
    HW_CHECK(refuse_overwrite(files[name], subject.read));
    return save_npy(tensor, files[name]);
  };
  if (o.npy.empty()) return files;
  for (const NodeInspection::Item& item : inspection.items) {
    const std::string full = inspection.node + "." + item.name;
    HW_CHECK(save_one(full, item.value));
    if (o.grad) HW_CHECK(save_one(full + ".grad", item.gradient));
  }
  return files;
}

Error nothing_runs(const std::string& node) {
  return {codes::unsupported, node, "nothing of this node runs when the graph is trained.",
          "Inspect a node that the loss depends on."};
}

/// Prints what was found, or adds it to `all`.
Status show(const Options& o, const Subject& subject, const NodeInspection& inspection, std::optional<uint64_t> seed,
            ordered_json& all) {
  if (std::ranges::any_of(subject.given, [&](const auto& given) { return given.first.node == inspection.node; }))
    seed.reset();
  HW_TRY(auto files, save(o, subject, inspection));
  const InspectionReport found{inspection, subject.trainable.graph, seed, o.grad, std::move(files)};
  if (o.json)
    all.push_back(to_json(found));
  else
    print(found);
  return ok();
}

/// Trains up to the step, or to the first whose loss or update is not finite; prints the node, or adds it to `all`. The
/// exit code: of a step that is not finite that of its error, which is printed.
Result<int> inspect_node(const Options& o, const Subject& subject, const std::string& node, ordered_json& all) {
  const TrainableGraph& loaded = subject.trainable;
  TrainingRequest request;
  request.graph = loaded.graph;
  request.assets = loaded.assets;
  request.device = o.device;
  request.steps = o.steps;
  request.given = subject.given;
  request.inspect = node;
  request.weights = subject.weights;
  const TrainingResult result = train_to_end(std::move(request));
  const auto& inspection = result.last->inspection;
  const bool failed = result.last->error.has_value();
  // A step that is not finite has an inspection, other failures have none.
  if (failed && (result.last->error->code != codes::not_finite || !inspection || inspection->node != node))
    return *result.last->error;
  if (!inspection || inspection->items.empty()) return nothing_runs(node);
  HW_CHECK(show(o, subject, *inspection, train_settings(*loaded.graph.find(loaded.trainer)).seed, all));
  return failed ? report(*result.last->error) : exit_of(result);
}

/// Where nothing learns: the step, or the pass, alone. As inspect_node.
Result<int> look_at_node(const Options& o, const Subject& subject, const std::string& node, ordered_json& all) {
  const StopOnSignal stop;
  const TrainableGraph& loaded = subject.trainable;
  HW_TRY(const std::shared_ptr<Device> device, choose_device(o.device));
  const auto seed = o.seed >= 0 ? std::optional(static_cast<uint64_t>(o.seed)) : std::nullopt;
  HW_TRY(const auto run,
         TrainingRun::make_looking(loaded.graph, device, *loaded.assets, subject.weights.get(), subject.given, seed));
  HW_CHECK(run->inspect(node));
  const uint64_t step = o.steps - 1;  // nothing is learnt before it
  const auto done = run->step(step, o.steps, &StopOnSignal::asked());
  if (!done && done.error().code != codes::not_finite) return done.error();
  HW_TRY(const auto inspection, run->read_inspection(step));
  if (!inspection || inspection->items.empty()) return nothing_runs(node);
  HW_CHECK(show(o, subject, *inspection, run->plan().settings.seed, all));
  return done ? static_cast<int>(kDone) : report(done.error());
}

Result<Subject> load_subject(const Options& o) {
  Subject subject;
  HW_TRY(OpenGraph loaded, noted(open_graph, o));
  subject.read = input_files(loaded, o.weights.file);
  HW_TRY(std::vector<GivenInput> given, noted(read_given, loaded.graph, o.inputs, o.option_names.input));
  for (const GivenInput& input : given) subject.read.emplace_back(input.file);
  fit_inputs(loaded.graph, given);
  for (const std::string& node : o.nodes)
    if (loaded.graph.find(node)) HW_CHECK(check_values(loaded.graph, node, o.option_names.input));
  const auto trainer = find_trainer(loaded.graph);
  if (trainer) HW_CHECK(noted(prepare_training, loaded, *trainer, TrainableOptions{.seed = o.seed}));
  HW_TRY(subject.given, noted(as_wires, loaded.graph, given));
  HW_TRY(subject.learns, anything_learns(loaded.graph, *loaded.assets, subject.given));
  if (subject.learns) {
    HW_TRY(subject.trainable, noted(as_trainable, std::move(loaded),
                                    TrainableOptions{.device = o.device, .seed = o.seed, .checks = true}));
  } else {
    subject.trainable = {std::move(loaded), trainer ? *trainer : "", false};
  }
  const TrainableGraph& trainable = subject.trainable;
  for (const std::string& node : o.nodes)
    if (!trainable.graph.find(node)) return no_such_node(trainable.graph, "--node " + node, node);
  noted(note_file_warnings, trainable, std::vector<std::string>());
  HW_TRY(subject.weights, noted(load_weights_beside, trainable, o.weights));
  return subject;
}

int inspect(const Options& o) {
  const auto subject = load_subject(o);
  if (!subject) return report(subject.error());
  if (!o.npy.empty()) {
    std::error_code ec;
    fs::create_directories(o.npy, ec);
    if (ec) return report(Error{codes::file_unwritable, o.npy, ec.message() + ".", "Name another folder."});
  }
  ordered_json all = ordered_json::array();
  int exit = kDone;
  for (const std::string& node : o.nodes) {
    const auto ended = subject->learns ? inspect_node(o, *subject, node, all) : look_at_node(o, *subject, node, all);
    if (!ended) return report(ended.error());
    exit = *ended;
    if (StopOnSignal::signal() != 0) break;  // this node is the last
  }
  if (o.json) print_json({{"graph", o.graph}, {"device", o.device}, {"nodes", all}});
  return exit;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("inspect", "Look at a node's tensors and gradients at a step, before its update");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("--node", o->nodes, "Its id; may be repeated: each is a run of its own, the same bits")
      ->required()
      ->allow_extra_args(false);
  add_inputs(*command, o->inputs);
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command
      ->add_option(
          "--steps", o->steps,
          "The step to look at, from 1; those before it are trained. Where the loss or an update becomes Inf or NaN "
          "before it, that step is shown")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_flag("--grad", o->grad, "Gradients too");
  command->add_option("--npy", o->npy, "Folder to write NODE.NAME.npy and NODE.NAME.grad.npy to");
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_device(*command, o->device);
  add_json(*command, o->json, "Kernels and statistics of tensors as JSON on stdout");
  command->callback([o, &chosen] { chosen = [o] { return inspect(*o); }; });
}

}  // namespace hw::cli::inspect_command

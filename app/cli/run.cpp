// run: evaluates wires of a graph, with inputs from and outputs to .npy files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/evaluation.h"
#include "app/cli/input_files.h"
#include "app/cli/report.h"
#include "app/cli/tensor_text.h"
#include "app/cli/weights_choice.h"
#include "engine/io/npy.h"

namespace hw::cli {
namespace {

struct Options : GraphOptions {
  std::string device = "cpu";
  WeightsChoice weights;
  uint64_t seed = 0;
  std::vector<std::string> inputs, outputs, passes_off;
};

/// "name=file"; the file may be missing when it need not be given.
Status split(const std::string& text, const std::string& option, bool needs_file, std::string& name,
             std::string& file) {
  const size_t equals = text.find('=');
  name = text.substr(0, equals);
  file = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (file.empty() && (needs_file || equals != std::string::npos)) {
    return Error{codes::bad_usage, option + " " + text, "expected NODE.SOCKET=FILE.npy.", "For example: cast.y=x.npy"};
  }
  return ok();
}

/// The given array in the wire's dtype. NumPy has no bf16 and f8: those are converted from f32, and it is said.
Result<Tensor> as_wire(Tensor tensor, const std::optional<WireType>& wire, const std::string& name_of_wire) {
  if (!wire) return tensor;
  if (wire->kind != Kind::tensor)
    return Error{codes::kind_mismatch, name_of_wire,
                 "this wire carries a " + std::string(name(wire->kind)) + ", not a tensor.", "Name a tensor."};
  // Rows are free, so that a pipeline can be asked about any number of them; every other axis is the wire's.
  const Shape& shape = wire->shape;
  bool fits = tensor.dims().size() == shape.rank();
  for (size_t i = 0; fits && i < shape.rank(); ++i) {
    fits = !shape[i].known() || shape[i].size == tensor.dims()[i] || (i == 0 && shape[i].name == "N");
  }
  if (!fits) {
    return Error{codes::size_mismatch, name_of_wire,
                 "the wire carries " + to_string(shape) + ", the array is " + to_string(tensor.dims()) + ".",
                 "Save the array with the wire's axes; only the number of rows N is free."};
  }
  if (tensor.dtype() == wire->dtype) return tensor;
  const bool no_numpy = wire->dtype == DType::bf16 || wire->dtype == DType::f8e4m3 || wire->dtype == DType::f8e5m2;
  if (no_numpy && tensor.dtype() == DType::f32) {
    std::fprintf(stderr, "note: %s: f32 converted to %s\n", name_of_wire.c_str(),
                 std::string(name(wire->dtype)).c_str());
    return tensor.to(wire->dtype);
  }
  return Error{codes::dtype_mismatch, name_of_wire,
               "the wire carries " + std::string(name(wire->dtype)) + ", the array is " +
                   std::string(name(tensor.dtype())) + ".",
               "Save the array with the wire's dtype."};
}

/// What an --input says.
struct Given {
  SocketRef socket;
  std::string name, file;
};

Status read_inputs(const std::vector<Given>& given, const Validator& validator, Evaluation& how) {
  for (const auto& [socket, name, file] : given) {
    HW_TRY(Tensor tensor, read_npy(file));
    HW_TRY(how.inputs[socket], as_wire(std::move(tensor), validator.output_type(socket.node, socket.socket), name));
  }
  return ok();
}

int run(const Options& o) {
  const PassesOff passes_off(o.passes_off.begin(), o.passes_off.end());
  if (const Status s = check_passes(passes_off); !s) return report(s.error());
  const auto loaded = load_graph(o);
  if (!loaded) return report(loaded.error());
  const Graph& graph = loaded->graph;
  auto read = input_files(*loaded, o.weights.file);
  std::vector<Given> given;
  for (const std::string& text : o.inputs) {
    std::string name, file;
    if (const Status s = split(text, "--input", true, name, file); !s) return report(s.error());
    const auto socket = find_output(graph, name, "--input");
    if (!socket) return report(socket.error());
    if (std::ranges::find(given, *socket, &Given::socket) != given.end())
      return report(Error{codes::bad_usage, "--input " + text, "this socket's values are given twice.",
                          "Give one file to each."});
    given.push_back({*socket, name, file});
    read.emplace_back(file);
  }
  std::vector<SocketRef> wanted;
  std::vector<std::string> files;
  std::error_code ignored;
  for (const std::string& text : o.outputs) {
    std::string name, file;
    if (const Status s = split(text, "--output", false, name, file); !s) return report(s.error());
    const auto socket = find_output(graph, name, "--output");
    if (!socket) return report(socket.error());
    if (report_blocking(graph, socket->node)) return kGraphErrors;
    if (const Status s = refuse_overwrite(file, read); !s) return report(s.error());
    const auto is_same = [&](const std::string& other) {  // under any name
      return std::filesystem::weakly_canonical(other, ignored) == std::filesystem::weakly_canonical(file, ignored);
    };
    if (!file.empty() && std::ranges::any_of(files, is_same))
      return report(Error{codes::bad_usage, "--output " + text, "another --output is written to this file.",
                          "Choose another name."});
    wanted.push_back(*socket);
    files.push_back(file);
  }
  Validator validator;
  validator.reset(graph);
  Evaluation how{o.device, o.seed, nullptr, {}, false, passes_off};
  if (const Status s = read_inputs(given, validator, how); !s) return report(s.error());
  const auto weights = load_weights_beside(*loaded, o.weights);
  if (!weights) return report(weights.error());
  if (!*weights) std::fprintf(stderr, "note: no weights are given; the values are the untrained network's\n");
  how.weights = *weights;
  how.partial_weights = o.weights.partial;
  const auto values = evaluate(graph, *loaded->assets, wanted, how);
  if (!values) return report(values.error());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor& value = (*values)[i];
    std::printf("%s.%s\n%s", wanted[i].node.c_str(), wanted[i].socket.c_str(), describe(value, "  ").c_str());
    if (files[i].empty()) continue;
    if (const Status saved = save_npy(value, files[i]); !saved) return report(saved.error());
    std::printf("  %s\n", files[i].c_str());
  }
  return kDone;
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("run", "Evaluate wires of a graph once (dropout off)");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("--input", o->inputs, "NODE.SOCKET=FILE.npy: the value of this wire")->allow_extra_args(false);
  command->add_option("--output", o->outputs, "NODE.SOCKET[=FILE.npy]: a wire to compute; may be repeated")
      ->required()
      ->allow_extra_args(false);
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_device(*command, o->device);
  std::string passes;
  for (const ProgramPass& pass : program_passes())
    passes += "\n" + std::string(pass.name) + ": " + std::string(pass.summary);
  command
      ->add_option("--no-pass", o->passes_off, "Leave out a pass that rewrites the program; may be repeated:" + passes)
      ->allow_extra_args(false);
  command->add_option("--seed", o->seed, "Of samples and initial weights")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 53))
      ->capture_default_str();
  add_pins(*command, o->pins);
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace hw::cli

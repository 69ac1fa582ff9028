// generate: text that a language model writes, token by token.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/evaluate.h"
#include "engine/core/philox.h"
#include "engine/io/file/json_text.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::cli::generate_command {
namespace {

constexpr uint32_t kStream = 0x67656e65;  // of the draws, beside those of nodes

struct Options : GraphRequest {
  std::string device = "cpu", logits;
  std::optional<std::string> prompt;
  WeightsChoice weights;
  int64_t length = 500, top_k = 0;
  double temperature = 0.8;
  uint64_t seed = 0;
  bool json = false;
};

/// The model: what it reads, what it says, and which tokens there are.
struct Model {
  SocketRef tokens, logits;
  std::shared_ptr<const Dataset> data;
  int64_t context() const { return data->sample.front() - 1; }
};

Error wanted_one(const std::string& graph, const std::string& what, size_t count, const std::string& remedy) {
  return {codes::bad_usage, graph,
          "it has " + (count == 0 ? "no" : std::to_string(count)) + " " + what + "; one is wanted.", remedy};
}

std::vector<std::string> nodes_of_type(const Graph& graph, std::string_view type) {
  std::vector<std::string> ids;
  for (const auto& [id, node] : graph.nodes())
    if (node.type == type) ids.push_back(id);
  return ids;
}

Result<Model> find_model(OpenGraph& loaded, const Options& o) {
  Graph& graph = loaded.graph;
  const std::vector<std::string> batches = nodes_of_type(graph, "token_batch");
  if (batches.size() != 1) return wanted_one(o.graph, "Token Batch", batches.size(), "Name a language model.");
  HW_CHECK(apply_edits(graph, {SetParam{batches.front(), "batch_size", int64_t{1}}}));
  Model model;
  model.tokens = {batches.front(), "tokens"};
  std::string logits = o.logits;
  if (logits.empty()) {
    const std::vector<std::string> losses = nodes_of_type(graph, "cross_entropy");
    if (losses.size() != 1)
      return wanted_one(o.graph, "Cross Entropy", losses.size(),
                        "Name the output of the scores: --logits NODE.SOCKET.");
    logits = losses.front() + ".logits";
  }
  HW_TRY(model.logits, find_output(graph, logits, "--logits"));
  if (report_blocking(graph, loaded.document, model.logits.node)) return kPrintedAlready;
  HW_TRY(const SocketRef data, find_output(graph, batches.front() + ".data", batches.front()));
  HW_TRY(const LoweredGraph lowered, lower(graph, std::span(&data, 1), {}, *loaded.assets));
  model.data = std::get<std::shared_ptr<const Dataset>>(lowered.sockets.at(data));
  return model;
}

/// The tokens of a text: at each place the one with the longest name that fits.
Result<std::vector<int64_t>> tokens_of(std::string_view text, const std::vector<std::string>& names) {
  std::vector<int64_t> tokens;
  for (size_t at = 0; at < text.size();) {
    int64_t found = -1;
    for (size_t i = 0; i < names.size(); ++i) {
      const bool longer = found < 0 || names[i].size() > names[static_cast<size_t>(found)].size();
      if (!names[i].empty() && text.substr(at).starts_with(names[i]) && longer) found = static_cast<int64_t>(i);
    }
    if (found < 0) {
      size_t end = at + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
      return Error{codes::bad_usage, "--prompt",
                   "the text of the data set has no \"" + std::string(text.substr(at, end - at)) + "\".",
                   "Use characters that it has."};
    }
    tokens.push_back(found);
    at += names[static_cast<size_t>(found)].size();
  }
  if (tokens.empty()) return Error{codes::bad_usage, "--prompt", "it is empty.", "Give it one character or more."};
  return tokens;
}

/// Draws from softmax(scores / temperature), of the `top_k` largest where that is above 0; temperature 0: the largest.
int64_t draw(std::span<const double> scores, const Options& o, uint64_t index) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  if (o.temperature == 0) return static_cast<int64_t>(order.front());
  if (o.top_k > 0) order.resize(std::min(order.size(), static_cast<size_t>(o.top_k)));
  std::vector<double> shares;
  double sum = 0;
  for (const size_t i : order)
    sum += shares.emplace_back(std::exp((scores[i] - scores[order.front()]) / o.temperature));
  double left = static_cast<double>(uniform01(philox_block(o.seed, kStream, 0, index)[0])) * sum;
  for (size_t i = 0; i < order.size(); ++i) {
    left -= shares[i];
    if (left < 0) return static_cast<int64_t>(order[i]);
  }
  return static_cast<int64_t>(order.front());
}

/// Error HW-F005: the weights were trained on a text of other characters, so that their numbers mean others. Weights
/// that say nothing pass.
Status check_alphabet(const OpenGraph& loaded, const WeightsChoice& choice, const std::vector<std::string>& names) {
  HW_TRY(const std::string file, weights_beside(loaded, choice.file));
  if (file.empty()) return ok();
  HW_TRY(const auto metadata, read_metadata(file));
  const auto found = metadata.find(kClassNames);
  if (found == metadata.end()) return ok();
  HW_TRY(const nlohmann::json learnt, parse_json(found->second, file + ": " + kClassNames));
  if (learnt == nlohmann::json(names)) return ok();
  return Error{codes::weights_mismatch, file,
               "the weights were trained on a text of " + std::to_string(learnt.size()) +
                   " characters, others than the " + std::to_string(names.size()) +
                   " of this one: what it writes would be scrambled.",
               "Name the text that they were trained on, with --set DATASET.path=FOLDER, or train anew."};
}

/// The characters of some tokens.
std::string text_of(std::span<const int64_t> tokens, const std::vector<std::string>& names) {
  std::string text;
  for (const int64_t token : tokens) text += names[static_cast<size_t>(token)];
  return text;
}

/// As they come, unless all is said at the end.
void print(const Options& o, std::span<const int64_t> tokens, const std::vector<std::string>& names) {
  if (o.json) return;
  std::fputs(text_of(tokens, names).c_str(), stdout);
  std::fflush(stdout);
}

/// The tokens in view, then zeros, which a causal model does not see.
Tensor window(const std::vector<int64_t>& tokens, int64_t context) {
  Tensor view = Tensor::zeros(DType::i64, {1, context});
  const size_t first = tokens.size() - std::min(tokens.size(), static_cast<size_t>(context));
  std::copy(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end(), view.as<int64_t>());
  return view;
}

Status write(const Options& o, OpenGraph& loaded) {
  HW_TRY(const Model model, find_model(loaded, o));
  const std::vector<std::string>& names = model.data->class_names;
  if (names.empty())
    return Error{codes::asset_lacks, "", "the data set is no text: its tokens have no characters.",
                 "Use a text (.txt)."};
  const bool has_lines = std::ranges::count(names, "\n") > 0;
  HW_TRY(std::vector<int64_t> tokens, tokens_of(o.prompt.value_or(has_lines ? "\n" : names.front()), names));
  HW_CHECK(check_alphabet(loaded, o.weights, names));
  EvaluationRequest request{.graph = loaded.graph, .assets = loaded.assets, .wires = {model.logits}};
  request.device = o.device;
  request.option_names = o.option_names;
  HW_TRY(request.weights, noted(load_weights_or_initial, loaded, o.weights, "the network that writes is untrained"));
  request.partial_weights = o.weights.partial;
  request.given[model.tokens] = window(tokens, model.context());
  HW_TRY(Evaluation evaluation, noted(prepare_evaluation, request));
  const size_t given = tokens.size();
  print(o, tokens, names);
  for (int64_t i = 0; i < o.length; ++i) {
    HW_CHECK(evaluation.give({{model.tokens, window(tokens, model.context())}}));
    HW_CHECK(evaluation.run());
    HW_TRY(const Tensor logits, evaluation.read(0));
    const int64_t classes = logits.dims().empty() ? 0 : logits.dims().back();
    if (classes < static_cast<int64_t>(names.size()) || logits.size() != classes * model.context())
      return Error{codes::size_mismatch, "--logits",
                   "the scores are " + to_string(logits.dims()) + "; wanted are " + std::to_string(names.size()) +
                       " or more for each of " + std::to_string(model.context()) + " places, in the last axis.",
                   "Name another output."};
    const std::vector<double> all = logits.to_f64();
    const auto place = std::min<int64_t>(static_cast<int64_t>(tokens.size()), model.context()) - 1;
    tokens.push_back(
        draw(std::span(all).subspan(static_cast<size_t>(place * classes), names.size()), o, static_cast<uint64_t>(i)));
    print(o, std::span(tokens).last(1), names);
  }
  if (!o.json) {
    std::printf("\n");
    return ok();
  }
  const std::span all(tokens);
  print_json({{"graph", o.graph},
              {"device", o.device},
              {"seed", o.seed},
              {"temperature", o.temperature},
              {"top_k", o.top_k},
              {"prompt", text_of(all.first(given), names)},
              {"text", text_of(all.subspan(given), names)},
              {"tokens", std::vector<int64_t>(tokens.begin() + static_cast<std::ptrdiff_t>(given), tokens.end())}});
  return ok();
}

int generate(const Options& o) {
  auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  const Status written = write(o, *loaded);
  return written ? kDone : report(written.error());
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("generate", "Write text with a language model: a graph with a Token Batch");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  add_weights(*command, o->weights, kWeightsBesideHelp);
  command->add_option("--prompt", o->prompt, "What it goes on from; default: a new line, where the text has one");
  command->add_option("--length", o->length, "Characters to write")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--temperature", o->temperature, "Below 1 likelier, above 1 more varied; 0: always the likeliest")
      ->capture_default_str()
      ->check([](const std::string& typed) {
        const double value = std::strtod(typed.c_str(), nullptr);
        return value >= 0 && value <= 100 ? std::string() : "wanted is a number from 0 to 100";
      });
  command->add_option("--top-k", o->top_k, "Draw from so many of the likeliest; 0: from all")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000));
  command->add_option("--seed", o->seed, "Of the draws")->capture_default_str();
  command->add_option("--logits", o->logits, "NODE.SOCKET of the scores; default: what is wired to the Cross Entropy");
  add_device(*command, o->device);
  add_json(*command, o->json, "Prompt, text and tokens as JSON on stdout, at the end");
  command->callback([o, &chosen] { chosen = [o] { return generate(*o); }; });
}

}  // namespace hw::cli::generate_command

#include "tests/fuzz/graph_trial.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "engine/gradient/grad_check.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/flatten.h"
#include "engine/node/example_assets.h"
#include "engine/plan/memory_estimate.h"
#include "engine/train/session.h"

namespace hw::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{3};  // then it is asked to stop

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMeasuresMemory = false;  // shadow memory and quarantine are not the program's
#else
constexpr bool kMeasuresMemory = true;
#endif

size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

class Running {
 public:
  Running(Graph graph, bool verbose) : graph_(std::move(graph)), verbose_(verbose) {}

  Trial run() {
    if (validate() && announce()) {
      train();
      if (!trial_.stopped) check();
    }
    return trial_;
  }

 private:
  void breaks(const std::string& what) {
    if (verbose_) std::printf("BROKEN: %s\n", what.c_str());
    if (!trial_.broken[0]) std::strncpy(trial_.broken, what.c_str(), sizeof trial_.broken - 1);
  }

  /// A refusal has a code and says why.
  void judge(const Error& error) {
    if (verbose_) std::printf("refused: %s\n", error.text().c_str());
    if (!error.code.starts_with("HW-") || error.reason.size() < 8) breaks("an error without a reason: " + error.text());
  }

  bool validate() {
    Validator validator;
    validator.set_devices([](const std::string& id) { return id == "cpu" || id == "ref"; },
                          [] {
                            return std::vector<std::string>{"cpu", "ref"};
                          });
    validator.reset(graph_);
    trial_.valid = true;
    for (const Diagnostic& d : validator.all()) {
      if (verbose_ && d.severity == Severity::error)
        std::printf("%s at %s: %s\n", d.code.c_str(), d.node.c_str(), d.reason.c_str());
      if (d.severity == Severity::error) trial_.valid = false;
      if (d.code.empty() || d.reason.size() < 8) breaks("a diagnostic without a reason at " + d.node);
    }
    // What is wrong is refused by whatever is asked to run it.
    if (!trial_.valid) {
      if (const auto subject = grad_subject(graph_, assets_); !subject) judge(subject.error());
    }
    return trial_.valid;
  }

  bool announce() {
    const auto memory = estimate_memory(graph_, assets_, "cpu");
    if (!memory) {
      judge(memory.error());
      trial_.refused = true;
      return false;
    }
    trial_.announced = memory->total() + program_;
    trial_.large = memory->total() > kLargest;
    if (verbose_) std::printf("announced: %s\n", memory_text(trial_.announced).c_str());
    return !trial_.large;
  }

  void train() {
    const Clock::time_point begin = Clock::now();
    std::shared_ptr<const RunSnapshot> last;
    {
      Session session(std::make_shared<ExampleAssets>(), nullptr);
      session.start(graph_, "cpu", 1);
      do {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        last = session.snapshot();
      } while (last->state != RunState::finished && last->state != RunState::failed &&
               Clock::now() - begin < kPatience);
    }
    trial_.resident = peak_memory();
    trial_.trained = last->state == RunState::finished;
    trial_.refused = last->state == RunState::failed;
    trial_.stopped = !trial_.trained && !trial_.refused;
    if (verbose_)
      std::printf("%s, resident %s\n", std::string(name(last->state)).c_str(), memory_text(trial_.resident).c_str());
    if (trial_.refused && !last->error) return breaks("failed without an error");
    if (trial_.refused) judge(*last->error);
    const double allowed = 1.25 * static_cast<double>(trial_.announced) + 0x1p26;
    if (kMeasuresMemory && static_cast<double>(trial_.resident) > allowed)
      breaks("announced " + memory_text(trial_.announced) + ", took " + memory_text(trial_.resident));
  }

  void check() {
    const auto subject = grad_subject(graph_, assets_);
    if (!subject) return judge(subject.error());
    std::atomic<bool> cancel = false, done = false;
    std::thread impatient([&] {
      for (const Clock::time_point begin = Clock::now(); !done;
           std::this_thread::sleep_for(std::chrono::milliseconds(2)))
        if (Clock::now() - begin > kPatience) cancel = true;
    });
    GradCheckOptions options;
    options.cancel = &cancel;
    const auto report = check_gradients(*subject, options);
    done = true;
    impatient.join();
    trial_.stopped = !report && report.error().code == codes::cancelled;
    if (!report) return judge(report.error());
    trial_.checked = true;
    trial_.wrong = !report->passed();
    for (const std::string& node : report->suspects)
      if (verbose_) std::printf("wrong gradient: %s\n", node.c_str());
  }

  const Graph graph_;
  const bool verbose_;
  const size_t program_ = resident_memory();  // before there is anything of the graph
  ExampleAssets assets_;
  Trial trial_;
};

}  // namespace

Trial try_graph(const Graph& graph, bool verbose) {
  return Running(flatten(graph), verbose).run();
}

}  // namespace hw::fuzz

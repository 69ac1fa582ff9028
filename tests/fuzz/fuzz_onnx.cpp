// fuzz_onnx: changed models of ONNX, each parsed and imported in a process of its own, some also by way of the child
// that reads them for the program. Exits with 1 where one crashed, hung, took gigabytes, or was refused without a
// reason; the seed repeats it. So it does where a model is not imported before it is changed. Without --count as many
// as HALFWIRE_FUZZ_FILES says, or kUsual.
//   fuzz_onnx [--count N] [--first SEED] [--jobs N] [--models FOLDER]   FOLDER: *.onnx in it are changed, too
//   fuzz_onnx --seed SEED [--models FOLDER] [--write FOLDER]            one file in this process, saying what happens
//   fuzz_onnx --file FILE                                               this one as it is
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "engine/core/memory.h"
#include "engine/core/parallel.h"
#include "engine/io/child/child_process.h"
#include "tests/fuzz/mutate_onnx.h"
#include "tests/fuzz/onnx_trial.h"
#include "tests/fuzz/trial_processes.h"

namespace hw::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kUsual = 200;
constexpr uint64_t kInChild = 16;                                    // one in so many is also read in the child
constexpr uint64_t kMostMemory = 1'500'000'000;                      // bytes that a file of a few megabytes may take
constexpr rlim_t kSeconds = child::kSanitizer ? 40 : 10;             // of work
constexpr std::chrono::seconds kWall{child::kSanitizer ? 240 : 60};  // the machine may be busy

struct Options {
  uint64_t count = kUsual, first = 1;
  std::optional<uint64_t> seed;
  std::string models, write, file;
  size_t jobs = std::max(1u, std::thread::hardware_concurrency());
};

struct Counts {
  uint64_t files = 0, read = 0, imported = 0, whole = 0;
  uint64_t crashed = 0, hung = 0, grown = 0, broken = 0;
  double slowest = 0;
  uint64_t largest = 0;
};

unsigned long long count(uint64_t n) {
  return n;
}

std::vector<OnnxSeed> all_seeds(const std::string& models) {
  std::vector<OnnxSeed> seeds = onnx_seeds();
  if (models.empty()) return seeds;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(models))
    if (entry.path().extension() == ".onnx" && entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    OnnxSeed seed{file.string(), {}, {}};
    if (seed.model.ParseFromIstream(&in)) seeds.push_back(std::move(seed));
  }
  return seeds;
}

/// A folder for those of the seeds; it is gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "halfwire-fuzz-XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  ~Folder() { remove(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path of(uint64_t seed) const { return path_ / std::to_string(seed); }
  static void remove(const fs::path& folder) {
    std::error_code ec;
    fs::remove_all(folder, ec);
  }

 private:
  fs::path path_;
};

const OnnxSeed& write_seed(uint64_t number, const std::vector<OnnxSeed>& seeds, const fs::path& folder) {
  Choices choices(number);
  const OnnxSeed& seed = seeds[choices.below(seeds.size())];
  fs::create_directories(folder);
  write_changed(choices, seed, folder);
  return seed;
}

void add(const Tried& tried, Counts& c) {
  const auto wrong = [&](uint64_t& counter, const std::string& what) {
    ++counter;
    std::printf("seed %llu: %s\n", count(tried.seed), what.c_str());
  };
  ++c.files;
  c.slowest = std::max(c.slowest, tried.seconds);
  c.largest = std::max(c.largest, tried.peak_bytes);
  OnnxTrial trial;
  if (tried.hung) {
    wrong(c.hung, "hung");
  } else if (!tried.well() || tried.output.size() != sizeof trial) {
    wrong(c.crashed, "crashed, " + tried.crash);
  } else {
    std::memcpy(&trial, tried.output.data(), sizeof trial);
    c.read += trial.read;
    c.imported += trial.imported;
    c.whole += trial.whole;
    if (trial.broken[0]) wrong(c.broken, trial.broken);
  }
  if (tried.peak_bytes > kMostMemory) wrong(c.grown, "took " + memory_text(tried.peak_bytes));
  if (c.files % 1000 == 0) std::printf("%llu files\n", count(c.files));
}

TrialLimits limits(const Options& o) {
  return {.jobs = o.jobs, .wall = kWall, .processor = kSeconds};
}

std::string bytes_of(const OnnxTrial& trial) {
  return {reinterpret_cast<const char*>(&trial), sizeof trial};
}

/// Whether onnx_seeds() are all imported as they are, with every operator; says which are not.
bool are_imported_unchanged(const Options& o) {
  const std::vector<OnnxSeed> seeds = onnx_seeds();
  const Folder folder;
  const auto work = [&](uint64_t number) {
    set_thread_count(1);
    fs::create_directories(folder.of(number));
    write_unchanged(seeds[number], folder.of(number));
    return bytes_of(try_onnx(folder.of(number) / "m.onnx", true, false));
  };
  bool all = true;
  try_each(0, seeds.size(), limits(o), work, [&](const Tried& tried) {
    OnnxTrial trial;
    const bool well = tried.well() && tried.output.size() == sizeof trial;
    if (well) std::memcpy(&trial, tried.output.data(), sizeof trial);
    if (trial.whole && !trial.broken[0]) return;
    all = false;
    std::printf("model \"%s\", which nothing changed, is not imported: %s\n", seeds[tried.seed].name.c_str(),
                well         ? trial.broken
                : tried.hung ? "hung"
                             : tried.crash.c_str());
  });
  return all;
}

int run_all(const Options& o) {
  const std::vector<OnnxSeed> seeds = all_seeds(o.models);
  if (!are_imported_unchanged(o)) return 1;
  const Folder folder;
  const auto work = [&](uint64_t number) {
    set_thread_count(1);
    write_seed(number, seeds, folder.of(number));
    return bytes_of(try_onnx(folder.of(number) / "m.onnx", number % kInChild == 0, false));
  };
  Counts c;
  try_each(o.first, o.count, limits(o), work, [&](const Tried& tried) {
    add(tried, c);
    Folder::remove(folder.of(tried.seed));
  });
  std::printf(
      "%llu files of %zu models from seed %llu: %llu read, %llu imported, %llu of them whole; slowest %.1f s, "
      "at most %s\n",
      count(c.files), seeds.size(), count(o.first), count(c.read), count(c.imported), count(c.whole), c.slowest,
      memory_text(c.largest).c_str());
  std::printf("%llu crashes, %llu hangs, %llu too large, %llu broken promises\n", count(c.crashed), count(c.hung),
              count(c.grown), count(c.broken));
  const bool varied = c.imported >= c.files / 8 && c.files - c.read >= c.files / 16;
  if (!varied) std::printf("the files are too much alike to test anything\n");
  return c.crashed + c.hung + c.grown + c.broken > 0 || !varied;
}

/// A file in this process, for a debugger.
int run_one(const Options& o) {
  const Folder folder;
  fs::path file = o.file;
  if (o.seed) {
    const fs::path to = o.write.empty() ? folder.of(*o.seed) : fs::path(o.write);
    const std::vector<OnnxSeed> seeds = all_seeds(o.models);
    std::printf("of \"%s\"\n", write_seed(*o.seed, seeds, to).name.c_str());
    file = to / "m.onnx";
  }
  std::fflush(stdout);
  set_thread_count(1);
  const OnnxTrial trial = try_onnx(file, true, true);
  return trial.broken[0] ? 1 : 0;
}

int usage() {
  std::fprintf(stderr,
               "usage: fuzz_onnx [--count N] [--first SEED] [--jobs N] [--models FOLDER] | --seed SEED "
               "[--models FOLDER] [--write FOLDER] | --file FILE\n"
               "N files are at least 1; without --count HALFWIRE_FUZZ_FILES says how many.\n");
  return 2;
}

/// False: the word is no number of files from 1 on.
bool set_count(const std::string& word, uint64_t& count) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  return error == std::errc() && end == word.data() + word.size() && count > 0;
}

}  // namespace
}  // namespace hw::fuzz

int main(int argc, char** argv) {
  using namespace hw::fuzz;
  Options o;
  if (const char* files = std::getenv("HALFWIRE_FUZZ_FILES"); files && !set_count(files, o.count)) return usage();
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) return usage();
    const std::string word = argv[i + 1];
    const uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") {
      if (!set_count(word, o.count)) return usage();
    } else if (option == "--first") {
      o.first = number;
    } else if (option == "--jobs") {
      o.jobs = std::max<size_t>(1, number);
    } else if (option == "--seed") {
      o.seed = number;
    } else if (option == "--models") {
      o.models = word;
    } else if (option == "--write") {
      o.write = word;
    } else if (option == "--file") {
      o.file = word;
    } else {
      return usage();
    }
  }
  return o.seed || !o.file.empty() ? run_one(o) : run_all(o);
}

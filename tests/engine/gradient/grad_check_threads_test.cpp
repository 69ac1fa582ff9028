// The gradient check on several threads: the same report, to the bit, in the same order; cancelled at once.
#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <thread>

#include "engine/compare/scoped_thread_count.h"
#include "engine/core/codes.h"
#include "engine/gradient/grad_check.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_subject.h"

namespace hw {
namespace {

/// A hash grid and an MLP with ReLU at a few points; with `fault`, what counts as the MLP's gradients is 1.1 times
/// them.
GradSubject texture(bool fault) {
  Graph graph = test::small_texture({});
  EXPECT_TRUE(apply_edits(graph, {SetParam{"surface_sampler", "points", ParamValue(int64_t{16})},
                                  SetParam{"hash_grid", "levels", ParamValue(int64_t{2})},
                                  SetParam{"hash_grid", "log2_table", ParamValue(int64_t{8})}}));
  GradSubject subject = test::subject_of(graph);
  for (GradBlock& block : subject.blocks)
    if (fault && block.node == "mlp") block.unscale *= 1.1;
  return subject;
}

/// All that a report says, but for what it is of.
std::string text(const GradReport& report) {
  std::ostringstream out;
  out << std::hexfloat << report.loss << " " << report.seed << " " << report.step << "\n";
  for (const GradResult& r : report.results) {
    out << r.block.name << to_string(r.dims) << " " << name(r.verdict) << " " << r.checks << " " << r.kinks << " "
        << r.wrong << " " << r.unclear << " " << r.largest << " " << r.worst.index << " " << r.worst.adjoint << " "
        << r.worst.difference << " " << r.worst.error << " " << r.inherited;
    for (const std::string& node : r.held) out << " " << node;
    out << "\n";
  }
  for (const std::string& node : report.suspects) out << node << "\n";
  return out.str();
}

TEST(GradCheckThreads, TheReportIsTheSameAtAnyThreadCount) {
  for (const char* device : {"ref", "cpu"}) {
    for (const bool fault : {false, true}) {
      const GradSubject subject = texture(fault);
      std::string first;
      for (const int threads : {1, 2, 4}) {
        const ScopedThreadCount scope(threads);
        GradCheckOptions options;
        options.device = device;
        const auto report = check_gradients(subject, options);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->passed(), !fault);
        if (threads == 1) first = text(*report);
        EXPECT_EQ(text(*report), first) << device << ", " << threads << " threads";
      }
    }
  }
}

TEST(GradCheckThreads, ProgressComesInOrder) {
  const GradSubject subject = texture(false);
  for (const int threads : {1, 2, 4}) {
    const ScopedThreadCount scope(threads);
    std::vector<std::string> seen, names;
    std::vector<double> shares;
    GradCheckOptions options;
    for (const GradBlock& block : subject.blocks) names.push_back(block.name);
    options.progress = [&](double share, const std::string& what) {
      shares.push_back(share);
      if (std::ranges::find(seen, what) == seen.end()) seen.push_back(what);
      EXPECT_LE(share, static_cast<double>(seen.size()) / static_cast<double>(names.size())) << "others have not begun";
    };
    ASSERT_TRUE(check_gradients(subject, options));
    EXPECT_EQ(seen, names);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    ASSERT_GT(shares.size(), names.size()) << "reported within a block, too";
    EXPECT_EQ(shares.front(), 0);
    EXPECT_GT(shares.back(), 0);
    EXPECT_LE(shares.back(), 1 + 1e-9);
    const double others = 1 - 1.0 / static_cast<double>(names.size());
    if (threads == 1) {
      EXPECT_GE(shares.back(), others - 1e-9) << "the last block begins once all others have ended";
    }
  }
}

TEST(GradCheckThreads, NothingIsDoneBeforeABlockHasEnded) {
  const GradSubject subject = texture(false);
  for (int round = 0; round < 10; ++round) {
    const ScopedThreadCount scope(round % 2 == 0 ? 2 : 4);
    std::atomic<bool> cancel{false};  // so that no block ends with a result
    std::vector<double> shares;
    GradCheckOptions options;
    options.cancel = &cancel;
    options.progress = [&](double share, const std::string&) {
      shares.push_back(share);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the other threads are about to begin a block
      cancel = true;
    };
    EXPECT_FALSE(check_gradients(subject, options));
    EXPECT_FALSE(shares.empty());
    for (const double share : shares) EXPECT_EQ(share, 0);
  }
}

TEST(GradCheckThreads, CancellingEndsAllThreads) {
  const GradSubject subject = texture(false);
  ASSERT_GT(subject.blocks.size(), 5u);
  for (const int threads : {1, 2, 4}) {
    const ScopedThreadCount scope(threads);
    std::atomic<bool> cancel{false};
    size_t begun = 0;
    GradCheckOptions options;
    options.cancel = &cancel;
    options.progress = [&](double, const std::string&) {
      if (++begun == 2) cancel = true;  // with one thread in the first block, else in the second
    };
    const auto report = check_gradients(subject, options);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, codes::cancelled);
    EXPECT_EQ(begun, 2u) << "no other block is begun";
  }
}

TEST(GradCheckThreads, WhatWasCheckedBeforeItWasCancelledIsReported) {
  const GradSubject subject = texture(false);
  const auto whole = check_gradients(subject, {});
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->stopped);
  const ScopedThreadCount one(1);
  std::atomic<bool> cancel{false};
  std::set<std::string> begun;
  GradCheckOptions options;
  options.cancel = &cancel;
  options.partial = true;
  options.progress = [&](double, const std::string& what) {
    begun.insert(what);
    cancel = begun.size() == 4;
  };
  const auto part = check_gradients(subject, options);
  ASSERT_TRUE(part) << part.error().text();
  EXPECT_TRUE(part->stopped);
  ASSERT_EQ(part->results.size(), 3u);
  for (size_t k = 0; k < part->results.size(); ++k) {
    EXPECT_EQ(part->results[k].block.name, whole->results[k].block.name);
    EXPECT_EQ(part->results[k].worst.difference, whole->results[k].worst.difference);
  }
}

}  // namespace
}  // namespace hw

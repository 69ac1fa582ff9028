// What a gradient check is of, for a graph on the textured quad.
#pragma once

#include <gtest/gtest.h>

#include "engine/gradient/grad_subject.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {

inline GradSubject subject_of(const Graph& graph) {
  QuadAssets assets;
  auto subject = grad_subject(graph, assets);
  EXPECT_TRUE(subject) << subject.error().text();
  return subject ? *subject : GradSubject{};
}

}  // namespace hw::test

// IdMap against a std::map, through many random changes.
#include "engine/graph/id_map.h"

#include <gtest/gtest.h>

#include <random>

namespace hw {
namespace {

TEST(IdMap, IsAMapThroughRandomChanges) {
  std::mt19937 random(1);
  IdMap<int> tested;
  std::map<std::string, int, std::less<>> expected;
  for (int i = 0; i < 20000; ++i) {
    // Grows to about a thousand ids, shrinks to none, and so on.
    const std::string id = "node_" + std::to_string(random() % 1500);
    const bool grows = (i / 5000) % 2 == 0;
    if (random() % 4 < (grows ? 3u : 1u)) {
      EXPECT_EQ(tested.emplace(id, i), expected.try_emplace(id, i).first->second);
    } else {
      tested.erase(id);
      expected.erase(id);
    }
    const std::string other = "node_" + std::to_string(random() % 1500);
    const auto found = expected.find(other);
    ASSERT_EQ(tested.find(other) == nullptr, found == expected.end());
    if (found != expected.end()) {
      ASSERT_EQ(*tested.find(other), found->second);
    }
  }
  EXPECT_EQ(tested.map(), expected);
}

TEST(IdMap, CopiesAreIndependentAndMovesKeepPlaces) {
  IdMap<int> one;
  EXPECT_EQ(one.find("a"), nullptr);
  one.emplace("a", 1);
  IdMap<int> two = one;
  two.erase("a");
  two.emplace("b", 2);
  EXPECT_NE(one.find("a"), nullptr);
  EXPECT_EQ(one.find("b"), nullptr);
  const int* place = two.find("b");
  const IdMap<int> three = std::move(two);
  EXPECT_EQ(three.find("b"), place);
}

}  // namespace
}  // namespace hw

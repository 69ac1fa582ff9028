// Shapes: text, unification, broadcasting and their errors.
#include "engine/core/shape.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"

namespace hw {
namespace {

const Axis kN{"N", -1, "N"}, kC3{"C", 3, ""}, kC4{"C", 4, ""};

TEST(Shape, text) {
  EXPECT_EQ(to_string(Dims{65536, 3}), "[65536, 3]");
  EXPECT_EQ(to_string(Dims{}), "[]");
  EXPECT_EQ(to_string(Shape{{"N", 65536, ""}, kC3}), "[N 65536, C 3]");
  EXPECT_EQ(to_string(Shape{kN, kC3}), "[N, C 3]");
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(element_count({4, 0, 2}), 0);
  EXPECT_EQ(element_count({}), 1);
}

TEST(Shape, dims_and_known) {
  const Shape s{kN, kC3};
  EXPECT_FALSE(s.fully_known());
  EXPECT_EQ(s.dims(), (Dims{-1, 3}));
  EXPECT_TRUE((Shape{kC3, kC4}.fully_known()));
}

TEST(Shape, unify_takes_the_known_size_and_the_name) {
  auto r = unify({kN, kC3}, {{"", 7, ""}, {"", -1, "M"}});
  ASSERT_TRUE(r);
  EXPECT_EQ(*r, (Shape{{"N", 7, ""}, kC3}));
}

TEST(Shape, unify_errors) {
  auto rank = unify({kN, kC3}, {kC3});
  ASSERT_FALSE(rank);
  EXPECT_EQ(rank.error().code, codes::rank_mismatch);
  auto size = unify({kN, kC3}, {kN, kC4});
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code, codes::size_mismatch);
  EXPECT_EQ(size.error().where, "C");
  EXPECT_NE(size.error().reason.find("[N, C 3]"), std::string::npos);
  EXPECT_NE(size.error().reason.find("[N, C 4]"), std::string::npos);
}

TEST(Shape, broadcast_dims) {
  EXPECT_EQ(*broadcast(Dims{8, 1, 3}, Dims{5, 1}), (Dims{8, 5, 3}));
  EXPECT_EQ(*broadcast(Dims{}, Dims{2}), (Dims{2}));
  EXPECT_EQ(*broadcast(Dims{0}, Dims{1}), (Dims{0}));
  auto r = broadcast(Dims{2, 3}, Dims{2});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, codes::no_broadcast);
}

TEST(Shape, broadcast_named) {
  auto r = broadcast(Shape{kN, kC3}, Shape{{"", 3, ""}});
  ASSERT_TRUE(r);
  EXPECT_EQ(*r, (Shape{kN, kC3}));
  EXPECT_EQ(*broadcast(Shape{kN}, Shape{{"N", 1, ""}}), (Shape{kN}));
  EXPECT_EQ(*broadcast(Shape{kN}, Shape{{"N", 8, ""}}), (Shape{{"N", 8, ""}}));
  EXPECT_FALSE(broadcast(Shape{kC3}, Shape{kC4}));
}

}  // namespace
}  // namespace hw

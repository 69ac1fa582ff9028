// A graph with groups in groups, for tests.
#pragma once

#include "tests/engine/graph_builder.h"

namespace hw::test {

/// x → Linear → ReLU → Dropout → y; the Linear's width and the Dropout's p are promoted.
inline Group unit() {
  Group group{"unit", "Unit", {}, {{"width", "", "linear", "out_features"}, {"p", "", "dropout", "p"}}, ""};
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("linear", "linear", {{"out_features", int64_t{8}}})},
                       AddNode{node("relu", "relu")}, AddNode{node("dropout", "dropout")}, AddNode{node("y", "output")},
                       AddLink{link("x.y", "linear.x")}, AddLink{link("linear.y", "relu.x")},
                       AddLink{link("relu.y", "dropout.x")}, AddLink{link("dropout.y", "y.x")}});
  return group;
}

/// Two units, the second of which it promotes the width of.
inline Group block() {
  Group group{"block", "Block", {}, {{"width", "Width", "second", "width"}}, ""};
  group.graph =
      built({AddNode{node("x", "input")}, AddNode{node("first", "group:unit", {{"p", 0.25}})},
             AddNode{node("second", "group:unit")}, AddNode{node("y", "output")}, AddLink{link("x.y", "first.x")},
             AddLink{link("first.y", "second.x")}, AddLink{link("second.y", "y.x")}});
  return group;
}

/// Two inputs, of which the second goes through an Output of its own.
inline Group pair() {
  Group group{"pair", "Pair", {}, {}, ""};
  group.graph = built({AddNode{node("p", "input")}, AddNode{node("q", "input")}, AddNode{node("inner", "group:unit")},
                       AddNode{node("y", "output")}, AddNode{node("second", "output")}, AddLink{link("p.y", "inner.x")},
                       AddLink{link("inner.y", "y.x")}, AddLink{link("q.y", "second.x")}});
  return group;
}

inline Group tower() {
  Group group{"tower", "Tower", {}, {{"width", "Width", "b", "width"}}, ""};
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("a", "group:block")},
                       AddNode{node("b", "group:block")}, AddNode{node("y", "output")}, AddLink{link("x.y", "a.x")},
                       AddLink{link("a.y", "b.x")}, AddLink{link("b.y", "y.x")}});
  return group;
}

/// Nested three deep: two towers, one with a value of its own, learn sin x.
inline Graph grouped() {
  return built({SetGroup{unit()}, SetGroup{block()}, SetGroup{tower()}, AddNode{normal_numbers("data", {64, 3}, "N C")},
                AddNode{node("sin", "sin")}, AddNode{node("one", "group:tower")},
                AddNode{node("two", "group:tower", {{"width", int64_t{5}}})},
                AddNode{node("head", "linear", {{"out_features", int64_t{3}}})}, AddNode{node("mse", "mse")},
                AddNode{node("train", "train", {{"steps", int64_t{30}}})}, AddLink{link("data.y", "sin.x")},
                AddLink{link("data.y", "one.x")}, AddLink{link("one.y", "two.x")}, AddLink{link("two.y", "head.x")},
                AddLink{link("head.y", "mse.prediction")}, AddLink{link("sin.y", "mse.target")},
                AddLink{link("mse.loss", "train.loss")}});
}

}  // namespace hw::test

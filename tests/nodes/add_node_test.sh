#!/bin/sh
# Adding a node is adding one file: in a copy of the sources, a file that this script writes into nodes/ must bring its
# own tests, and they must pass. usage: add_node_test.sh SOURCES WORK_FOLDER (kept: the next run builds little)
set -eu
sources=$1
work=$2
export CCACHE_BASEDIR=$work

mkdir -p "$work"
rm -rf "$work/source"
mkdir "$work/source"
cd "$sources"
cp -rp CMakeLists.txt engine nodes app qml resources tests "$work/source"

cmake -S "$work/source" -B "$work/build" -G Ninja -DHALFWIRE_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
  -DHALFWIRE_GUI=OFF -DHALFWIRE_BENCH=OFF >/dev/null
cmake --build "$work/build" --target nodes_tests -j 2

# Runs the tests of the new node and prints how many ran and passed.
run_its_tests() {
  "$work/build/tests/nodes_tests" --gtest_filter='*square_test_node*' >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}\..*/\1/p' "$work/log"
}

before=$(run_its_tests)
[ "$before" -eq 0 ] || { echo "the node was there before it was added"; exit 1; }

cat >"$work/source/nodes/math/square_test_node.cpp" <<'NODE'
// Square: x².
#include "engine/node/shapes.h"

namespace hw::nodes::square_test_node {

static void declare(NodeDecl& d) {
  d.title("Square").category("Math").summary("Squares every element.");
  d.doc("`y = x · x`, any shape; `y` has the shape and dtype of `x`.");
  d.source("NumPy, `numpy.square`");
  d.keywords("power");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.mul(a.in("x"), a.in("x"))};
}

static Examples examples() {
  return {{.name = "matrix", .inputs = {{"x", DType::f32, {7, 5}, {"N", "C"}}}}};
}

}  // namespace hw::nodes::square_test_node

HW_NODE(square_test_node)
NODE
cmake --build "$work/build" --target nodes_tests -j 2
after=$(run_its_tests)
for suite in NodeDeclaration NodeShapes NodeValues NodeGradient; do
  grep -q "^\[       OK \] Nodes/$suite\..*square_test_node" "$work/log" || { echo "no test of $suite ran"; exit 1; }
done
echo "adding one file brought $after tests, all passed"

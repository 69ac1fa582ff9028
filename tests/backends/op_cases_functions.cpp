// Cases of the function tables, of softmax and of indices.
#include "op_cases.h"

namespace hw::test {

void add_functions(std::vector<OpCase>& all) {
  for (size_t k = 0; k < unary_table().size(); ++k) {
    const UnaryAttr attr{static_cast<UnaryFn>(k), 0.75, 0.5};
    const std::string fn(unary_table()[k].name);
    for (const Dims& d : {Dims{}, Dims{4099, 3}, Dims{0, 4}}) {
      all.push_back({Op::unary, fn + to_string(d), {d}, attr, -4, 4});
      all.push_back({Op::unary_grad, fn + to_string(d), {d, d}, attr, -4, 4});
    }
    all.push_back({Op::unary, fn + " far", {{2000}}, attr, -120, 120});
    all.push_back({Op::unary, fn + " positive", {{2000}}, attr, 0, 1});
  }
  for (UnaryFn fn : {UnaryFn::sin, UnaryFn::cos, UnaryFn::log}) {  // beyond what is reduced without the platform's help
    all.push_back({Op::unary, "very far", {{3000}}, UnaryAttr{fn, 0, 0}, -4e6, 4e6});
    all.push_back({Op::unary_grad, "very far", {{3000}, {3000}}, UnaryAttr{fn, 0, 0}, -4e6, 4e6});
  }
  all.push_back({Op::unary, "tiny", {{500}}, UnaryAttr{UnaryFn::log, 0, 0}, 1e-44, 1e-38});
  for (size_t k = 0; k < binary_table().size(); ++k) {
    const auto fn = static_cast<BinaryFn>(k);
    const std::string name(binary_table()[k].name);
    for (const auto& [a, b] :
         {std::pair<Dims, Dims>{{5003, 3}, {5003, 3}}, {{2100, 7}, {7}}, {{130, 1}, {7}}, {{}, {}}}) {
      const Dims g = *broadcast(a, b);
      all.push_back({Op::binary, name + to_string(b), {a, b}, BinaryAttr{fn, 0}});
      all.push_back({Op::binary, name + " positive", {a, b}, BinaryAttr{fn, 0}, 0, 3});
      for (int wrt : {0, 1})
        all.push_back({Op::binary_grad, name + to_string(b), {g, a, b}, BinaryAttr{fn, wrt}, 0, 3});
    }
  }
  for (size_t k = 0; k < compare_table().size(); ++k) {
    const CompareAttr attr{static_cast<CompareFn>(k)};
    all.push_back({Op::compare, std::string(compare_table()[k].name), {{2100, 3}, {2100, 3}}, attr});
    all.push_back({Op::compare, "row", {{2100, 8}, {8}}, attr});
  }
  all.push_back({Op::where, "same", {{5003, 3}, {5003, 3}, {5003, 3}}});
  all.push_back({Op::where, "scalars", {{300, 4}, {}, {1, 4}}});
  all.push_back({Op::where, "row condition", {{4}, {300, 4}, {300, 1}}});
  for (const Dims& d : {Dims{}, Dims{4099, 3}}) all.push_back({Op::stop_gradient, to_string(d), {d}});
  for (ReduceFn fn : {ReduceFn::max, ReduceFn::min})
    for (const auto& [from, to] : {std::pair<Dims, Dims>{{5001, 3}, {1, 1}},
                                   {{5001, 3}, {3}},
                                   {{300, 7}, {300, 1}},
                                   {{6, 5, 4}, {6, 1, 4}},
                                   {{6, 5, 4}, {5, 1}},
                                   {{}, {}},
                                   {{0, 5}, {5}},
                                   {{6, 5}, {6, 5}}})
      all.push_back(
          {Op::reduce, std::string(info(fn).name) + to_string(from) + to_string(to), {from}, ReduceAttr{fn, to}});
}

void add_along_axes(std::vector<OpCase>& all) {
  for (int64_t rows = 2; rows < 14; ++rows)  // of some of them the last element is picked
    all.push_back({Op::gather_elements_grad, std::to_string(rows) + " pairs", {{rows}, {rows}}, AxisAttr{1, 0, 0, 2}});
  for (const auto& [dims, axis] : {std::pair<Dims, int>{{2100, 10}, 1},
                                   {{6, 5, 4}, 0},
                                   {{6, 5, 4}, 1},
                                   {{6, 5, 4}, 2},
                                   {{7}, 0},
                                   {{1, 3}, 1},
                                   {{0, 3}, 1},
                                   {{3, 1500}, 1}}) {
    const std::string name = to_string(dims) + " axis " + std::to_string(axis);
    Dims without = dims;
    without.erase(without.begin() + axis);
    const int64_t size = dims[static_cast<size_t>(axis)];
    for (bool log : {false, true}) {
      all.push_back({Op::softmax, name, {dims}, SoftmaxAttr{axis, log}, -9, 9});
      all.push_back({Op::softmax_grad, name, {dims, dims}, SoftmaxAttr{axis, log}, -1, 0});
    }
    all.push_back({Op::argmax, name, {dims}, AxisAttr{axis, 0, 0, 0}});
    all.push_back({Op::gather_elements, name, {dims, without}, AxisAttr{axis, 0, 0, 0}});
    all.push_back({Op::gather_elements_grad, name, {without, without}, AxisAttr{axis, 0, 0, size}});
  }
}

}  // namespace hw::test

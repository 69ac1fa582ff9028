// Overloaded: one visitor of a variant from a lambda for each kind.
#pragma once

namespace hw {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace hw

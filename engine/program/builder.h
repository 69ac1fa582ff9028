// OpBuilder: appends ops to a Program, checking dtypes and shapes as it goes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "engine/program/program.h"

namespace hw {

struct SampleState;
class SampleStates;

/// The first error sticks: later calls return an empty Val and do nothing, so that node code needs no checks in
/// between. Not thread safe; one builder, one Program.
class OpBuilder {
 public:
  explicit OpBuilder(Program& program) : p_(program) {
    if (p_.nodes.empty()) p_.nodes.emplace_back();
    for (uint32_t i = 0; i < p_.nodes.size(); ++i) node_index_.emplace(p_.nodes[i], i);
  }

  /// Ops appended from now on belong to this node path; names of values begin with it.
  void set_node(const std::string& path);
  const std::string& node() const { return p_.nodes[node_]; }
  /// Parameters asked for from now on are those of this node path, which may be another's (weight tying); `frozen`:
  /// they are not trained. `stored` says how a parameter is stored where that is not in the dtype the node asks for.
  /// set_node makes them the node's own again, stored as asked for.
  struct Stored {
    DType dtype;
    bool cast;  // param() returns it through a cast; without: HW-D003 unless it is the dtype asked for
  };
  using StoredAs = std::function<std::optional<Stored>(const std::string& name)>;
  void set_params_of(const std::string& path, bool frozen, StoredAs stored = {});
  /// Random ops appended from now on draw from the stream of this name, and where given from this seed and at this step
  /// (from 0) only. set_node makes it the node's path, and seed and step the run's.
  void set_random(std::string name, std::optional<uint64_t> seed, std::optional<uint64_t> step);
  void set_backward(bool on) { backward_ = on; }
  void set_update(bool on) { update_ = on; }

  const Value& operator[](Val v) const { return p_.values[v.id]; }
  const Program& program() const { return p_; }
  const Status& status() const { return status_; }
  /// Reports a failure from node code.
  void fail(Error error);

  // ---- sources
  /// A value the caller feeds. The name is taken as it is, without the node path.
  Val input(const std::string& name, DType dtype, Dims dims, std::vector<std::string> axes = {});
  Val constant(const Tensor& tensor, const std::string& name = "");
  /// A trainable parameter of the current node, named "node.name". `dtype`: storage, a float; one narrower than f32
  /// gets an f32 master, "node.name.master". Init::stream 0 becomes stream_of("node.name"). Asked again for the same
  /// name: the parameter made before. Error HW-G009: it has another dtype or sizes. Stored in another dtype than asked
  /// for: the value returned is a cast of the view.
  Val param(const std::string& name, DType dtype, Dims dims, Init init, bool trainable = true);
  /// A state that no gradient reaches (optimiser moments). The name is taken as it is.
  Val state(const std::string& name, DType dtype, Dims dims);

  // ---- ops; see ops.def
  Val cast(Val x, DType dtype);
  /// The stream of a stochastic one is the node's, as for dropout; it draws in training and in evaluation mode.
  Val cast(Val x, CastAttr attr);
  Val add(Val a, Val b);
  Val sub(Val a, Val b);
  Val mul(Val a, Val b);
  Val scale(Val x, double factor);
  Val affine(Val x, std::vector<double> scale, std::vector<double> offset);
  Val clamp(Val x, double lo, double hi);
  Val relu(Val x);
  Val sigmoid(Val x);
  /// A row of unary.def; `a`, `b`: its parameters.
  Val unary(UnaryFn fn, Val x, double a = 0, double b = 0);
  Val binary(BinaryFn fn, Val a, Val b);
  Val div(Val a, Val b) { return binary(BinaryFn::div, a, b); }
  /// → bool.
  Val compare(CompareFn fn, Val a, Val b);
  /// `condition`: bool.
  Val where(Val condition, Val a, Val b);
  Val stop_gradient(Val x);
  /// Training mode: drops; evaluation mode: returns x itself. The stream is the node's; a second random op of one node
  /// has a stream of its own.
  Val dropout(Val x, double p);
  /// `compute` of products: MatmulAttr's.
  Val matmul(Val a, Val b, bool transpose_b = false, std::optional<DType> compute = {});
  /// Products of the matrices in the last two axes of a and b, which have the same leading axes.
  Val batch_matmul(Val a, Val b, bool transpose_a = false, bool transpose_b = false, std::optional<DType> compute = {});
  /// aᵀ · b over all leading axes, in `dtype`.
  Val matmul_tn(Val a, Val b, DType dtype, std::optional<DType> compute = {});
  Val sum_to(Val x, Dims dims, DType dtype);
  Val broadcast_to(Val x, Dims dims);
  Val reshape(Val x, Dims dims, std::vector<std::string> axes = {});
  Val concat(std::span<const Val> xs, int axis);
  Val slice(Val x, int axis, int64_t begin, int64_t end);
  /// `before` and `after` elements of `fill` around x along `axis`.
  Val pad(Val x, int axis, int64_t before, int64_t after, double fill = 0);
  /// Axis d of the result is axis order[d] of x; names of axes follow.
  Val transpose(Val x, std::vector<int> order);
  /// The stream is the node's, as for dropout; drawn in training and in evaluation mode.
  Val random(RandomAttr attr);
  Val hash_grid(Val x, Val table, const HashGridAttr& grid);
  Val triplane(Val x, Val planes);
  /// Rows of `table`; `index`: integers.
  Val gather(Val table, Val index);
  struct Surface {
    Val position, normal, uv, colour;
  };
  Surface sample_surface(std::shared_ptr<const Mesh> mesh, int64_t points);
  struct Pixels {
    Val position, colour;
  };
  /// The stream is the node's.
  Pixels sample_image(SampleImageAttr attr);
  struct Rows {
    Val x, labels;
  };
  /// The stream is the node's. Evaluation mode: the test split in order, step by step, `evaluation_rows` at a time
  /// where that is set.
  Rows sample_rows(SampleRowsAttr attr);
  /// Says that whole numbers lie in [0, below): Value::below.
  void set_bound(Val x, int64_t below);
  /// Mean over all elements → scalar, in x's dtype. Summed and divided in f32 (f64), so an f16 sum cannot overflow.
  Val mean(Val x);
  /// Sum, mean, largest or smallest over `axes` (distinct, from 0; empty: all), in x's dtype; sums in f32 (f64).
  /// `keep`: the axes stay, with size 1.
  Val sum(Val x, const std::vector<int>& axes, bool keep = false);
  Val mean(Val x, const std::vector<int>& axes, bool keep = false);
  Val reduce(ReduceFn fn, Val x, const std::vector<int>& axes, bool keep = false);
  Val softmax(Val x, int axis);
  Val log_softmax(Val x, int axis);
  /// → i64, x's sizes without `axis`.
  Val argmax(Val x, int axis);
  /// x[.., index[..], ..] along `axis`; `index`: integers, x's sizes without `axis`.
  Val gather_elements(Val x, Val index, int axis);
  /// What a loss needs of all samples of a step, or of a split, where that is computed in parts (micro-batches, ranks,
  /// blocks of rows): the sum over the parts of x, which each part makes of its own samples, or the mean of x by their
  /// shares of the samples. Means over parts, of values and of gradients, are then those of one batch: the gradient by
  /// each part's x is 1 for the mean, 1 / share for the sum. What a loss is no linear function of goes through here, as
  /// a count that it divides by. In one part x itself.
  Val batch_mean(Val x) { return of_batch(x, false); }
  Val batch_sum(Val x) { return of_batch(x, true); }
  /// Marks the gradient of everything before `x` as scaled by `factor`: forward identity. `unscale`: parameters before
  /// it get their gradient divided by the factor again.
  Val gradient_scale(Val x, double factor, bool unscale);

  /// Parameters made from here on have no master: the optimiser works on the stored weights.
  void set_pure(bool on) { pure_ = on; }
  bool training() const { return training_; }
  void set_training(bool on) { training_ = on; }
  /// Whether the node's parameters are not trained: what else it learns, it does not either.
  bool frozen() const { return frozen_; }
  /// This part's share of the samples that are computed as one; 1 where there is one part.
  double share() const { return share_; }
  void set_share(double share) { share_ = share; }
  /// What batch_mean and batch_sum were asked for: `of` is x times 1 until somebody puts what all parts have in place.
  struct OfBatch {
    Val x, of;
    bool sum = false;
  };
  const std::vector<OfBatch>& of_batch() const { return of_batch_; }
  /// Says that an element of `y` is made of those elements of each of `from` that lie at its place along each of
  /// `axes`, where the ops in between do not show it.
  struct SamePlaces {
    Val y;
    std::vector<Val> from;
    std::vector<int> axes;
  };
  void set_same_places(SamePlaces said) {
    if (status_) same_places_.push_back(std::move(said));
  }
  const std::vector<SamePlaces>& same_places() const { return same_places_; }
  /// How x depends on the samples of this part, sample_states.h, where share() is below 1.
  const SampleState& samples_of(Val x) const;
  /// Rows a step of data sets in evaluation mode; 0: as many as the node asks for.
  void set_evaluation_rows(int64_t rows) { evaluation_rows_ = rows; }

  /// The general form: infers output types, appends, returns the outputs.
  std::vector<Val> emit(Op op, std::vector<Val> in, Attr attr = {});
  void set_name(Val v, std::string name) {
    if (v) p_.values[v.id].name = std::move(name);
  }
  void set_axes(Val v, std::vector<std::string> axes) {
    if (v) p_.values[v.id].axes = std::move(axes);
  }

 private:
  Val new_value(Value value);
  Val of_batch(Val x, bool sum);
  Val without_axes(Val kept, const std::vector<int>& axes);
  RandomStream next_stream() const;
  Program& p_;
  void keep_bound(Val from, Val to);
  Status status_ = ok();
  uint32_t node_ = 0;
  std::string params_of_;  // path that parameters are named after
  std::string random_name_;
  std::optional<uint64_t> random_seed_, random_step_;
  StoredAs stored_;  // how they are stored; empty: as asked for
  bool frozen_ = false, pure_ = false;
  std::unordered_map<std::string, uint32_t> node_index_;  // path → index in Program::nodes
  std::vector<OfBatch> of_batch_;
  std::vector<SamePlaces> same_places_;
  mutable std::shared_ptr<SampleStates> samples_;
  double share_ = 1;
  int64_t evaluation_rows_ = 0;
  bool backward_ = false, update_ = false, training_ = true;
};

/// Output types of `op` for these inputs. Errors: HW-D001, HW-S00x, HW-P001 (an attribute out of range); `where` is the
/// op's name. A wrong count of inputs or a wrong kind of attribute asserts.
Result<std::vector<Value>> infer(Op op, std::span<const Value> in, const Attr& attr);

}  // namespace hw

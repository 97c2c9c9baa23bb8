#pragma once

/// \file ccoo_pieces.hpp
/// A matrix on the host whose rows are in the order that they are to have: its plan, and what the plan says.

#include <map>
#include <optional>
#include <vector>

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/order/row_values.hpp"
#include "impls/ccoo/plan/host_plan.hpp"
#include "kernels/coding/encoder.hpp"
#include "kernels/host/arena.hpp"

namespace petscspmv::ccoo {

/// The pieces of a matrix, with rows in the order that they are to have.
template <class Scalar, class Index> struct HostPieces {
  using View   = CsrView<Scalar, Index>;
  using Plan   = HostPlan<Scalar, Index>;
  using Values = RowValues<Scalar, Index>;

  /// `threads` >= 1 are there.
  HostPieces(const View &a, const OptionValues &options, int threads);

  /// Takes new values. Pieces whose values do not fit their coding any more are coded again, each alone. False if those
  /// are many: what is kept is then of no use until build_anew().
  bool refresh(const Values &a);
  void build_anew(const View &a);

  Layout<Scalar> layout() const;

  /// What chunks know about cut rows: [chunks], or [vectors][chunks].
  using Carry = kernels::Carry<Scalar, Local>;

  /// What a product with n vectors writes besides y.
  std::size_t carry_bytes(int n) const { return plan.chunks.size() * static_cast<std::size_t>(n) * sizeof(Carry); }

  /// Y = alpha A X + beta Y with n vectors and alpha != 0.
  void multiply(Carry *carry, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n) const;

  /// Besides the object itself.
  std::size_t bytes_taken() const;

  /// What a piece that was coded again has for itself. It is replaced when that happens once more.
  struct Recoded {
    kernels::Arena             values;
    std::size_t                bytes = 0;
    std::optional<std::size_t> table; ///< in plan.tables
  };

  OptionValues                    options;
  int                             threads;
  kernels::Isa                    isa;
  Gathers                         gathers;
  Multiply<Scalar>                kernel;
  Plan                            plan;
  kernels::Arena                  structure, columns, values;
  std::map<std::int64_t, Recoded> recoded;           ///< by the number of the piece
  std::vector<const Scalar *>     tables;            ///< of plan.tables, each as long as its coding may ask for
  std::vector<Share>              shares;            ///< [threads]
  std::vector<kernels::Loss>      losses;            ///< [pieces]; none if values do not lose bits
  bool                            scattered = false; ///< is_scattered()

private:
  /// Pieces that a thread does one after the other: they often share a table that is looked up through a hash.
  static constexpr std::int64_t batch = 32;

  /// Where a piece's values are before they are coded.
  struct PieceValues {
    std::vector<Scalar> rows, values;
  };

  void allocate();
  void write(const View &a);
  void view_tables();
  void deal();
  /// Whether so much of the work has scattered x, and there are so many entries, that plain CSR is faster with several
  /// vectors.
  bool                        is_scattered(double nonzeros) const;
  void                        refresh_patterns(const Values &a);
  bool                        encode_piece(const Values &a, std::int64_t i, kernels::ValueEncoder<Scalar> &encoder, PieceValues &buffer);
  bool                        encode_marked(const Values &a, std::vector<char> &marked);
  void                        renew_tables(const Values &a, std::vector<char> &marked);
  template <class Visit> bool with_values(const Values &a, std::int64_t i, PieceValues &buffer, const Visit &visit);
  void                        recode(const Values &a, std::int64_t i);
};

} // namespace petscspmv::ccoo

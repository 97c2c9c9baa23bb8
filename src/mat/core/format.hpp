#pragma once

/// \file format.hpp
/// The one contract between the formats and everybody who uses them (the PETSc glue, the tests, the bench).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csr_view.hpp"
#include "execution.hpp"
#include "footprint.hpp"
#include "options.hpp"
#include "outlook.hpp"

namespace petscspmv {

/// What a format reports about itself besides its bytes: name and value, in the order to print.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// What a format expects of a product before it is built.
struct Forecast {
  std::size_t bytes       = 0; ///< of the arrays that it would read
  double      nanoseconds = 0; ///< that instructions and caches would take, on the machine that the format was tuned on; 0: not known
  /// Cache lines of x that come from behind the nearest cache at most: those that rows which are taken at a time touch,
  /// one line for all of them.
  double lines = std::numeric_limits<double>::infinity();
};

/// What a class must offer to become a matrix type.
///
/// - `name`      the matrix type that users write, "aijspec".
/// - `method`    one line: the method and the paper it is from.
/// - `borrows`   true if products read the arrays of the CsrView that are in their memory: they must then stay where
///               they are until the next refresh() or the end. False if the format keeps copies of all it needs.
/// - `on_device` true if this build can build it in MemorySpace::device. There, products take device pointers and are only
///               queued on runtime::use_stream's stream, without allocation or synchronisation; those arrays of the
///               CsrView that are host arrays are copied by the constructor and refresh(), and may change or go away as
///               soon as these return. The first transposed product is an exception: it may build an index, with
///               allocation, synchronisation and FormatError.
/// - `transposes` true if it multiplies with the transpose. Of those that do not, multiply is only asked for op none:
///               transposed products of their matrices are left to one that does.
/// - `options`   the table of its options.
/// - `predicted_bytes(a, options)`  bytes a product would read, found without building or allocating much.
/// - constructor builds from a CsrView; throws FormatError or std::bad_alloc (MemoryError, if it knows how much it
///   needs), then nothing is left behind.
/// - `refresh(a)`    the pattern is the one it was built from, values (and addresses) may be new. Same exceptions.
/// - `multiply(op, alpha, x, beta, y)`  y = alpha op(A) x + beta y, where x has cols (op none) or rows entries and y the
///   other; x and y do not overlap. With beta == 0, y is written only, whatever it held, NaN included; with
///   alpha == 0 x is not used. The same input gives the same bits, for any number of threads. Never throws.
/// - `multiply_many(alpha, x, ldx, beta, y, ldy, columns)` and `multiply_many_transposed(...)`, which takes the same, may
///   be left out, see multiply_many() below.
/// - `leaves_several()`  may be left out: on the host, whether plain CSR beside it is faster with several vectors.
/// - `footprint()`, `facts()`  for reports.
/// - `forecast(a, options, space)`  may be left out: predicted_bytes with more, for choices between formats there.
/// - `outlook(a)`, `change(a, way)`  may be left out: for a format that can go several ways, see below.
/// - `ways()`, `recall(choice, seconds)`  may be left out: for one whose ways are types that a search can find the best of, see below.
/// - `through_kokkos(a, options, execution)`  may be left out: for one that has kernels for all that Kokkos runs on,
///   see below.
///
/// Several threads may multiply with one object at the same time, each with x and y of its own, and on a device with a
/// stream of its own: what products write besides y belongs to each, or streams wait for one another, on the device.
/// Whatever else is called wants the object for itself.
template <class F>
concept SpmvFormat = requires(F f, const F cf, const CsrView<typename F::scalar_type, typename F::index_type> &a, const OptionValues &o,
                              const Execution &e, Operation op, typename F::scalar_type s, const typename F::scalar_type *x,
                              typename F::scalar_type *y)
{
  {
    F::name
    } -> std::convertible_to<std::string_view>;
  {
    F::method
    } -> std::convertible_to<std::string_view>;
  {
    F::borrows
    } -> std::convertible_to<bool>;
  {
    F::on_device
    } -> std::convertible_to<bool>;
  {
    F::transposes
    } -> std::convertible_to<bool>;
  {
    F::options()
    } -> std::convertible_to<std::span<const OptionSpec>>;
  {
    F::predicted_bytes(a, o)
    } -> std::convertible_to<std::size_t>;
  F(a, o, e);
  f.refresh(a);
  f.multiply(op, s, x, s, y);
  {
    cf.footprint()
    } -> std::same_as<Footprint>;
  {
    cf.facts()
    } -> std::same_as<Facts>;
};

namespace detail {

template <class F, class Scalar>
void multiply_one_by_one(F &format, Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                         int columns)
{
  for (int c = 0; c < columns; ++c) format.multiply(op, alpha, x + c * ldx, beta, y + c * ldy);
}

} // namespace detail

/// Y = alpha A X + beta Y for `columns` >= 0 vectors at once. Column c of X (cols x columns) begins at x + c ldx, with
/// ldx >= cols, that of Y (rows x columns) at y + c ldy, with ldy >= rows; what lies between columns is neither read
/// nor written.
///
/// Each column is what multiply with op none gives, to rounding, and with all that is said of it there about alpha,
/// beta, what x holds and threads. Its bits need not be those of multiply, and may depend on the number of columns. On
/// the host, memory may be allocated for it at the first call, which may therefore throw std::bad_alloc; Y is then as
/// it was.
///
/// A format with no member of this name does one column after the other.
template <class F>
void multiply_many(F &format, typename F::scalar_type alpha, const typename F::scalar_type *x, std::int64_t ldx,
                   typename F::scalar_type beta, typename F::scalar_type *y, std::int64_t ldy, int columns)
{
  if constexpr (requires { format.multiply_many(alpha, x, ldx, beta, y, ldy, columns); })
    format.multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  else detail::multiply_one_by_one(format, Operation::none, alpha, x, ldx, beta, y, ldy, columns);
}

/// Y = alpha A^T X + beta Y by a format that transposes, with all that is said of multiply_many(): here X has as many
/// rows as A, and Y as A has columns. On a device, the first such product is as the first transposed one.
template <class F>
void multiply_many_transposed(F &format, typename F::scalar_type alpha, const typename F::scalar_type *x, std::int64_t ldx,
                              typename F::scalar_type beta, typename F::scalar_type *y, std::int64_t ldy, int columns)
{
  if constexpr (requires { format.multiply_many_transposed(alpha, x, ldx, beta, y, ldy, columns); })
    format.multiply_many_transposed(alpha, x, ldx, beta, y, ldy, columns);
  else detail::multiply_one_by_one(format, Operation::transpose, alpha, x, ldx, beta, y, ldy, columns);
}

/// True if the format can multiply in several ways and be asked, between two products, to go on another way. It has
///
/// - `outlook(a, elsewhere)`  what it knows of its ways (core/outlook.hpp). May look at the matrix closely, if products so far have paid for that;
///   those that were not its own have taken `elsewhere` seconds.
/// - `change(a, way)`  goes on that way from the next product on. Takes as long as building does; same exceptions, and then it goes on as
///   before, and its outlook says that the way cannot be gone. On a device it may allocate and wait, which multiply must not.
///
/// `a` is the matrix of the last build or refresh. Products of two ways differ by rounding.
template <class F>
concept HasWays = requires(F f, const CsrView<typename F::scalar_type, typename F::index_type> &a, int way, double elsewhere)
{
  {
    f.outlook(a, elsewhere)
    } -> std::same_as<Outlook>;
  f.change(a, way);
};

template <class Scalar, class Index> struct FormatType;
template <class Scalar, class Index> class AnyFormat;

/// True if the ways are types with options, so that what a search among them has found can be told to the format. It
/// has
///
/// - `ways()`  the types, by their numbers as ways.
/// - `recall(choice, seconds)`  takes note of the way that a search for this pattern has found before; `seconds` have been spent on remembering
///   it. Returns the way; from then on no other one is tried, and this one is gone as soon as products have paid for it, or when change() says
///   so. A choice is written "ccoo 0.31 25 strips=2": the type, what a product takes and what building it takes, both in products of the
///   first way, and the options that are not the defaults, as numbers. An empty one stands for no choice. Throws FormatError for one that
///   cannot be, and is then as before.
template <class F>
concept RecallsWays = HasWays<F> && requires(F f, const std::string &choice, double seconds)
{
  {
    F::ways()
    } -> std::convertible_to<std::span<const FormatType<typename F::scalar_type, typename F::index_type>>>;
  {
    f.recall(choice, seconds)
    } -> std::same_as<int>;
};

/// True if others shall multiply first, because building the format only pays after some products:
/// - `head_start(options)`  seconds that products by PETSc's own kernels may take, roughly, before the format is built; 0 for none.
template <class F>
concept HasHeadStart = requires(const OptionValues &options)
{
  {
    F::head_start(options)
    } -> std::same_as<double>;
};

/// True if what it multiplies with on a device is for several vectors at once, too: it has a member `several_on_device`.
template <class F>
concept HasSeveralOnDevice = requires
{
  F::several_on_device;
};

/// True if the format has portable kernels besides its own:
/// - `through_kokkos(a, options, execution)`  builds the matrix for them, as the constructor does for its own. Sums may
///   be in another order.
template <class F>
concept HasKokkosKernels = requires(const CsrView<typename F::scalar_type, typename F::index_type> &a, const OptionValues &options,
                                    const Execution &execution)
{
  {
    F::through_kokkos(a, options, execution)
    } -> std::same_as<std::unique_ptr<AnyFormat<typename F::scalar_type, typename F::index_type>>>;
};

/// A format of which only the contract is known.
template <class Scalar, class Index> class AnyFormat {
public:
  virtual ~AnyFormat()                                                                            = default;
  virtual void      refresh(const CsrView<Scalar, Index> &a)                                      = 0;
  virtual void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) = 0;
  virtual Footprint footprint() const                                                             = 0;
  virtual Facts     facts() const                                                                 = 0;

  virtual Outlook outlook(const CsrView<Scalar, Index> &, double) { return {}; }
  virtual void    change(const CsrView<Scalar, Index> &, int) { }
  virtual int     recall(const std::string &, double) { return 0; }
  virtual bool    leaves_several() const { return false; }

  virtual void multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns)
  {
    detail::multiply_one_by_one(*this, Operation::none, alpha, x, ldx, beta, y, ldy, columns);
  }
  virtual void multiply_many_transposed(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                        int columns)
  {
    detail::multiply_one_by_one(*this, Operation::transpose, alpha, x, ldx, beta, y, ldy, columns);
  }
};

/// What can be known of a format before one is built: the static half of the contract.
template <class Scalar, class Index> struct FormatType {
  using View = CsrView<Scalar, Index>;

  std::string_view            name;
  std::string_view            method;
  bool                        borrows;
  bool                        on_device;
  bool                        transposes;
  bool                        has_ways;
  std::span<const OptionSpec> options;
  std::size_t (*predicted_bytes)(const View &, const OptionValues &);
  Forecast (*forecast)(const View &, const OptionValues &, MemorySpace);
  std::unique_ptr<AnyFormat<Scalar, Index>> (*build)(const View &, const OptionValues &, const Execution &);
  std::span<const FormatType> (*ways)()      = nullptr; ///< of a format that can be told which of them to go, see RecallsWays
  double (*head_start)(const OptionValues &) = nullptr; ///< of a format that has one, see HasHeadStart
  bool several_on_device                     = false;
};

namespace detail {

template <SpmvFormat F> class FormatModel final : public AnyFormat<typename F::scalar_type, typename F::index_type> {
  using Scalar = typename F::scalar_type;
  using View   = CsrView<Scalar, typename F::index_type>;

public:
  FormatModel(const View &a, const OptionValues &options, const Execution &execution) : format_(a, options, execution) { }
  void refresh(const View &a) override { format_.refresh(a); }
  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override { format_.multiply(op, alpha, x, beta, y); }
  void multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns) override
  {
    petscspmv::multiply_many(format_, alpha, x, ldx, beta, y, ldy, columns);
  }
  void multiply_many_transposed(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                                int columns) override
  {
    petscspmv::multiply_many_transposed(format_, alpha, x, ldx, beta, y, ldy, columns);
  }
  bool leaves_several() const override
  {
    if constexpr (requires { format_.leaves_several(); }) return format_.leaves_several();
    else return false;
  }
  Footprint footprint() const override { return format_.footprint(); }
  Facts     facts() const override { return format_.facts(); }

  Outlook outlook([[maybe_unused]] const View &a, [[maybe_unused]] double elsewhere) override
  {
    if constexpr (HasWays<F>) return format_.outlook(a, elsewhere);
    else return {};
  }
  void change([[maybe_unused]] const View &a, [[maybe_unused]] int way) override
  {
    if constexpr (HasWays<F>) format_.change(a, way);
  }
  int recall([[maybe_unused]] const std::string &choice, [[maybe_unused]] double seconds) override
  {
    if constexpr (RecallsWays<F>) return format_.recall(choice, seconds);
    else return 0;
  }

private:
  F format_;
};

} // namespace detail

namespace detail {

template <SpmvFormat F>
Forecast forecast(const CsrView<typename F::scalar_type, typename F::index_type> &a, const OptionValues &options,
                  [[maybe_unused]] MemorySpace space)
{
  if constexpr (requires { F::forecast(a, options, space); }) return F::forecast(a, options, space);
  else return {F::predicted_bytes(a, options), 0};
}

} // namespace detail

/// The static half of `F`'s contract as a value.
template <SpmvFormat F> FormatType<typename F::scalar_type, typename F::index_type> format_type()
{
  using Type = FormatType<typename F::scalar_type, typename F::index_type>;
  return Type{F::name,
              F::method,
              F::borrows,
              F::on_device,
              F::transposes,
              HasWays<F>,
              F::options(),
              &F::predicted_bytes,
              &detail::forecast<F>,
              [](const typename Type::View &a, const OptionValues &o,
                 const Execution &e) -> std::unique_ptr<AnyFormat<typename F::scalar_type, typename F::index_type>> {
                if constexpr (HasKokkosKernels<F>)
                  if (e.kernels == Kernels::kokkos) return F::through_kokkos(a, o, e);
                return std::make_unique<detail::FormatModel<F>>(a, o, e);
              },
              [] {
                if constexpr (RecallsWays<F>) return &F::ways;
                else return nullptr;
              }(),
              [] {
                if constexpr (HasHeadStart<F>) return &F::head_start;
                else return nullptr;
              }(),
              HasSeveralOnDevice<F>};
}

} // namespace petscspmv

#pragma once

/// \file batch_arrays.hpp
/// Batches: a small matrix on a device, whose product takes as long as loads that wait for each other do, and the
/// instructions between them.
///
/// A batch is 1024 entries of whole rows. Where the entries of a batch lie follows from its number alone, so that a
/// product waits for memory twice: for columns, values and what else there is of a batch, all at once, and then for x.
/// Products of a block of threads meet in shared memory, where as many lanes sum a row as there are for each row of the
/// batch. Columns and values are in the order that they have in the rows; what is left of a batch behind its last row
/// is zeros. All batches have one coding of values and one width of columns.
///
/// ```
/// rows        7: a b c    8: (none)    9: long    10: d e
/// ends        0 3 3 3* 5  * in another batch
/// values      a b c d e 0 0 ...
/// ```
///
/// Rows are in order, but for those so long that the others of the batch would wait for them: these are in batches of
/// their own, with a list of them, eight at most, and a warp sums each; or, where a device does not work on all batches
/// at a time, the longest one left and then the longest ones that fit, as many as there are lanes for. Rows of more
/// than 1024 entries are in parts, in batches that come first and have nothing else: one after the other, so that only
/// the last of these batches is not full. The block of threads in whose batch such a row ends adds its parts, as soon
/// as the others are there. Matrices with more such rows than a device works on batches at a time are not in batches.
///
/// ```
/// rows in parts   3 and 8, of 2000 and 1100 entries batches         3 3 3 3 | 3 3 3 8 | 8 8 8 8 | 8     rows = 0, 976,
/// 0, 28 end; the block of threads of the second one waits for the first one
/// ```

#include <cstdint>

#include "impls/ccoo/device/batch/batch_tuning.hpp"
#include "impls/ccoo/device/kind.hpp"

namespace petscspmv::ccoo::image {

/// 1024 entries of whole rows, or of one or two rows in parts: the end of one, or a part from its midst, and the
/// beginning of the next.
struct alignas(16) Batch {
  enum Rows : std::uint8_t {
    in_order, ///< one after the other, but for those that are in other batches
    listed,   ///< any
    part, ///< one that begins before or goes on behind it, or two: all rows in parts, one after the other, are in these, which come first
  };
  static constexpr std::uint16_t elsewhere = 0x8000; ///< of an end: the row is in another batch
  static constexpr std::uint32_t end_grain = 4;      ///< ends of a batch begin at a multiple of this

  Local row; ///< the first, in parts, too; or the place of the first in the list
  std::uint32_t
    end; ///< the place of 0 and the ends of its rows, over `end_grain`; or the number of the batch in which the row in parts begins
  std::uint16_t rows;      ///< or entries of the row in parts that ends in the batch, 0 if it goes on; others are of the next batch's row
  std::uint8_t  lanes : 7; ///< of a row: the logarithm of how many
  std::uint8_t  by_fours : 1; ///< threads add their four products before rows are summed
  Rows          kind;
  std::uint32_t least; ///< column; or entries in parts, whose columns are as they are
};

/// Of the row in parts that batch b, number i, begins with: its entries in batches before, the first of which is
/// `first`.
constexpr std::int64_t entries_before(const Batch &b, const Batch &first, std::int64_t i)
{
  return (i - b.end) * device_batch_entries - first.rows;
}

struct BatchKind {
  struct Shape { };
  struct Counts {
    std::int64_t  entries_in_batches = 0;
    Coding        batch_coding       = kernels::plain_coding; ///< of the values of all batches
    bool          batch_wide         = false;                 ///< their columns have 32 bits
    std::uint32_t rows_in_parts      = 0;
  };

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Vector<Batch>         batch;
    typename Hold::template Vector<Scalar>        batch_table; ///< of the values of all
    typename Hold::template Vector<std::uint16_t> batch_end;   ///< [batches][1 + rows, rounded up to end_grain]
    typename Hold::template Vector<Local>         batch_row;
    typename Hold::template Room<std::byte>       batch_column; ///< [batches][1024], coded, as they follow each other in the rows
    typename Hold::template Room<std::byte>       batch_value;  ///< likewise
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("tables of values", m.batch_table...);
    visit("batches", m.batch...);
    visit("ends of rows in batches", m.batch_end...);
    visit("rows listed in batches", m.batch_row...);
    visit("columns of batches", m.batch_column...);
    visit("values of batches", m.batch_value...);
  }

  static std::int64_t entries(const Counts &c) { return c.entries_in_batches; }
};

} // namespace petscspmv::ccoo::image

#pragma once

/// \file aijlight_device_layout.cuh
/// A matrix on the device as its kernels take it, by value.

#include "impls/aijlight/aijlight_device_tuning.hpp"
#include "impls/aijlight/aijlight_long_rows.hpp"
#include "kernels/device/scalar.cuh"

namespace petscspmv::aijlight {

/// What tickets are drawn from. Zero between products: the last block of threads that leaves a kernel puts it back.
struct Queue {
  unsigned drawn;    ///< tickets that have been drawn, not counting everybody's first, which is everybody's number
  unsigned departed; ///< blocks of threads that have left
};

/// Tickets are of rows; pieces of long rows are dealt to blocks of threads before these.
template <class S, class Index> struct DeviceLayout {
  using Scalar = S; ///< the device's scalar

  Index         rows;
  const Index  *row_ptr; ///< [rows + 1]
  const Index  *col;     ///< [nonzeros]
  const Scalar *val;     ///< [nonzeros]
  Index         nonzeros;

  unsigned tickets;
  Index    ticket; ///< rows of a ticket
  Queue   *queue;

  Index                 piece; ///< entries of a piece; longer rows are long
  Index                 pieces;
  Index                 long_rows;
  const LongRow<Index> *long_row; ///< [long_rows] ascending
  Scalar               *part;     ///< [pieces] written by every product
  unsigned             *summed;   ///< [long_rows] pieces of a row that have been summed; zero between products

  int capacity; ///< entries that shared memory holds, where blocks of threads take tickets
};

/// What the kernels of a product are given.
template <class Scalar, class Index> struct Product {
  DeviceLayout<Scalar, Index>      a;
  const Scalar                    *x;
  kernels::DeviceRowUpdate<Scalar> update;
  bool                             conjugate; ///< of the values
};

} // namespace petscspmv::aijlight

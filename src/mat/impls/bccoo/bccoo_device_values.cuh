#pragma once

/// \file bccoo_device_values.cuh
/// Coded values on a device: by pieces of a lane, and one by one.

#include "impls/bccoo/bccoo_device_layout.cuh"

namespace petscspmv::bccoo::device {

/// A piece of four codes of so many bytes each, as it is read.
template <int bytes> struct FourCodes;
template <> struct FourCodes<2> {
  uint2      bits;
  __device__ std::uint32_t operator[](int i) const { return (i < 2 ? bits.x : bits.y) >> i % 2 * 16 & 0xffff; }
};
template <> struct FourCodes<1> {
  unsigned   bits;
  __device__ std::uint32_t operator[](int i) const { return bits >> i * 8 & 0xff; }
};
template <> struct FourCodes<0> { // of half a byte each
  unsigned short bits;
  __device__ std::uint32_t operator[](int i) const { return static_cast<std::uint32_t>(bits) >> i * 4 & 15; }
};

/// Values of a coding that has a table.
template <Coding c, class S> struct Values {
  static constexpr int bytes = c == Coding::table65536 ? 2 : c == Coding::table256 ? 1 : 0; ///< of a code
  static constexpr int each  = 4;                                                           ///< values of a piece

  using Piece = FourCodes<bytes>;
  using Bits  = decltype(Piece::bits);

  const std::byte *of_tile;
  const S         *table;

  /// Piece number `at` of the tile.
  __device__ Piece load(unsigned at) const { return {__ldcs(reinterpret_cast<const Bits *>(of_tile) + at)}; }
  __device__ S     value(const Piece &piece, int i) const { return kernels::load_shared(table + piece[i]); }
};
template <class S> struct Values<Coding::constant, S> {
  static constexpr int each = 4;

  struct Piece { };

  const std::byte *of_tile;
  const S         *table;

  __device__ Piece load(unsigned) const { return {}; }
  __device__ S     value(const Piece &, int) const { return kernels::load_shared(table); }
};
template <class S> struct Values<Coding::raw, S> {
  static constexpr int each = 16 / sizeof(S);

  using Piece = uint4;

  const std::byte *of_tile;
  const S         *table;

  __device__ Piece load(unsigned at) const { return kernels::load_piece(of_tile + std::size_t(at) * sizeof(Piece)); }
  __device__ S     value(const Piece &p, int i) const
  {
    const double first = __hiloint2double(p.y, p.x), second = __hiloint2double(p.w, p.z);
    if constexpr (each == 1) return {first, second};
    else return i == 0 ? first : second;
  }
};
template <class S> struct Values<Coding::single, S> {
  static constexpr int each = 32 / sizeof(S);

  using Piece = uint4;

  const std::byte *of_tile;
  const S         *table;

  __device__ Piece load(unsigned at) const { return kernels::load_piece(of_tile + std::size_t(at) * sizeof(Piece)); }
  __device__ S     value(const Piece &p, int i) const
  {
    const auto number = [&p](int k) { return static_cast<double>(__uint_as_float(k == 0 ? p.x : k == 1 ? p.y : k == 2 ? p.z : p.w)); };
    if constexpr (each == 4) return number(i);
    else return {number(2 * i), number(2 * i + 1)};
  }
};

/// Calls visit(Values) for the coding of a tile. `raw`: that of all tiles is.
template <bool raw, class S, class Visit> __device__ void with_values(const Layout<S> &a, const image::Tile &t, const Visit &visit)
{
  const std::byte *const of_tile = a.value + std::size_t(t.value) * image::grain;
  const S *const         table   = a.table + t.table;
  if constexpr (raw) return visit(Values<Coding::raw, S>{of_tile, table});
  else switch (static_cast<Coding>(t.coding)) {
    case Coding::constant:
      return visit(Values<Coding::constant, S>{of_tile, table});
    case Coding::table16:
      return visit(Values<Coding::table16, S>{of_tile, table});
    case Coding::table256:
      return visit(Values<Coding::table256, S>{of_tile, table});
    case Coding::table65536:
      return visit(Values<Coding::table65536, S>{of_tile, table});
    case Coding::single:
      return visit(Values<Coding::single, S>{of_tile, table});
    default:
      return visit(Values<Coding::raw, S>{of_tile, table});
    }
}

/// Value v of a lane, by itself.
template <class V> __device__ auto value_of(const V &values, int lane, int v)
{
  return values.value(values.load(v / V::each * image::lanes + lane), v % V::each);
}

} // namespace petscspmv::bccoo::device

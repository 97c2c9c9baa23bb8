#pragma once

/// \file awaited.hpp
/// Numbers that one thread stores and others wait for, in one kernel.
///
/// A number is one or two words. A word that is not there yet has bits that no stored word has, so that each word says by
/// itself whether it is there, and their order does not matter.

#include <cstdint>
#include <thread>

#include <Kokkos_Core.hpp>

namespace petscspmv::kernels {

using Word = std::uint64_t;

/// A NaN with a payload that no arithmetic makes.
inline constexpr Word not_there = 0xfff8dead00beef01ULL;

/// Words of a number.
template <class S> inline constexpr int words = static_cast<int>(sizeof(S) / sizeof(Word));

/// Loads a word again if it was not there. On CUDA without a branch, so that a thread's loads of several words are on
/// their way together, and past the first-level cache, which does not see what other multiprocessors store.
KOKKOS_INLINE_FUNCTION void look_again(const Word *from, Word &word)
{
#if defined(__CUDA_ARCH__)
  asm volatile("{\n"
               ".reg .pred missing;\n"
               "setp.eq.u64 missing, %0, %2;\n"
               "@missing ld.relaxed.gpu.global.b64 %0, [%1];\n"
               "}"
               : "+l"(word)
               : "l"(from), "l"(not_there));
#else
  if (word == not_there) word = Kokkos::atomic_load(from);
#endif
}

/// Between two looks. On the host, what is waited for may be for a thread that has no processor.
KOKKOS_INLINE_FUNCTION void let_others_go_on()
{
  KOKKOS_IF_ON_HOST((std::this_thread::yield();))
}

KOKKOS_INLINE_FUNCTION void store_word(Word *to, double number)
{
  const Word bits = Kokkos::bit_cast<Word>(number);
  const Word word = bits == not_there ? bits ^ 1 : bits; // a NaN that came with the vectors: nobody shall wait for it for ever
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  Kokkos::atomic_store(to, word);
#endif
}

KOKKOS_INLINE_FUNCTION void store_number(Word *to, double number)
{
  store_word(to, number);
}
KOKKOS_INLINE_FUNCTION void store_number(Word *to, Kokkos::complex<double> number)
{
  store_word(to, number.real());
  store_word(to + 1, number.imag());
}

template <class S> KOKKOS_INLINE_FUNCTION S number_of(const Word *word)
{
  if constexpr (words<S> == 1) return Kokkos::bit_cast<double>(*word);
  else return S(Kokkos::bit_cast<double>(word[0]), Kokkos::bit_cast<double>(word[1]));
}

} // namespace petscspmv::kernels

#pragma once

/// \file awaited.hpp
/// Numbers that a thread stores and other threads of the same kernel wait for.
///
/// A number is one word, or two if it is complex. Each word says by itself whether it is there: a word that is not has
/// bits that nobody stores. So the order in which words arrive does not matter.

#include <atomic>
#include <cstdint>
#include <thread>

#include <Kokkos_Core.hpp>

namespace petscspmv::sweeps {

using Word = std::uint64_t;

/// A NaN whose payload no arithmetic makes.
inline constexpr Word not_there = 0xfff8dead00beef01ULL;

/// Words of a number.
template <class S> inline constexpr int words = static_cast<int>(sizeof(S) / sizeof(Word));

/// Loads a word again if it was not there. On CUDA without a branch, so that a thread loads several words at once. The
/// load passes the first-level cache, which does not see what other multiprocessors store. On the host it sees, with
/// the word, what was written before it; Kokkos' own atomic load is a compare-and-exchange there, which takes the line
/// from the other processors.
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
  if (word == not_there) {
    KOKKOS_IF_ON_HOST((word = std::atomic_ref<Word>(const_cast<Word &>(*from)).load(std::memory_order_acquire);))
    KOKKOS_IF_ON_DEVICE((word = Kokkos::atomic_load(from);))
  }
#endif
}

/// Between two looks. On the host, the thread that will store the word may need this processor.
KOKKOS_INLINE_FUNCTION void let_others_go_on()
{
  KOKKOS_IF_ON_HOST((std::this_thread::yield();))
}

KOKKOS_INLINE_FUNCTION void store_word(Word *to, double number) // NOLINT(readability-non-const-parameter)
{
  const Word bits = Kokkos::bit_cast<Word>(number);
  const Word word = bits == not_there ? bits ^ 1 : bits; // a program's vector may hold that NaN
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  KOKKOS_IF_ON_HOST((std::atomic_ref<Word>(*to).store(word, std::memory_order_release);))
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_store(to, word);))
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

/// Waits until all of these are there; word w comes from from(w). Those that are there already are not looked at.
template <int n, class From> KOKKOS_INLINE_FUNCTION void await(const From &from, Word (&word)[n])
{
  bool waits;
  do {
    waits = false;
    for (int w = 0; w < n; ++w) look_again(from(w), word[w]);
    for (int w = 0; w < n; ++w) waits |= word[w] == not_there;
    if (waits) let_others_go_on();
  } while (waits);
}

/// The next number of a counter, for a team.
template <class Member, class Index> KOKKOS_FUNCTION Index draw(const Member &member, Index *drawn)
{
  Index next = 0;
  Kokkos::single(
    Kokkos::PerTeam(member), [drawn](Index &own) { own = Kokkos::atomic_fetch_add(drawn, Index(1)); }, next);
  return next;
}

} // namespace petscspmv::sweeps

#pragma once

/// \file ccoo_device_launches.cuh
/// Which kernels a product takes, and how they are launched.

#include "impls/ccoo/ccoo_device_kernels.cuh"
#include "kernels/device/beside.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/residency.cuh"
#include "kernels/device/shared_memory.cuh"

namespace petscspmv::ccoo::device {

/// S is the device's scalar.
template <class S> class Launches {
public:
  Launches() = default;
  /// For an image, whose kernels get the shared memory that they ask for. Throws FormatError.
  template <class Image> explicit Launches(const Image &m) : summary_(m)
  {
    if (!m.slide.empty()) prepare_slides();
    if (!m.repeated.empty()) prepare_repeated();
    if (!m.hot.empty()) prepare_hot(m.hot.size());
    if (!m.local.empty()) prepare_local();
    if (m.consecutive && m.chunk.size() > tuning::device_few_chunks && m.most_ends <= tuning::device_most_consecutive)
      prepare_consecutive();
    mostly_tiles_ = m.entries_in_nodes + m.entries_repeated + m.entries_in_local > m.entries_in_units + m.entries_in_chunks;
  }

  /// Kernels run side by side, and the one that takes longest is launched last: a kernel begins when all blocks of the
  /// one before have, which is near the end of a long one.
  void multiply(const Product<S> &p) const
  {
    kernels::LaunchesBeside launches;
    if (mostly_tiles_) multiply_units_and_chunks(p, launches);
    launch_nodes(p, launches);
    launch_repeated(p, launches);
    launch_local(p, launches);
    if (!mostly_tiles_) multiply_units_and_chunks(p, launches);
    if (p.a.cuts > 0 && p.a.chunks > tuning::device_few_chunks && p.a.hots == 0) join(p);
  }

  /// A matrix in so many batches. The kernel before need not have ended.
  void multiply(const BatchProduct<S> &p, unsigned batches) const
  {
    switch (summary_.batch_coding) {
    case Coding::constant:
      return launch_batches<Coding::constant>(p, batches);
    case Coding::table16:
      return launch_batches<Coding::table16>(p, batches);
    case Coding::table256:
      return launch_batches<Coding::table256>(p, batches);
    case Coding::table65536:
      return launch_batches<Coding::table65536>(p, batches);
    case Coding::single:
      return launch_batches<Coding::single>(p, batches);
    default:
      return launch_batches<Coding::raw>(p, batches);
    }
  }

private:
  void multiply_units_and_chunks(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    const Layout<S> &a       = p.a;
    const bool       by_slot = a.chunks == 0 && summary_.all_by_slot;
    if (a.slides > 0) {
      launch_slides(p, by_slot, launches);
      if (by_slot) return;
    }
    if (a.hots > 0) launch_hot(p, launches);
    else if (by_slot) launch<Work::units_by_slot>(p, launches);
    else if (a.chunks == 0) launch<Work::units>(p, launches);
    else if (a.chunks <= tuning::device_few_chunks) launch<Work::few_chunks>(p, launches);
    else if (consecutive_blocks_ > 0) launch_consecutive(p, launches);
    else if (summary_.all_raw) launch<Work::raw_chunks>(p, launches);
    else launch<Work::chunks>(p, launches);
  }

  template <Coding coding> void launch_batches(const BatchProduct<S> &p, unsigned batches) const
  {
    const kernels::LaunchShape shape{batches, device_batch_threads};
    if (summary_.batch_wide) kernels::launch_with_last(batch_kernel<coding, true, S>, shape, p);
    else kernels::launch_with_last(batch_kernel<coding, false, S>, shape, p);
  }

  /// Units and chunks by one kernel.
  template <Work work> static void launch(const Product<S> &p, kernels::LaunchesBeside &launches)
  {
    constexpr unsigned warps  = BlockShape<work, S>::warps;
    const unsigned     blocks = (p.a.units + warps - 1) / warps + (p.a.chunks + warps - 1) / warps;
    if (blocks == 0) return;
    const std::size_t shared = has_chunks<work> ? warps * p.a.most_ends * sizeof(S) : 0;
    launches.launch(multiply_kernel<work, S>, {blocks, warps * image::lanes, shared}, p);
  }
  static void join(const Product<S> &p) { kernels::launch_with_last(join_kernel<S>, {join_blocks(p.a), tuning::device_join_threads}, p); }

  /// One launch for each number of rows that a node has.
  void launch_nodes(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    constexpr unsigned warps  = tuning::device_node_warps;
    unsigned           first  = 0;
    const auto         launch = [&](auto kernel, unsigned n) {
      if (n > 0) launches.launch(kernel, {(n + warps - 1) / warps, warps * image::lanes}, p, first, first + n);
      first += n;
    };
    launch(node_kernel<2, S>, summary_.units_of_nodes[2]);
    launch(node_kernel<3, S>, summary_.units_of_nodes[3]);
    launch(node_kernel<4, S>, summary_.units_of_nodes[4]);
    launch(node_kernel<5, S>, summary_.units_of_nodes[5]);
    launch(node_kernel<6, S>, summary_.units_of_nodes[6]);
  }

  // ---- repeated rows

  /// Calls visit(kernel, bytes of shared memory) with the kernel for repeated rows.
  template <bool stores, class Visit> void with_repeated_kernel(const Visit &visit) const
  {
    const std::size_t kept = summary_.most_kept;
    if (summary_.most_near == 0) return visit(repeated_kernel<false, stores, S>, kept * (sizeof(S) + sizeof(Local)));
    constexpr std::size_t odd = 1; // x may begin in the middle of 16 bytes
    visit(repeated_kernel<true, stores, S>, kept * (sizeof(S) + sizeof(std::int16_t)) + (summary_.most_near + odd) * sizeof(S));
  }
  void prepare_repeated() const
  {
    const auto prepare = [](auto kernel, std::size_t) { kernels::allow_shared_memory(kernel); };
    with_repeated_kernel<true>(prepare);
    with_repeated_kernel<false>(prepare);
  }
  void launch_repeated(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    if (p.a.repeats == 0) return;
    const auto launch = [&](auto kernel, std::size_t shared) {
      launches.launch(kernel, {p.a.repeats, tuning::device_repeated_warps * image::lanes, shared}, p);
    };
    if (p.update.stores()) with_repeated_kernel<true>(launch);
    else with_repeated_kernel<false>(launch);
  }

  // ---- local tiles

  /// Calls visit(kernel, shape but for the number of blocks) with the kernel for local tiles, which are of real
  /// numbers.
  template <class Visit> static void with_local_kernel(const Visit &visit)
  {
    if constexpr (sizeof(S) == sizeof(double))
      visit(local_kernel<S>, kernels::LaunchShape{1, tuning::device_local_groups * image::LocalTile::rows, sizeof(LocalBlock<S>)});
  }
  void prepare_local()
  {
    with_local_kernel([this](auto kernel, const kernels::LaunchShape &shape) {
      kernels::allow_shared_memory(kernel);
      local_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, shape.threads, shape.shared));
    });
  }
  void launch_local(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    if (p.a.locals == 0) return;
    with_local_kernel([&](auto kernel, kernels::LaunchShape shape) {
      shape.blocks = local_blocks_;
      launches.launch(kernel, shape, p);
    });
  }

  // ---- chunks that follow each other

  /// Calls visit(kernel, bytes of shared memory) with the kernel for consecutive chunks.
  template <class Visit> void with_consecutive_kernel(const Visit &visit) const
  {
    const std::size_t shared = consecutive_warps<S> * summary_.most_ends * sizeof(S);
    if (summary_.all_raw) visit(consecutive_kernel<Work::raw_chunks, S>, shared);
    else visit(consecutive_kernel<Work::chunks, S>, shared);
  }
  void prepare_consecutive()
  {
    with_consecutive_kernel([this](auto kernel, std::size_t shared) {
      kernels::allow_shared_memory(kernel);
      consecutive_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, consecutive_warps<S> * image::lanes, shared));
    });
  }
  void launch_consecutive(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    with_consecutive_kernel([&](auto kernel, std::size_t shared) {
      launches.launch(kernel, {consecutive_blocks_, consecutive_warps<S> * image::lanes, shared}, p);
    });
  }

  // ---- sliding units

  /// Calls visit(kernel, warps) with the kernel of the shape.
  template <bool stores, class Visit> void with_slide_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      const auto each = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
        constexpr image::SlideShape shape = image::slide_shapes[i];
        if (summary_.slide_shape == shape) visit(slide_kernel<SlideWeights<shape.chains, shape.singles>, shape.warps, stores>, shape.warps);
      };
      constexpr int many = image::many_slide_warps;
      if (image::slide_words(summary_.slide_shape) > 1) return visit(slide_kernel<ManySlideWeights, many, stores>, many);
      [&]<std::size_t... i>(std::index_sequence<i...>)
      {
        (each(std::integral_constant<std::size_t, i>()), ...);
      }
      (std::make_index_sequence<image::slide_shapes.size()>());
    }
  }
  void prepare_slides() const
  {
    const auto prepare = [](auto kernel, int) { kernels::allow_shared_memory(kernel); };
    with_slide_kernel<true>(prepare);
    with_slide_kernel<false>(prepare);
  }
  /// With `units`, those that do not slide, too.
  void launch_slides(const Product<S> &p, bool units, kernels::LaunchesBeside &launches) const
  {
    const auto launch = [&](auto kernel, int warps) {
      const auto        w = static_cast<unsigned>(warps), others = units ? (p.a.units + w - 1) / w : 0;
      const std::size_t bytes = static_cast<std::size_t>(p.a.slide_room) * tuning::device_slide_stages * sizeof(double);
      launches.launch(kernel, {p.a.slides + others, w * image::lanes, bytes}, p);
    };
    if (p.update.stores()) with_slide_kernel<true>(launch);
    else with_slide_kernel<false>(launch);
  }

  // ---- hot columns

  /// Calls visit(kernel) with the kernel for chunks with hot columns.
  template <class Visit> void with_hot_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      if (summary_.all_raw) visit(hot_kernel<true, S>);
      else visit(hot_kernel<false, S>);
    }
  }
  /// Bytes of shared memory that a block takes: x of the hot columns, and sums.
  static std::size_t hot_bytes(std::size_t columns)
  {
    return (columns + std::size_t(tuning::device_hot_warps) * tuning::device_hot_sums) * sizeof(S);
  }
  void prepare_hot(std::size_t columns)
  {
    with_hot_kernel([&](auto kernel) {
      kernels::allow_shared_memory(kernel);
      hot_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, tuning::device_hot_warps * image::lanes, hot_bytes(columns)));
    });
  }
  template <Work work> static void launch_pack(const Product<S> &p, kernels::LaunchesBeside &launches)
  {
    constexpr unsigned warps = BlockShape<work, S>::warps;
    launches.launch(pack_hot_kernel<work, S>, {pack_blocks<work>(p.a) + (p.a.units + warps - 1) / warps, warps * image::lanes}, p);
  }
  /// Units, then chunks, which begin when x of the hot columns is packed.
  void launch_hot(const Product<S> &p, kernels::LaunchesBeside &launches) const
  {
    if (summary_.all_by_slot) launch_pack<Work::units_by_slot>(p, launches);
    else launch_pack<Work::units>(p, launches);
    with_hot_kernel([&](auto kernel) {
      kernels::launch_with_last(kernel, {hot_blocks_, tuning::device_hot_warps * image::lanes, hot_bytes(p.a.hots)}, p);
    });
    if (p.a.cuts > 0) join(p);
  }

  image::Summary summary_;
  bool           mostly_tiles_ = false;                                       ///< most entries are in neither units nor chunks
  unsigned       hot_blocks_ = 0, consecutive_blocks_ = 0, local_blocks_ = 0; ///< zero if there are no chunks of that kind
};

/// One block of threads less than there is room for.
template <class S> std::size_t most_waiting_batches()
{
  return static_cast<std::size_t>(kernels::resident_blocks(batch_kernel<Coding::raw, true, S>, device_batch_threads, 0)) - 1;
}

} // namespace petscspmv::ccoo::device

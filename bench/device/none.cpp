/// \file none.cpp
/// The device of a build without CUDA: there is none.

#include "measure/device.hpp"
#include "peers/several.hpp"

namespace petscspmv::bench {

std::string device_problem()
{
  return "this petscspmv-bench was built without CUDA. Build it with -DPETSCSPMV_CUDA=ON, or leave out --device.";
}

std::unique_ptr<Device> open_device(void *)
{
  throw InputError("There is no device: " + device_problem());
}

std::vector<SeveralPeer> several_peers_on_device(bool)
{
  return {};
}

} // namespace petscspmv::bench

// Products that are recorded into a graph of a device.

#include <cuda_runtime.h>

#include "glue/support/device.hpp"

namespace petscspmv::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Types, DeviceTest, EachType(), TypeName);

TEST_P(DeviceTest, AProductIsRecordedInAGraph)
{
  if (Ranks() > 1) GTEST_SKIP() << "MPI cannot be recorded";
  PetscDeviceContext before, context;
  void              *handle;
  Ok(PetscDeviceContextGetCurrentContext(&before));
  Ok(PetscDeviceContextCreate(&context));
  Ok(PetscDeviceContextSetStreamType(context, PETSC_STREAM_NONBLOCKING));
  Ok(PetscDeviceContextSetUp(context));
  Ok(PetscDeviceContextSetCurrentContext(context));
  Ok(PetscDeviceContextGetStreamHandle(context, &handle));
  {
    const auto       stream = *static_cast<cudaStream_t *>(handle);
    const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
    Owned<Vec>       x, y, host_x, expected;
    cudaGraph_t      graph      = nullptr;
    cudaGraphExec_t  executable = nullptr;
    Ok(MatCreateVecs(A, x.out(), y.out()));
    Ok(MatCreateVecs(reference, host_x.out(), expected.out()));
    Ok(VecSet(x, 1));
    Ok(MatMult(A, x, y));
    Ok(PetscDeviceContextSynchronize(context));
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const PetscErrorCode code = MatMult(A, x, y);
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
    Ok(code);
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&executable, graph, 0));
    Ok(VecSet(x, 3));
    Ok(VecSet(y, 0));
    ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize()); // PETSc does that on CUDA's default stream, whatever the current context is
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(executable, stream));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    Ok(VecSet(host_x, 3));
    Ok(MatMult(reference, host_x, expected));
    ExpectSameVectors(y, expected, "the recorded product with another x");
    ASSERT_EQ(cudaSuccess, cudaGraphExecDestroy(executable));
    ASSERT_EQ(cudaSuccess, cudaGraphDestroy(graph));
  }
  Ok(PetscDeviceContextSetCurrentContext(before));
  Ok(PetscDeviceContextDestroy(&context));
}

} // namespace
} // namespace petscspmv::test

#pragma once

/// \file complaints.hpp
/// What is said of bad input.

#include <string>

#include <gtest/gtest.h>

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// What `work` says; the tests look for the place and for what was expected.
template <class Work> std::string complaint(Work &&work)
{
  try {
    work();
  } catch (const InputError &e) {
    return e.what();
  }
  return "no complaint";
}

template <class Work> void expect_complaint(Work &&work, const std::string &part, const std::string &of = "")
{
  const std::string words = complaint(work);
  EXPECT_NE(words.find(part), std::string::npos) << words << "\nfor\n" << of;
}

} // namespace petscspmv::bench

// The cache of tuning results: what is stored is found; what is broken, locked or forbidden costs nothing but the
// result.

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "select/cache/cache.hpp"
#include "select/cache/fingerprint.hpp"
#include "select/cache/flat_json.hpp"
#include "support/csr_matrix.hpp"

namespace petscspmv::test {
namespace {

using select::Cache;
using select::CacheEntry;

class CacheTest : public ::testing::Test {
protected:
  CacheTest()
  {
    char name[] = "/tmp/petscspmv_cache_XXXXXX";
    folder_     = mkdtemp(name);
    path_       = folder_ + "/below/tuning.jsonl";
  }
  ~CacheTest() override
  {
    chmod_folder(0700);
    std::filesystem::remove_all(folder_);
  }
  void chmod_folder(int mode) const
  {
    std::error_code error;
    std::filesystem::permissions(folder_ + "/below", std::filesystem::perms(mode), error);
  }
  void write(const std::string &text, std::ios::openmode how = std::ios::trunc) const
  {
    std::filesystem::create_directories(folder_ + "/below");
    std::ofstream(path_, how) << text;
  }
  static CacheEntry entry(int k, const std::string &options = "tile=1")
  {
    return {{"matrix" + std::to_string(k), "ccoo", "machine"}, options, "an \"entry\"\twith\\all\n"};
  }
  static bool found(const Cache &cache, int k) { return cache.find(entry(k).key).has_value(); }

  /// Runs `work` in a process of its own; its exit status.
  template <class Work> static pid_t in_child(Work work)
  {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    return child;
  }
  static int wait_for(pid_t child)
  {
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::string folder_, path_;
};

TEST_F(CacheTest, FindsWhatWasStored)
{
  Cache cache(path_);
  EXPECT_TRUE(cache.entries().empty());
  EXPECT_EQ(cache.store({entry(1), entry(2)}), "");
  EXPECT_EQ(cache.store({entry(1, "tile=3")}), "");
  ASSERT_TRUE(found(cache, 1) && found(cache, 2));
  EXPECT_EQ(cache.find(entry(1).key)->options, "tile=3");
  EXPECT_EQ(cache.find(entry(1).key)->description, entry(1).description);
  EXPECT_EQ(cache.entries().size(), 2u);
  auto other    = entry(1).key;
  other.machine = "another";
  EXPECT_FALSE(cache.find(other));
  EXPECT_EQ(cache.clear(), "");
  EXPECT_TRUE(cache.entries().empty());
}

TEST_F(CacheTest, PassesOverWhatIsBroken)
{
  const std::string good = select::to_line(entry(1));
  for (const std::string bad : {"", "{", "garbage", "{\"version\":\"1\"}", "[1,2]", "\xff\xfe\x00", "{\"version\":{\"a\":1}}"}) {
    write(bad + "\n" + good + "\n" + good.substr(0, good.size() / 2)); // the last line cut off
    Cache cache(path_);
    EXPECT_TRUE(found(cache, 1)) << bad;
    EXPECT_EQ(cache.entries().size(), 1u);
    EXPECT_EQ(cache.store({entry(2)}), "");
    EXPECT_TRUE(found(cache, 1) && found(cache, 2));
  }
}

TEST_F(CacheTest, EachCutOfAFileIsHarmless)
{
  const std::string whole = select::to_line(entry(1)) + "\n" + select::to_line(entry(2)) + "\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(whole.substr(0, size));
    for (const CacheEntry &e : Cache(path_).entries()) EXPECT_TRUE(e.key == entry(1).key || e.key == entry(2).key);
  }
}

TEST_F(CacheTest, EntriesOfOtherVersionsAreNotOurs)
{
  std::string line = select::to_line(entry(1));
  line.replace(line.find("\"version\":\"1\""), 13, "\"version\":\"2\"");
  write(line + "\n");
  EXPECT_TRUE(Cache(path_).entries().empty());
}

TEST_F(CacheTest, AFileThatCannotBeWrittenCostsTheResultOnly)
{
  Cache nowhere("/proc/no/such/place/tuning.jsonl"), none("");
  EXPECT_NE(nowhere.store({entry(1)}), "");
  EXPECT_NE(none.store({entry(1)}), "");
  EXPECT_FALSE(found(nowhere, 1));
  std::filesystem::create_directories(path_); // a folder where the file should be
  EXPECT_NE(Cache(path_).store({entry(1)}), "");
  EXPECT_TRUE(Cache(path_).entries().empty());
}

// Root may write everywhere, and so is somebody else here.
TEST_F(CacheTest, AFolderThatIsReadOnlyIsRead)
{
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(Cache(path_).store({entry(1)}), "");
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  std::filesystem::permissions(path_, std::filesystem::perms(0644));
  chmod_folder(0555);
  const pid_t child = in_child([&] {
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(2);
    if (!found(Cache(path_), 1)) _exit(3);
    if (Cache(path_).store({entry(2)}).empty()) _exit(4);
    if (!found(Cache(path_), 1)) _exit(5);
  });
  EXPECT_EQ(wait_for(child), 0);
}

TEST_F(CacheTest, NothingIsLostWhereSeveralWrite)
{
  constexpr int              writers = 4, each = 25;
  std::array<pid_t, writers> children;
  for (int w = 0; w < writers; ++w)
    children[std::size_t(w)] = in_child([&] {
      for (int k = 0; k < each; ++k)
        if (!Cache(path_).store({entry(w * each + k)}).empty()) _exit(1);
    });
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  const Cache cache(path_);
  EXPECT_EQ(cache.entries().size(), std::size_t(writers * each));
}

TEST_F(CacheTest, AWriterThatIsKilledLeavesAFileThatIsWhole)
{
  ASSERT_EQ(Cache(path_).store({entry(0)}), "");
  for (int attempt = 0; attempt < 20; ++attempt) {
    const pid_t child = in_child([&] {
      for (int k = 1;; k = k % 50 + 1) Cache(path_).store({entry(k)});
    });
    usleep(2000 + 700 * attempt);
    kill(child, SIGKILL);
    wait_for(child);
    EXPECT_TRUE(found(Cache(path_), 0));
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) EXPECT_TRUE(select::from_line(line)) << line;
    EXPECT_EQ(Cache(path_).store({entry(99)}), "") << "the lock of the dead is free";
  }
  std::size_t files = 0;
  for (const auto &file : std::filesystem::directory_iterator(folder_ + "/below")) files += file.is_regular_file();
  EXPECT_EQ(files, 2u) << "the cache and its lock";
}

TEST_F(CacheTest, WhoHoldsTheLockForeverIsNotWaitedForForever)
{
  ASSERT_EQ(Cache(path_).store({entry(1)}), "");
  const int lock = open((path_ + ".lock").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  EXPECT_NE(Cache(path_).store({entry(2)}), "");
  EXPECT_TRUE(found(Cache(path_), 1)) << "reading needs no lock";
  close(lock);
}

TEST_F(CacheTest, KeepsTheNewest)
{
  std::vector<CacheEntry> many;
  for (int k = 0; k < int(Cache::most_entries) + 5; ++k) many.push_back(entry(k));
  Cache       cache(path_);
  std::string text;
  for (const CacheEntry &e : many) text += select::to_line(e) + "\n";
  write(text);
  ASSERT_EQ(cache.store({entry(-1)}), "");
  EXPECT_EQ(cache.entries().size(), Cache::most_entries);
  EXPECT_TRUE(found(cache, -1));
  EXPECT_FALSE(found(cache, 5));
}

TEST(FlatJsonTest, ComesBackAsItWas)
{
  const select::FlatObject object{{"a", ""}, {"b", "x\"\\\n\t\x01"}, {"\"", "1e-4"}};
  EXPECT_EQ(select::from_flat_json(select::to_flat_json(object)), object);
  EXPECT_EQ(select::from_flat_json(" { \"n\" : -1.5e3 , \"s\" : \"t\" } "), (select::FlatObject{{"n", "-1.5e3"}, {"s", "t"}}));
  for (const char *bad : {"{\"a\":}", "{\"a\":\"b\"", "{\"a\":\"\\u12\"}", "{} x", "{\"a\":\"b\",}", "{\"a\":[1]}", "{\"a\" \"b\"}"})
    EXPECT_FALSE(select::from_flat_json(bad)) << bad;
}

TEST(FingerprintTest, IsOfThePatternAlone)
{
  CsrMatrix<double, std::int32_t> a;
  a.cols = 40;
  for (std::int32_t r = 0; r < 30; ++r) a.add_row({r, r + 1, r + 7});
  const auto before = select::fingerprint(a.view());
  a.val.assign(a.val.size(), 3.0);
  EXPECT_EQ(select::fingerprint(a.view()), before);
  for (std::size_t k = 0; k < a.col.size(); ++k) {
    ++a.col[k];
    EXPECT_NE(select::fingerprint(a.view()), before) << k;
    --a.col[k];
  }
  for (std::size_t r = 1; r + 1 < a.row_ptr.size(); ++r) {
    ++a.row_ptr[r];
    EXPECT_NE(select::fingerprint(a.view()), before) << r;
    --a.row_ptr[r];
  }
  ++a.cols;
  EXPECT_NE(select::fingerprint(a.view()), before);
}

TEST(FingerprintTest, NoticesOtherOptions)
{
  const std::array<OptionSpec, 1> one{{{"rows", 8, 1, 16, "A number"}}}, other{{{"rows", 8, 1, 32, "A number"}}};
  EXPECT_NE(select::fingerprint(one), select::fingerprint(other));
}

} // namespace
} // namespace petscspmv::test

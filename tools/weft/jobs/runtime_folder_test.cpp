// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/runtime_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "weft/testing/login.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using weft::testing::Variable;

class RuntimeFolderTest : public weft::testing::LoginTest {
 protected:
  // The one of the test, among those that exist.
  [[nodiscard]] RuntimeFolder existing() const {
    auto all = RuntimeFolder::existing();
    EXPECT_TRUE(all) << all.error();
    EXPECT_EQ(all.value().at(0).path(), folder());
    return std::move(all.value().at(0));
  }
};

TEST_F(RuntimeFolderTest, IsForItsUserAlone) {
  const auto socket = RuntimeFolder::listen("57");
  ASSERT_TRUE(socket) << socket.error();
  struct stat info = {};
  ASSERT_EQ(stat(folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
  ASSERT_EQ(stat((folder() + "/57").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  close(socket.value().descriptor);
}

TEST_F(RuntimeFolderTest, OneThatTheUserNamesStandsAlone) {
  const auto socket = RuntimeFolder::listen("57");
  EXPECT_EQ(RuntimeFolder::existing().value().size(), 1U);
  // Where it is not named, and the login has the same, the one in /tmp is looked at as well.
  const Variable of_login("XDG_RUNTIME_DIR", login_), named("WEFT_RUNTIME_DIR", "");
  EXPECT_THAT(existing().names(), ElementsAre("57"));
  const auto of_tmp = fmt::format("/tmp/weft-{}", geteuid());
  const auto all = RuntimeFolder::existing();
  EXPECT_TRUE(all.value().size() == 1 || all.value().at(1).path() == of_tmp);
  // Without either, jobs are there.
  const Variable none("XDG_RUNTIME_DIR", "");
  const auto in_tmp = RuntimeFolder::listen("test");
  ASSERT_TRUE(in_tmp) << in_tmp.error();
  EXPECT_EQ(in_tmp.value().folder.path(), of_tmp);
  in_tmp.value().folder.remove(in_tmp.value().name);
  close(in_tmp.value().descriptor);
  close(socket.value().descriptor);
}

TEST_F(RuntimeFolderTest, GoesWithItsLastSocket) {
  const auto one = RuntimeFolder::listen("57"), two = RuntimeFolder::listen("58");
  EXPECT_THAT(existing().names(), ElementsAre("57", "58"));
  close(one.value().descriptor);
  one.value().folder.remove("57");
  EXPECT_THAT(existing().names(), ElementsAre("58"));
  close(two.value().descriptor);
  two.value().folder.remove("58");
  EXPECT_FALSE(fs::exists(folder()));
  // And comes back.
  const auto three = RuntimeFolder::listen("59");
  ASSERT_TRUE(three) << three.error();
  EXPECT_THAT(existing().names(), ElementsAre("59"));
  close(three.value().descriptor);
}

TEST_F(RuntimeFolderTest, ConnectsToThoseThatListen) {
  const auto socket = RuntimeFolder::listen("57");
  const int connection = existing().connect("57");
  EXPECT_GE(connection, 0);
  close(connection);
  EXPECT_EQ(existing().connect("58"), -1);
  close(socket.value().descriptor);
  EXPECT_EQ(existing().connect("57"), -1);
}

TEST_F(RuntimeFolderTest, SweepsSocketsOfTheDead) {
  const auto dead = RuntimeFolder::listen("57"), alive = RuntimeFolder::listen("58");
  close(dead.value().descriptor);
  existing().sweep();
  EXPECT_THAT(existing().names(), ElementsAre("58"));
  close(alive.value().descriptor);
  existing().sweep();
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(RuntimeFolderTest, ANameThatIsTakenGetsANumber) {
  const auto dead = RuntimeFolder::listen("57"), other = RuntimeFolder::listen("58");
  close(dead.value().descriptor);
  close(other.value().descriptor);
  const auto one = RuntimeFolder::listen("57"), two = RuntimeFolder::listen("57");
  EXPECT_THAT(existing().names(), ElementsAre("57", "57-2"));
  EXPECT_EQ(one.value().name, "57");
  EXPECT_EQ(two.value().name, "57-2");
  close(one.value().descriptor);
  close(two.value().descriptor);
}

TEST_F(RuntimeFolderTest, OneThatIsOpenToOthersIsRefused) {
  fs::create_directory(folder());
  chmod(folder().c_str(), 0755);
  EXPECT_THAT(RuntimeFolder::listen("57").error(), HasSubstr("is open to others (mode 755)"));
  EXPECT_THAT(RuntimeFolder::existing().error(), HasSubstr("chmod 700 " + folder()));
}

TEST_F(RuntimeFolderTest, OneOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(folder());
  chmod(folder().c_str(), 0700);
  ASSERT_EQ(chown(folder().c_str(), 1, 1), 0);
  EXPECT_THAT(RuntimeFolder::listen("57").error(), HasSubstr("belongs to another user"));
  EXPECT_THAT(RuntimeFolder::existing().error(), HasSubstr("belongs to another user"));
}

TEST_F(RuntimeFolderTest, NoLinkIsFollowed) {
  fs::create_directory(login_ / "elsewhere");
  chmod((login_ / "elsewhere").c_str(), 0700);
  fs::create_symlink(login_ / "elsewhere", folder());
  EXPECT_FALSE(RuntimeFolder::listen("57"));
  EXPECT_TRUE(fs::is_empty(login_ / "elsewhere"));
}

}  // namespace
}  // namespace weft

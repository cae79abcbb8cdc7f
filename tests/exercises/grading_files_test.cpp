/// What the grader finds on disk, and what it writes for a student, a teacher and their tools.
#include <gtest/gtest.h>
#include <io/error.hpp>
#include <lab/grading/class.hpp>
#include <lab/grading/grade.hpp>
#include <tests/io/files.hpp>
#include <tests/support/message.hpp>

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::lab::grading {
namespace {

namespace fs = std::filesystem;

/// A folder that a test fills.
class grading_files : public testing::Test {
 protected:
  grading_files() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~grading_files() override { fs::remove_all(root_); }

  std::string file(std::string const& name, std::string const& text = "") {
    fs::path const path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  [[nodiscard]] std::string path(std::string const& name) const { return (root_ / name).string(); }

 private:
  fs::path root_ =  // of this process: tests run side by side
      fs::path(testing::TempDir()) / ("upsweep_grading_files_" + std::to_string(getpid()));
};

TEST_F(grading_files, students_are_sorted_and_have_what_they_handed_in) {
  for (auto const* const name : {"zoe", "ada", "mia", "bob", "lea", "eve", "kim", "dan"})
    file(std::string(name) + "/kernel.cu");
  for (auto const* const part : {"third", "first", "second", "tenth", "fifth"})
    file(std::string("cyd/") + part + "/kernel.cu");
  file("notes/readme.txt"), file(".git/kernel.cu"), file("list.txt");
  std::string names;
  for (auto const& s : students_in(path("."), "")) {
    names += s.name + ' ';
    if (s.name == "ada") {
      EXPECT_EQ(s.paths, std::vector{path("./ada")});
    }
    if (s.name != "cyd") continue;
    EXPECT_EQ(s.paths, (std::vector{path("./cyd/fifth"), path("./cyd/first"), path("./cyd/second"),
                                    path("./cyd/tenth"), path("./cyd/third")}));
  }
  EXPECT_EQ(names, "ada bob cyd dan eve kim lea mia zoe ");

  auto const single = file("single/max.cu");
  auto const found = students_in(path("single"), "01");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "max");
  EXPECT_EQ(found[0].paths, std::vector{single});
  EXPECT_NE(test::message_of<io::usage_error>([&] {
              static_cast<void>(students_in(path("single"), ""));
            }).find("does not say which exercise"),
            std::string::npos);
  EXPECT_NE(test::message_of<io::usage_error>([&] {
              static_cast<void>(students_in(path("notes"), ""));
            }).find("there is no submission in"),
            std::string::npos);
}

TEST_F(grading_files, submissions_are_found_by_folder_file_and_name) {
  auto const kernel = file("02-missing-barrier/kernel.cu");
  auto const by_folder = find_submission(path("02-missing-barrier"));
  EXPECT_EQ(by_folder.task.name, "02-missing-barrier");
  EXPECT_EQ(by_folder.file, kernel);
  EXPECT_EQ(find_submission(kernel).task.name, "02-missing-barrier");
  EXPECT_EQ(find_submission(kernel, "3").task.name, "03-barrier-in-branch");
  EXPECT_EQ(find_submission(path("02-missing-barrier"), "03").task.name, "03-barrier-in-branch");
  file("here/exercise.json", R"({"name": "04-warp-lockstep"})"), file("here/kernel.cu");
  EXPECT_EQ(find_submission(path("here")).task.name, "04-warp-lockstep");
  EXPECT_EQ(exercise_named(path("here")).name, "04-warp-lockstep");

  auto const all = all_submissions(path("."), "");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].task.name, "02-missing-barrier");
  EXPECT_EQ(all[1].task.name, "04-warp-lockstep");
  EXPECT_EQ(all_submissions(path("."), "1")[1].task.name, "01-in-place-race");
}

TEST_F(grading_files, what_names_no_exercise_is_refused_with_the_nearest_name) {
  for (auto const& e : known_exercises()) EXPECT_EQ(exercise_named(e.name).name, e.name);
  EXPECT_EQ(exercise_named("1").name, "01-in-place-race");
  EXPECT_EQ(exercise_named("10").name, "10-non-associative");
  for (auto const* const word : {"", "0", "001", "1x", "x1", "99", ":", "/1"})
    EXPECT_NE(test::message_of<io::usage_error>([&] {
                static_cast<void>(exercise_named(word));
              }).find(std::string("there is no exercise '") + word + "'"),
              std::string::npos)
        << word;
  EXPECT_NE(test::message_of<io::usage_error>([&] {
              static_cast<void>(exercise_named("02-missing-barier"));
            }).find("did you mean '02-missing-barrier'?"),
            std::string::npos);
  file("odd/kernel.cu"), file("empty/readme");
  EXPECT_NE(test::message_of<io::usage_error>([&] {
              static_cast<void>(find_submission(path("odd")));
            }).find("'odd' is not an exercise of the tool"),
            std::string::npos);
  // Without a name, rules are read, and refused by their reader.
  for (auto const* const rules : {"[]", "3", "{}", R"({"name": 4})", "{"}) {
    file("own/exercise.json", rules), file("own/kernel.cu");
    EXPECT_THROW(static_cast<void>(find_submission(path("own"))), io::data_error) << rules;
  }
  EXPECT_NE(test::message_of<io::usage_error>([&] {
              static_cast<void>(find_submission(path("empty")));
            }).find("has no kernel.cu"),
            std::string::npos);
  EXPECT_NE(test::message_of<io::usage_error>([&] {
              static_cast<void>(all_submissions(path("empty"), ""));
            }).find("contains a kernel.cu"),
            std::string::npos);
}

/// grade_class() runs its own program with `grade`: this one then plays the tool, and grades a
/// submission by its name.
bool const plays_the_tool = [] {
  std::ifstream line("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(line, word, '\0');) words.push_back(word);
  if (words.size() < 2 || words[1] != "grade") return false;
  std::string const of = words.back();
  if (of == "silent") std::cout << "cannot\n\n" << std::flush;
  if (of == "talks") std::cout << std::string(600, 'x') << std::flush;
  words.erase(words.begin());
  auto const json = std::find(words.begin(), words.end(), "--json");
  if (of == "right" || of == "broken" || of == "list" || of == "empty") {
    std::ofstream out(*std::next(json));
    if (of == "broken") out << "{";
    if (of == "list") out << "[1]";
    if (of == "empty") out << R"({"exercises": []})";
    if (of == "right")
      out << nlohmann::json{
          {"exercises", nlohmann::json::array({{{"points", 3}, {"of", 4}, {"words", words}}})}};
  }
  std::_Exit(0);
}();

TEST(classes, are_graded_by_one_process_for_each_submission) {
  EXPECT_FALSE(plays_the_tool);
  class_options options;
  options.exercise = "e", options.jobs = 2;
  options.how = {.compiler = "c++-9", .seed = 7, .seconds = 2.5};
  std::vector<std::size_t> done;
  std::multiset<std::string> names;
  auto const all =
      grade_class({{"ada", {"right"}},
                   {"bob", {"silent", "right", "broken", "list", "empty", "talks", "right"}}},
                  options, [&](std::size_t now, std::size_t of, std::string const& name) {
                    done.push_back(now), names.insert(name);
                    EXPECT_EQ(of, 8u);
                  });
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(names.count("ada") * 10 + names.count("bob"), 17u);
  EXPECT_EQ(all["seed"], 7);
  auto const& ada = all["students"][0];
  auto const& bob = all["students"][1];
  EXPECT_EQ(ada["name"], "ada");
  EXPECT_EQ(ada["points"].get<int>() * 10 + ada["of"].get<int>(), 34);
  EXPECT_EQ(bob["points"].get<int>() * 10 + bob["of"].get<int>(), 68);
  std::vector<std::string> words = ada["exercises"][0]["words"];
  ASSERT_EQ(words.size(), 11u);
  EXPECT_FALSE(fs::exists(fs::path(words[6]).parent_path().parent_path())) << "the folder is left";
  words[6] = "file";
  EXPECT_EQ(words,
            (std::vector<std::string>{"grade", "--seed", "7", "--limit", "2.5", "--json", "file",
                                      "--compiler=c++-9", "--exercise=e", "--", "right"}));
  ASSERT_EQ(bob["exercises"].size(), 7u);
  auto silent = bob["exercises"][0];
  silent["seconds"] = 0;
  EXPECT_EQ(silent.dump(),
            R"({"name":"e","title":"","file":"silent","state":"not graded","points":0,"of":0,)"
            R"("seconds":0,"error":"cannot","checks":[]})");
  for (std::size_t const i : {2u, 3u, 4u, 5u})
    EXPECT_EQ(bob["exercises"][i]["state"], "not graded") << i;
  EXPECT_EQ(bob["exercises"][5]["error"], std::string(500, 'x'));
}

TEST(classes, are_graded_with_what_was_asked_for_and_until_an_exception) {
  class_options options;
  options.jobs = 1;
  auto const all =
      grade_class({{"ada", {"right"}}}, options, [](auto, auto, std::string const&) {});
  EXPECT_EQ(all["students"][0]["exercises"][0]["words"].size(), 9u)
      << "a compiler or an exercise that nobody named";
  int calls = 0;
  EXPECT_THROW(static_cast<void>(grade_class({{"ada", {"right", "right"}}}, options,
                                             [&](auto, auto, std::string const&) {
                                               ++calls;
                                               throw std::runtime_error("ends");
                                             })),
               std::runtime_error);
  EXPECT_EQ(calls, 1) << "the rest is not graded";
}

/// A kernel whose second line is shown.
std::string shown_kernel() {
  static io::test::scratch const folder;  // of this process: tests run side by side
  return folder.write("shown_kernel.cu", "int x;\n \ttile[t] = x;\n");
}

/// Grades of one exercise: right, wrong in its second check, not compiled, not allowed.
std::vector<grade> four() {
  exercise task;
  task.name = "08-x", task.title = "A title";
  grade right{{task, "a/kernel.cu"}, {}, {{"one", 2, 2, {}}, {"two", 3, 3, {}}}, 1.5};
  grade wrong = right;
  std::string const source = shown_kernel();
  wrong.checks[1] = {
      "two", 0, 3, {"race", "it's <so>", "look", {{source, 2}, {source, 2}, {}}, "n = 4"}};
  grade broken = right;
  broken.compiled.error = "kernel.cu:3: error\n  x\ty\n";
  for (auto& c : broken.checks)
    c = {c.title, 0, c.of, {"does not compile", broken.compiled.error, {}, {}, {}}};
  grade refused = broken;
  refused.compiled.is_allowed = false;
  return {right, wrong, broken, refused};
}

TEST(texts_of_grades, show_each_check_and_the_first_failure_with_its_line) {
  auto const all = four();
  EXPECT_EQ(text_of(all[0]),
            "08-x: A title\n"
            "   2/2  right one\n"
            "   3/3  right two\n"
            "  5 of 5 points\n");
  EXPECT_EQ(text_of(all[1]),
            "08-x: A title\n"
            "   2/2  right one\n"
            "   0/3  WRONG two\n"
            "  2 of 5 points\n"
            "\n"
            "  n = 4: race: it's <so>\n"
            "    shown_kernel.cu:2  tile[t] = x;\n"
            "  look\n");
  EXPECT_EQ(text_of(all[2]),
            "08-x: A title\n"
            "  does not compile:\n"
            "    kernel.cu:3: error\n"
            "      x\ty\n"
            "  0 of 5 points\n");
  EXPECT_EQ(text_of(all[3]).substr(0, 29), "08-x: A title\n  not allowed:\n");
}

TEST(json_of_grades, has_points_states_and_the_positions_of_a_failure) {
  auto const all = json_of(four());
  EXPECT_EQ(all["points"], 7);
  EXPECT_EQ(all["of"], 20);
  EXPECT_EQ(all["passed"], false);
  EXPECT_EQ(json_of({four()[0], four()[0]})["passed"], true);
  EXPECT_EQ(json_of({four()[1], four()[0]})["passed"], false);
  auto const& right = all["exercises"][0];
  EXPECT_EQ(right.dump(),
            R"({"name":"08-x","title":"A title","file":"a/kernel.cu","state":"passed","points":5,)"
            R"("of":5,"seconds":1.5,"checks":[{"title":"one","points":2,"of":2,"passed":true},)"
            R"({"title":"two","points":3,"of":3,"passed":true}]})");
  auto const& wrong = all["exercises"][1]["checks"][1];
  EXPECT_EQ(wrong["kind"], "race");
  EXPECT_EQ(wrong["run"], "n = 4");
  EXPECT_EQ(wrong["advice"], "look");
  ASSERT_EQ(wrong["at"].size(), 2u) << "a position without a line is none";
  EXPECT_EQ(wrong["at"][0]["file"], "shown_kernel.cu");
  EXPECT_EQ(wrong["at"][0]["line"], 2);
  EXPECT_EQ(wrong["at"][0]["text"], "tile[t] = x;");
  EXPECT_EQ(all["exercises"][2]["compiler"], "kernel.cu:3: error\n  x\ty\n");
  EXPECT_EQ(all["exercises"][3]["state"], "not allowed");
}

TEST(junit_of_grades, counts_what_was_tested_and_escapes_line_ends) {
  std::string const xml = junit_of(four());
  auto const has = [&](std::string const& part) { return xml.find(part) != std::string::npos; };
  // Three cases each where the file compiled, else one.
  EXPECT_TRUE(has(R"(<testsuites name="upsweep grade" tests="8" failures="1" errors="2">)")) << xml;
  EXPECT_TRUE(has(R"(<testsuite name="08-x" tests="3" failures="0" errors="0" time="1.500">)"));
  EXPECT_TRUE(has(R"(<testsuite name="08-x" tests="3" failures="1" errors="0")"));
  EXPECT_TRUE(has(R"(<testsuite name="08-x" tests="1" failures="0" errors="1")"));
  EXPECT_TRUE(has(R"(<property name="points" value="2"/>)"));
  EXPECT_TRUE(has(R"(<property name="of" value="5"/>)"));
  EXPECT_TRUE(has(R"(<failure type="race" message="it's &lt;so&gt;">  n = 4: race: )"));
  EXPECT_TRUE(
      has(R"(message="the file was not run">kernel.cu:3: error&#10;  x&#9;y&#10;</error>)"));
}

/// A class of two: `four` graded files, the wrong one twice with other points.
nlohmann::ordered_json graded_class() {
  auto const e = json_of(four())["exercises"];
  nlohmann::ordered_json c{{"seed", 77}, {"students", nlohmann::ordered_json::array()}};
  auto better = e[1], other = e[1], lost = e[3];
  better["points"] = 1, other["points"] = 0, lost["error"] = "-gone\r\n, it \"is\"";
  lost["name"] = "09-y", lost["checks"] = nlohmann::ordered_json::array();
  other["name"] = "07-w";
  c["students"].push_back({{"name", "ada"}, {"points", 5}, {"of", 5}, {"exercises", {e[0]}}});
  c["students"].push_back(
      {{"name", "=bob"}, {"points", 1}, {"of", 15}, {"exercises", {other, better, lost}}});
  c["students"][1]["exercises"].push_back(other);
  c["students"][1]["exercises"][3]["name"] = "08-x";
  return c;
}

TEST(tables_of_classes, have_a_column_for_each_exercise_with_the_best_points) {
  EXPECT_EQ(table_of_class(graded_class()),
            "student  07-w  08-x         09-y  points\n"
            "ada         -   5/5            -     5/5\n"
            "=bob      0/5   1/5  not allowed    1/15\n");
}

TEST(csv_of_classes, has_a_line_for_each_file_and_no_formula) {
  EXPECT_EQ(csv_of_class(graded_class()),
            "student,exercise,state,points,of,seconds,kind,line,explanation\n"
            "ada,08-x,passed,5,5,1.5,,,\n"
            "'=bob,07-w,failed,0,5,1.5,race,2,it's <so>\n"
            "'=bob,08-x,failed,1,5,1.5,race,2,it's <so>\n"
            "'=bob,09-y,not allowed,0,5,1.5,,,\"'-gone  , it \"\"is\"\"\"\n"
            "'=bob,08-x,failed,0,5,1.5,race,2,it's <so>\n");
}

TEST(pages_of_classes, mark_full_some_and_no_points_and_explain_each_file) {
  std::string const page = page_of_class(graded_class());
  auto const has = [&](std::string const& part) { return page.find(part) != std::string::npos; };
  EXPECT_TRUE(has("<p>Seed 77.</p>"));
  EXPECT_TRUE(
      has("<tr><td><a href=\"#s0\">ada</a></td><td>-</td><td class=\"full\">5/5</td>"
          "<td>-</td><td>5/5</td></tr>\n"))
      << page;
  EXPECT_TRUE(
      has("<a href=\"#s1\">=bob</a></td><td class=\"none\">0/5</td>"
          "<td class=\"part\">1/5</td><td class=\"none\">not allowed</td>"));
  EXPECT_TRUE(has("<h2 id=\"s1\">=bob</h2>"));
  EXPECT_TRUE(
      has("<details><summary><b>08-x</b> A title <span class=\"full\">5/5</span>"
          "</summary>\n<ul>\n<li class=\"full\">2/2 one</li>\n"
          "<li class=\"full\">3/3 two</li>\n</ul>\n</details>\n"));
  EXPECT_TRUE(
      has("<span class=\"part\">1/5</span></summary>\n<ul>\n"
          "<li class=\"full\">2/2 one</li>\n<li class=\"none\">0/3 two</li>\n</ul>\n"
          "<p>n = 4: <b>race</b>: it's &lt;so&gt;</p>\n"
          "<pre>shown_kernel.cu:2  tile[t] = x;</pre>\n"));
  EXPECT_TRUE(has("<p>look</p>\n</details>"));
  EXPECT_TRUE(
      has("<span class=\"part\">not allowed</span></summary>\n"
          "<pre>-gone\r\n, it &quot;is&quot;</pre>\n</details>"));
}

}  // namespace
}  // namespace upsweep::lab::grading

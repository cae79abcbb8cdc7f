/// The textbook's scans of a warp or a block on the emulator: any size, every schedule, the
/// reference's values, no finding.
#include <textbook/scan_agreement.hpp>
#include <upsweep/textbook/scan/block/blelloch.hpp>
#include <upsweep/textbook/scan/block/blelloch_padded.hpp>
#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>
#include <upsweep/textbook/scan/block/brent_kung.hpp>
#include <upsweep/textbook/scan/block/hillis_steele.hpp>
#include <upsweep/textbook/scan/block/kogge_stone.hpp>
#include <upsweep/textbook/scan/block/kogge_stone_double.hpp>
#include <upsweep/textbook/scan/block/kogge_stone_global.hpp>
#include <upsweep/textbook/scan/block/quadratic.hpp>
#include <upsweep/textbook/scan/block/serial_scan.hpp>
#include <upsweep/textbook/scan/warp/crossbar_scan.hpp>
#include <upsweep/textbook/scan/warp/warp_shuffle_scan.hpp>

namespace upsweep::test {
namespace {

using namespace textbook;

template <int threads>
using serial_inclusive = serial_scan_plan<threads, false>;
template <int threads>
using serial_exclusive = serial_scan_plan<threads, true>;
template <int threads>
using kogge_stone_inclusive = kogge_stone_plan<threads, false>;
template <int threads>
using kogge_stone_exclusive = kogge_stone_plan<threads, true>;

TEST(serial_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<serial_inclusive>();
  expect_scans_everything<serial_exclusive>();
}
TEST(quadratic, agrees_with_the_reference_everywhere) {
  expect_scans_everything<quadratic_plan>();
}
TEST(kogge_stone_global, agrees_with_the_reference_everywhere) {
  expect_scans_everything<kogge_stone_global_plan>();
}
TEST(kogge_stone, agrees_with_the_reference_everywhere) {
  expect_scans_everything<kogge_stone_inclusive>();
}
TEST(kogge_stone, agrees_with_the_reference_everywhere_in_its_exclusive_form) {
  expect_scans_everything<kogge_stone_exclusive>();
}
TEST(kogge_stone_double, agrees_with_the_reference_everywhere) {
  expect_scans_everything<kogge_stone_double_plan>();
}
TEST(hillis_steele, agrees_with_the_reference_everywhere) {
  expect_scans_everything<hillis_steele_plan>();
}
TEST(brent_kung, agrees_with_the_reference_everywhere) {
  expect_scans_everything<brent_kung_plan>();
}
TEST(blelloch, agrees_with_the_reference_everywhere) {
  expect_scans_everything<blelloch_plan>();
}
TEST(blelloch_padded, agrees_with_the_reference_everywhere) {
  expect_scans_everything<blelloch_padded_plan>();
}
TEST(crossbar_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<crossbar_scan_plan>();
}

TEST(warp_shuffle_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<warp_shuffle_scan_plan>();
}
TEST(block_shuffle_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<block_shuffle_scan_plan>();
}

}  // namespace
}  // namespace upsweep::test

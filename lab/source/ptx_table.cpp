/// Instruction -> function, by purpose.
#include <lab/source/ptx.hpp>

#include <algorithm>
#include <span>
#include <string_view>

namespace upsweep::lab::source {

namespace {

constexpr ptx_row instructions[] = {
    // global, shared and generic memory
    {"ld.T", "$0 = ptx::load<$T>($1)"},
    {"ld.volatile.T", "$0 = ptx::load_volatile<$T>($1)"},
    {"ld.relaxed.T", "$0 = ptx::load_relaxed<$T>($1, $S)"},
    {"ld.acquire.T", "$0 = ptx::load_acquire<$T>($1, $S)"},
    {"ld.v.T", "ptx::load_vector<$T>($1, $0)"},
    {"ld.volatile.v.T", "ptx::load_vector_volatile<$T>($1, $0)"},
    {"ld.relaxed.v.T", "ptx::load_vector_relaxed<$T>($1, $S, $0)"},
    {"ld.acquire.v.T", "ptx::load_vector_acquire<$T>($1, $S, $0)"},
    {"ldu.T", "$0 = ptx::load<$T>($1)"},
    {"st.T", "ptx::store<$T>($0, $1)"},
    {"st.volatile.T", "ptx::store_volatile<$T>($0, $1)"},
    {"st.relaxed.T", "ptx::store_relaxed<$T>($0, $1, $S)"},
    {"st.release.T", "ptx::store_release<$T>($0, $1, $S)"},
    {"st.v.T", "ptx::store_vector<$T>($0, $1)"},
    {"st.volatile.v.T", "ptx::store_vector_volatile<$T>($0, $1)"},
    {"st.relaxed.v.T", "ptx::store_vector_relaxed<$T>($0, $S, $1)"},
    {"st.release.v.T", "ptx::store_vector_release<$T>($0, $S, $1)"},
    {"prefetch", ""},
    {"prefetchu.L1", ""},
    {"cvta.to.shared.T", "$0 = ptx::to_shared<$T>($1)"},
    {"cvta.shared.T", "$0 = ptx::from_shared<$T>($1)"},
    {"cvta.to.global.T", "$0 = ptx::move<$T>($1)"},
    {"cvta.global.T", "$0 = ptx::move<$T>($1)"},

    // atomics; red has no result
    {"atom.add.T", "$0 = ptx::atomic_add<$T>($1, $2, $O, $S)"},
    {"atom.min.T", "$0 = ptx::atomic_min<$T>($1, $2, $O, $S)"},
    {"atom.max.T", "$0 = ptx::atomic_max<$T>($1, $2, $O, $S)"},
    {"atom.and.T", "$0 = ptx::atomic_and<$T>($1, $2, $O, $S)"},
    {"atom.or.T", "$0 = ptx::atomic_or<$T>($1, $2, $O, $S)"},
    {"atom.xor.T", "$0 = ptx::atomic_xor<$T>($1, $2, $O, $S)"},
    {"atom.inc.T", "$0 = ptx::atomic_inc<$T>($1, $2, $O, $S)"},
    {"atom.dec.T", "$0 = ptx::atomic_dec<$T>($1, $2, $O, $S)"},
    {"atom.exch.T", "$0 = ptx::atomic_exch<$T>($1, $2, $O, $S)"},
    {"atom.cas.T", "$0 = ptx::atomic_cas<$T>($1, $2, $3, $O, $S)"},
    {"red.add.T", "ptx::atomic_add<$T>($0, $1, $O, $S)"},
    {"red.min.T", "ptx::atomic_min<$T>($0, $1, $O, $S)"},
    {"red.max.T", "ptx::atomic_max<$T>($0, $1, $O, $S)"},
    {"red.and.T", "ptx::atomic_and<$T>($0, $1, $O, $S)"},
    {"red.or.T", "ptx::atomic_or<$T>($0, $1, $O, $S)"},
    {"red.xor.T", "ptx::atomic_xor<$T>($0, $1, $O, $S)"},
    {"red.inc.T", "ptx::atomic_inc<$T>($0, $1, $O, $S)"},
    {"red.dec.T", "ptx::atomic_dec<$T>($0, $1, $O, $S)"},

    // fences and barriers
    {"membar", "ptx::fence($S)"},
    {"fence", "ptx::fence($S)"},
    {"fence.proxy", ""},
    {"fence.mbarrier_init", "ptx::fence($S)"},
    {"bar.sync", "ptx::barrier_sync($0$1+)"},
    {"bar.arrive", "ptx::barrier_arrive($0$1+)"},
    {"barrier.sync", "ptx::barrier_sync($0$1+)"},
    {"barrier.arrive", "ptx::barrier_arrive($0$1+)"},
    {"bar.warp.sync", "__syncwarp($0)"},

    // asynchronous copies
    {"cp.async", "ptx::cp_async($0, $1, $2$3+)"},
    {"cp.async.commit_group", "ptx::cp_async_commit_group()"},
    {"cp.async.wait_group", "ptx::cp_async_wait_group($0)"},
    {"cp.async.wait_all", "ptx::cp_async_wait_all()"},
    {"cp.async.mbarrier.arrive.T", "ptx::cp_async_mbarrier_arrive($0)"},
    {"cp.async.mbarrier.arrive.noinc.T", "ptx::cp_async_mbarrier_arrive_noinc($0)"},

    // mbarrier: an address of 8 bytes in shared memory; a state is a std::uint64_t
    {"mbarrier.init.T", "ptx::mbarrier_init($0, $1)"},
    {"mbarrier.inval.T", "ptx::mbarrier_inval($0)"},
    {"mbarrier.arrive.T", "$0 = ptx::mbarrier_arrive($1$2+)"},
    {"mbarrier.arrive.expect_tx.T", "$0 = ptx::mbarrier_arrive_expect_tx($1, $2)"},
    {"mbarrier.expect_tx.T", "ptx::mbarrier_expect_tx($0, $1)"},
    {"mbarrier.test_wait.T", "$0 = ptx::mbarrier_test_wait($1, $2)"},
    {"mbarrier.try_wait.T", "$0 = ptx::mbarrier_test_wait($1, $2)"},
    {"mbarrier.test_wait.parity.T", "$0 = ptx::mbarrier_test_wait_parity($1, $2)"},
    {"mbarrier.try_wait.parity.T", "$0 = ptx::mbarrier_test_wait_parity($1, $2)"},

    // within a warp; the third operand of shfl holds the limit and the mask of segments
    {"shfl.sync.idx.T", "$0 = ptx::shfl_idx($1, $2, $3, $4$P)"},
    {"shfl.sync.up.T", "$0 = ptx::shfl_up($1, $2, $3, $4$P)"},
    {"shfl.sync.down.T", "$0 = ptx::shfl_down($1, $2, $3, $4$P)"},
    {"shfl.sync.bfly.T", "$0 = ptx::shfl_bfly($1, $2, $3, $4$P)"},
    {"vote.sync.ballot.T", "$0 = __ballot_sync($2, $1)"},
    {"vote.sync.any.pred", "$0 = __any_sync($2, $1)"},
    {"vote.sync.all.pred", "$0 = __all_sync($2, $1)"},
    {"vote.sync.uni.pred", "$0 = ptx::vote_uni($2, $1)"},
    {"match.any.sync.T", "$0 = __match_any_sync($2, $1)"},
    {"match.all.sync.T", "$0 = ptx::match_all($2, $1$P)"},
    {"redux.sync.add.T", "$0 = __reduce_add_sync($2, $T($1))"},
    {"redux.sync.min.T", "$0 = __reduce_min_sync($2, $T($1))"},
    {"redux.sync.max.T", "$0 = __reduce_max_sync($2, $T($1))"},
    {"redux.sync.and.T", "$0 = __reduce_and_sync($2, $T($1))"},
    {"redux.sync.or.T", "$0 = __reduce_or_sync($2, $T($1))"},
    {"redux.sync.xor.T", "$0 = __reduce_xor_sync($2, $T($1))"},
    {"activemask.T", "$0 = __activemask()"},
    {"nanosleep.T", "__nanosleep($0)"},
    {"trap", "__trap()"},
    {"brkpt", ""},
    {"exit", "ptx::exit()"},
    {"griddepcontrol.wait", ""},
    {"griddepcontrol.launch_dependents", ""},

    // bits
    {"popc.T", "$0 = ptx::popc<$T>($1)"},
    {"clz.T", "$0 = ptx::clz<$T>($1)"},
    {"brev.T", "$0 = ptx::brev<$T>($1)"},
    {"bfind.T", "$0 = ptx::bfind<$T>($1)"},
    {"bfind.shiftamt.T", "$0 = ptx::bfind_shiftamt<$T>($1)"},
    {"bfe.T", "$0 = ptx::bfe<$T>($1, $2, $3)"},
    {"bfi.T", "$0 = ptx::bfi<$T>($1, $2, $3, $4)"},
    {"lop3.T", "$0 = ptx::lop3($1, $2, $3, $4)"},
    {"prmt.T", "$0 = __byte_perm($1, $2, $3)"},
    {"shf.l.wrap.T", "$0 = __funnelshift_l($1, $2, $3)"},
    {"shf.r.wrap.T", "$0 = __funnelshift_r($1, $2, $3)"},
    {"shf.l.clamp.T", "$0 = __funnelshift_lc($1, $2, $3)"},
    {"shf.r.clamp.T", "$0 = __funnelshift_rc($1, $2, $3)"},
    {"and.T", "$0 = ptx::bit_and<$T>($1, $2)"},
    {"or.T", "$0 = ptx::bit_or<$T>($1, $2)"},
    {"xor.T", "$0 = ptx::bit_xor<$T>($1, $2)"},
    {"not.T", "$0 = ptx::bit_not<$T>($1)"},
    {"shl.T", "$0 = ptx::shl<$T>($1, $2)"},
    {"shr.T", "$0 = ptx::shr<$T>($1, $2)"},

    // arithmetic in the type of the instruction; lo and hi are halves of the product, wide is whole
    {"mov.T", "$0 = ptx::move<$D>($1)"},
    {"mov.pack", "$0 = ptx::pack<$D>($1)"},
    {"mov.unpack", "ptx::unpack($1, $0)"},
    {"cvt.T", "$0 = ptx::convert<$T, $U>($1)"},
    {"add.T", "$0 = ptx::add<$T>($1, $2)"},
    {"sub.T", "$0 = ptx::sub<$T>($1, $2)"},
    {"mul.T", "$0 = ptx::mul<$T>($1, $2)"},
    {"mul.lo.T", "$0 = ptx::mul<$T>($1, $2)"},
    {"mul.hi.T", "$0 = ptx::mul_hi<$T>($1, $2)"},
    {"mul.wide.T", "$0 = ptx::mul_wide<$T>($1, $2)"},
    {"mad.T", "$0 = ptx::fma<$T>($1, $2, $3)"},
    {"mad.lo.T", "$0 = ptx::mad<$T>($1, $2, $3)"},
    {"mad.hi.T", "$0 = ptx::mad_hi<$T>($1, $2, $3)"},
    {"mad.wide.T", "$0 = ptx::mad_wide<$T>($1, $2, $3)"},
    {"fma.T", "$0 = ptx::fma<$T>($1, $2, $3)"},
    {"div.T", "$0 = ptx::div<$T>($1, $2)"},
    {"rem.T", "$0 = ptx::rem<$T>($1, $2)"},
    {"min.T", "$0 = ptx::min<$T>($1, $2)"},
    {"max.T", "$0 = ptx::max<$T>($1, $2)"},
    {"neg.T", "$0 = ptx::neg<$T>($1)"},
    {"abs.T", "$0 = ptx::abs<$T>($1)"},
    {"selp.T", "$0 = ptx::selp<$T>($1, $2, $3)"},
    {"setp.eq.T", "$0 = ptx::equal<$T>($1, $2)"},
    {"setp.ne.T", "$0 = !ptx::equal<$T>($1, $2)"},
    {"setp.lt.T", "$0 = ptx::less<$T>($1, $2)"},
    {"setp.gt.T", "$0 = ptx::less<$T>($2, $1)"},
    {"setp.le.T", "$0 = ptx::less_equal<$T>($1, $2)"},
    {"setp.ge.T", "$0 = ptx::less_equal<$T>($2, $1)"},
    {"ex2.T", "$0 = ptx::ex2<$T>($1)"},
    {"lg2.T", "$0 = ptx::lg2<$T>($1)"},
    {"rcp.T", "$0 = ptx::rcp<$T>($1)"},
    {"rsqrt.T", "$0 = ptx::rsqrt<$T>($1)"},
    {"sqrt.T", "$0 = ptx::sqrt<$T>($1)"},
    {"sin.T", "$0 = ptx::sin<$T>($1)"},
    {"cos.T", "$0 = ptx::cos<$T>($1)"},
    {"tanh.T", "$0 = ptx::tanh<$T>($1)"},
};

constexpr ptx_row registers[] = {
    {"laneid", "ptx::laneid()"},
    {"warpid", "ptx::warpid()"},
    {"nwarpid", "ptx::nwarpid()"},
    {"lanemask_lt", "ptx::lanemask_lt()"},
    {"lanemask_le", "ptx::lanemask_le()"},
    {"lanemask_eq", "ptx::lanemask_eq()"},
    {"lanemask_ge", "ptx::lanemask_ge()"},
    {"lanemask_gt", "ptx::lanemask_gt()"},
    {"smid", "ptx::smid()"},
    {"nsmid", "ptx::nsmid()"},
    {"gridid", "ptx::gridid()"},
    {"clock", "ptx::clock()"},
    {"clock_hi", "ptx::clock_hi()"},
    {"clock64", "ptx::clock64()"},
    {"globaltimer", "ptx::globaltimer()"},
    {"globaltimer_lo", "ptx::globaltimer_lo()"},
    {"globaltimer_hi", "ptx::globaltimer_hi()"},
    {"dynamic_smem_size", "ptx::dynamic_smem_size()"},
    {"total_smem_size", "ptx::total_smem_size()"},
    {"cluster_ctarank", "ptx::cluster_ctarank()"},
    {"cluster_nctarank", "ptx::cluster_nctarank()"},
    {"tid.x", "threadIdx.x"},
    {"tid.y", "threadIdx.y"},
    {"tid.z", "threadIdx.z"},
    {"ctaid.x", "blockIdx.x"},
    {"ctaid.y", "blockIdx.y"},
    {"ctaid.z", "blockIdx.z"},
    {"ntid.x", "blockDim.x"},
    {"ntid.y", "blockDim.y"},
    {"ntid.z", "blockDim.z"},
    {"nctaid.x", "gridDim.x"},
    {"nctaid.y", "gridDim.y"},
    {"nctaid.z", "gridDim.z"},
};

constexpr ptx_row types[] = {
    {"b8", "std::uint8_t"},   {"u8", "std::uint8_t"},   {"s8", "std::int8_t"},
    {"b16", "std::uint16_t"}, {"u16", "std::uint16_t"}, {"s16", "std::int16_t"},
    {"b32", "std::uint32_t"}, {"u32", "std::uint32_t"}, {"s32", "std::int32_t"},
    {"b64", "std::uint64_t"}, {"u64", "std::uint64_t"}, {"s64", "std::int64_t"},
    {"f32", "float"},         {"f64", "double"},
};

}  // namespace

std::span<ptx_row const> ptx_instructions() {
  return instructions;
}
std::span<ptx_row const> ptx_registers() {
  return registers;
}
std::span<ptx_row const> ptx_types() {
  return types;
}

ptx_row const* find_row(std::span<ptx_row const> rows, std::string_view name) {
  auto const row =
      std::find_if(rows.begin(), rows.end(), [&](ptx_row const& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace upsweep::lab::source

#!/usr/bin/env python3
"""Checks that every C++ file includes a standard header for each standard name that it uses.

    standard_names.py          the files of the checkout that lack a header, and which
    standard_names.py --fix    adds them, then run tools/format.sh

Other compilers and libraries include other headers inside of their own: what compiles with g++ 12
did not with g++ 13. A source file may rely on the header of its own stem; an .inl file, which is
included in the middle of another, on the files that include it. It reads names, not meanings, in
a second for the whole tree; clang-include-cleaner, which parses, takes 2 to 4 s for each source.
"""

import re
import sys
from pathlib import Path

# After a header the names that it provides. A name in several lists may come from any of them, of
# which the first is the one to add. `::` after a name takes all names of that namespace. <span>
# needs the concepts of ranges in every library; headers of a user's unit take them from there,
# because <iterator>, <ranges> and <memory> make it compile for half as long again (they bring
# streams). <iosfwd> declares std::string.
TABLE = """
cstdint: int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t
  intmax_t uintmax_t
cstddef: size_t ptrdiff_t byte max_align_t nullptr_t to_integer
cstdio: size_t printf fprintf snprintf vprintf vsnprintf puts fputs putchar fputc fgets fflush fopen
  fclose fread fwrite ferror rewind setvbuf tmpfile scanf sscanf FILE fseek ftell rename perror
cstdlib: size_t abs getenv free malloc calloc realloc aligned_alloc abort exit _Exit atexit atoi
  atol atof strtod strtof strtol strtoll strtoul strtoull rand srand system qsort
cstring: size_t memcpy memcmp memset memmove memchr strlen strcmp strncmp strchr strrchr strstr
  strerror
cmath: abs sqrt pow exp exp2 expm1 log log2 log10 log1p sin cos tan tanh atan2 cbrt erfc erf fabs
  floor ceil round trunc rint nearbyint lround llround fma fmax fmin fmod remainder frexp ldexp
  ilogb isnan isinf isfinite isnormal signbit copysign nextafter nan nanf hypot lerp scalbn
ctime: clock clock_t time time_t tm strftime gmtime localtime mktime
cfenv: fesetround fegetround feclearexcept fetestexcept
cctype: isalnum isalpha isdigit isspace isupper islower isxdigit isprint tolower toupper
csignal: signal raise sig_atomic_t
cfloat climits cerrno:
utility: move forward exchange swap pair make_pair as_const declval index_sequence
  make_index_sequence index_sequence_for integer_sequence make_integer_sequence in_range cmp_less
  cmp_less_equal cmp_greater cmp_greater_equal cmp_equal cmp_not_equal in_place get tuple_size
  tuple_size_v tuple_element tuple_element_t piecewise_construct to_underlying unreachable
type_traits: is_same_v is_same conditional_t conditional enable_if_t remove_cvref_t remove_const_t
  remove_cv_t remove_reference_t remove_pointer_t remove_extent_t add_const_t add_pointer_t
  type_identity type_identity_t decay_t common_type_t invoke_result_t integral_constant
  bool_constant true_type false_type make_unsigned_t make_unsigned make_signed_t make_signed
  is_constant_evaluated void_t underlying_type_t alignment_of_v
  has_unique_object_representations_v is_integral_v is_floating_point_v is_arithmetic_v is_signed_v
  is_unsigned_v is_void_v is_const_v is_class_v is_enum_v is_empty_v is_array_v is_pointer_v
  is_lvalue_reference_v is_rvalue_reference_v is_function_v is_member_pointer_v is_null_pointer_v
  is_base_of_v is_convertible_v is_assignable_v is_aggregate_v is_invocable_v is_invocable_r_v
  is_constructible_v is_default_constructible_v is_copy_constructible_v is_move_constructible_v
  is_copy_assignable_v is_move_assignable_v is_trivially_copyable_v is_trivially_destructible_v
  is_trivially_default_constructible_v is_trivially_copy_constructible_v
  is_trivially_move_constructible_v is_nothrow_move_constructible_v
  is_nothrow_default_constructible_v is_nothrow_copy_assignable_v is_nothrow_constructible_v
  is_nothrow_invocable_v is_standard_layout_v is_destructible_v
bit: bit_cast countr_zero countl_zero countr_one countl_one popcount bit_width bit_floor bit_ceil
  has_single_bit rotl rotr endian
limits: numeric_limits
concepts: same_as convertible_to integral floating_point signed_integral unsigned_integral
  copy_constructible move_constructible default_initializable constructible_from invocable
  regular_invocable predicate totally_ordered equality_comparable copyable movable regular
  semiregular derived_from assignable_from destructible
functional: function hash plus minus multiplies less less_equal greater greater_equal equal_to
  not_equal_to identity reference_wrapper ref cref invoke bit_and bit_or bit_xor bind logical_and
  logical_or negate not_fn
compare: strong_ordering weak_ordering partial_ordering strong_order is_lt is_gt is_eq is_lteq
  is_gteq
initializer_list: initializer_list
vector: vector erase_if erase
string: string to_string stoi stol stoul stoull stod stof getline char_traits u8string wstring
  string_literals
string_view: string_view string_view_literals u8string_view
span: span as_bytes as_writable_bytes dynamic_extent
array: array to_array
deque: deque
list: list
map: map multimap
set: set multiset
unordered_map: unordered_map
unordered_set: unordered_set
bitset: bitset
valarray: valarray
complex: complex polar
tuple: tuple tie make_tuple apply tuple_cat forward_as_tuple tuple_element_t tuple_element
  tuple_size tuple_size_v ignore get
variant: variant visit holds_alternative monostate get_if get
optional: optional nullopt make_optional nullopt_t
any: any any_cast
memory: unique_ptr shared_ptr weak_ptr make_unique make_shared make_unique_for_overwrite allocator
  addressof construct_at destroy_at to_address enable_shared_from_this
  uninitialized_default_construct_n uninitialized_copy_n uninitialized_fill_n destroy_n destroy
  assume_aligned default_delete allocator_traits
new: bad_alloc bad_array_new_length nothrow nothrow_t align_val_t launder
exception: exception exception_ptr current_exception rethrow_exception make_exception_ptr terminate
  uncaught_exceptions
stdexcept: runtime_error logic_error invalid_argument domain_error out_of_range length_error
  overflow_error range_error
system_error: system_error error_code errc make_error_code generic_category system_category
charconv: from_chars to_chars chars_format from_chars_result to_chars_result errc
algorithm: min max clamp minmax sort stable_sort find find_if find_if_not any_of all_of none_of
  fill fill_n copy copy_n copy_if copy_backward equal mismatch reverse rotate unique unique_copy
  transform count count_if remove remove_if remove_copy_if replace lower_bound upper_bound
  equal_range binary_search max_element min_element minmax_element nth_element partial_sort
  partial_sort_copy is_sorted is_sorted_until merge inplace_merge search adjacent_find for_each
  for_each_n swap_ranges partition stable_partition partition_copy partition_point includes
  set_difference set_intersection set_union shuffle lexicographical_compare push_heap pop_heap
  make_heap generate generate_n next_permutation iter_swap
  sample ranges::sort ranges::stable_sort ranges::find
  ranges::find_if ranges::find_if_not ranges::any_of ranges::all_of ranges::none_of ranges::fill
  ranges::copy ranges::copy_if ranges::equal ranges::mismatch ranges::reverse ranges::unique
  ranges::transform ranges::count ranges::count_if ranges::replace ranges::lower_bound
  ranges::upper_bound ranges::max_element ranges::min_element ranges::min ranges::max
  ranges::minmax ranges::is_sorted ranges::adjacent_find ranges::for_each ranges::contains
numeric: iota accumulate partial_sum gcd lcm reduce transform_reduce inclusive_scan exclusive_scan
  transform_inclusive_scan transform_exclusive_scan inner_product adjacent_difference midpoint
iterator: contiguous_iterator random_access_iterator forward_iterator input_iterator
  input_or_output_iterator output_iterator ranges::iter_move ranges::distance ranges::next
  bidirectional_iterator iter_value_t iter_difference_t
  iter_reference_t indirectly_readable indirectly_writable sized_sentinel_for sentinel_for
  random_access_iterator_tag contiguous_iterator_tag forward_iterator_tag input_iterator_tag
  bidirectional_iterator_tag back_inserter inserter istreambuf_iterator istream_iterator
  ostream_iterator reverse_iterator make_reverse_iterator move_iterator make_move_iterator
  iterator_traits next prev distance advance default_sentinel_t counted_iterator
ranges: ranges::range ranges::range_value_t ranges::range_reference_t ranges::range_difference_t
  ranges::subrange ranges::contiguous_range ranges::random_access_range ranges::forward_range
  ranges::input_range ranges::sized_range ranges::iterator_t ranges::sentinel_t ranges::view
  ranges::borrowed_range ranges::output_range ranges::common_range ranges::enable_borrowed_range
  ranges::viewable_range ranges::enable_view ranges::view_interface views::
span: contiguous_iterator random_access_iterator forward_iterator input_iterator
  input_or_output_iterator iter_value_t iter_difference_t iter_reference_t sized_sentinel_for
  random_access_iterator_tag contiguous_iterator_tag iterator_traits addressof to_address
  ranges::range ranges::range_value_t ranges::range_reference_t ranges::range_difference_t
  ranges::contiguous_range ranges::random_access_range ranges::forward_range ranges::input_range
  ranges::sized_range ranges::iterator_t ranges::sentinel_t ranges::borrowed_range ranges::iter_move
iosfwd: string
execution: execution::
numbers: numbers::
chrono: chrono:: chrono chrono_literals
filesystem: filesystem:: filesystem
ratio: micro nano milli ratio
thread: thread jthread this_thread::
mutex: mutex lock_guard unique_lock scoped_lock once_flag call_once recursive_mutex
shared_mutex: shared_mutex shared_lock
condition_variable: condition_variable
future: future promise async packaged_task
barrier: barrier
latch: latch
semaphore: counting_semaphore binary_semaphore
stop_token: stop_token stop_source
atomic: atomic atomic_ref atomic_thread_fence atomic_signal_fence atomic_flag memory_order
  memory_order_relaxed memory_order_acquire memory_order_release memory_order_acq_rel
  memory_order_seq_cst memory_order_consume
random: mt19937 mt19937_64 random_device uniform_int_distribution uniform_real_distribution
  normal_distribution discrete_distribution minstd_rand
regex: regex smatch cmatch regex_search regex_match regex_replace regex_error sregex_iterator
  regex_constants::
source_location: source_location
typeinfo: type_info
typeindex: type_index
iostream: cin cout cerr clog
ostream: ostream endl flush
istream: istream ws
fstream: ifstream ofstream fstream
sstream: istringstream ostringstream stringstream
iomanip: setw setprecision setfill
ios: ios ios_base streamsize streamoff hex
mdspan: mdspan dextents extents
memory_resource: pmr::
"""
# Headers that the standard says include another, or that are the stream that they name.
INCLUDED = {
    "initializer_list": "utility vector string span array map set deque list optional algorithm",
    "compare": "utility array memory optional string vector",
    "ostream": "iostream",
    "istream": "iostream",
    "ios": "iostream istream ostream fstream sstream",
    "size_t": "ctime",
}
# Names that every container's header, <iterator>, <ranges>, <string_view> and <span> provide.
ACCESS = re.compile(r"(ranges::)?(r?c?begin|r?c?end|s?size|data|empty)$")
NAME = re.compile(r"\bstd::((?:ranges|views|chrono|filesystem|this_thread|numbers|execution|pmr|"
                  r"regex_constants)::)?([a-zA-Z_]\w*)")  # fmt: skip
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"].*\n', re.MULTILINE)
SOURCES = (".hpp", ".cpp", ".h", ".c", ".cuh", ".cu")
# Forward declarations of C headers, which need no other name.
C_HEADERS = {f"{h}.h": f"c{h}" for h in ("stdint", "stddef", "stdio", "stdlib", "string", "math",
                                         "time", "fenv", "ctype", "signal")}  # fmt: skip


def providers():
    """For each name the headers that provide it, the one to add first."""
    found = {}
    for line in TABLE.replace("\n  ", " ").splitlines():
        headers, _, names = line.partition(":")
        for name in names.split():
            found.setdefault(name, []).extend(headers.split())
    return found


PROVIDERS = providers()


def used(text):
    """The standard names in a text without comments and strings."""
    for space, name in NAME.findall(text):
        if ACCESS.match(name) and space in ("", "ranges::"):
            continue
        yield space if f"{space}" in PROVIDERS else space + name


def included(text):
    return {C_HEADERS.get(header, header) for header in INCLUDE.findall(text)}


def lacking(text, headers):
    """The headers to add for the names in `text`, with the first such name."""
    missing = {}
    for name in used(text):
        choice = PROVIDERS.get(name)
        if choice is None or any(header in headers for header in choice):
            continue
        if any(h in headers for c in choice for h in INCLUDED.get(c, "").split()):
            continue
        missing.setdefault(choice[0], name)
    return missing


def own_header(name, files):
    """The header of a source file's own stem, which lies beside it."""
    path = Path(name)
    if path.suffix in (".cpp", ".cu", ".c"):
        for suffix in (".hpp", ".cuh", ".h"):
            if (header := str(path.with_suffix(suffix))) in files:
                return header
    return None


def wanted(files, read, blanked):
    """Yields (file, {header: name}) for each file that lacks headers. `blanked` gives a file
    without comments and strings."""
    for name in files:
        if not name.endswith(SOURCES):
            continue
        headers = included(read(name))
        if header := own_header(name, files):
            headers |= included(read(header))
        if missing := lacking(blanked(name), headers):
            yield name, missing


def complaints(files, read, blanked):
    for name, missing in wanted(files, read, blanked):
        for header, first in sorted(missing.items()):
            yield f"{name}: uses std::{first} without including <{header}>"


def with_headers(text, headers):
    """`text` with further includes, in the block of standard headers or after the last include."""
    lines = "".join(f"#include <{header}>\n" for header in sorted(headers))
    blocks = list(INCLUDE.finditer(text))
    standard = [m for m in blocks if re.fullmatch(r"[a-z_]+", m[1])]
    if standard:
        at = standard[0].start()
        return text[:at] + lines + text[at:]
    if blocks:
        at = blocks[-1].end()
        return text[:at] + "\n" + lines + text[at:]
    at = text.find("#pragma once\n")
    at = at + len("#pragma once\n") if at >= 0 else text.find("\n\n") + 1
    return text[:at] + "\n" + lines + text[at:]


def main():
    import check_rooms
    import cpp_text

    files = check_rooms.listed_files()
    found = list(wanted(files, check_rooms.read, lambda f: cpp_text.blank(check_rooms.read(f))))
    for name, missing in found:
        print(f"{name}: " + ", ".join(f"<{h}> for {n}" for h, n in sorted(missing.items())))
        if "--fix" in sys.argv[1:]:
            path = check_rooms.ROOT / name
            path.write_text(with_headers(path.read_text(encoding="utf-8"), missing))
    return 1 if found and "--fix" not in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())

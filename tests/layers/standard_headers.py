#!/usr/bin/env python3
"""standard_headers.py CHECKOUT: names of the standard library come from headers that are asked for.

What a compiler's own headers include besides differs from version to version. So whoever uses std::sort includes <algorithm>, or a header of ours that
does. Names that are not in the table below are an error: enter them.
"""

import re
import subprocess
import sys
from pathlib import Path

TABLE = """
algorithm: adjacent_find all_of any_of clamp copy copy_if copy_n count count_if equal fill fill_n find find_if for_each is_sorted lower_bound max max_element min min_element minmax minmax_element mismatch none_of nth_element remove replace_if reverse set_union shuffle sort stable_partition stable_sort transform unique upper_bound
array: array to_array
atomic: atomic atomic_ref memory_order_acquire memory_order_relaxed memory_order_release
barrier: barrier
bit: bit_cast bit_ceil bit_floor bit_width countr_zero popcount
cctype: isalnum isprint tolower toupper
cfenv: feholdexcept fenv_t fesetenv fetestexcept
charconv: chars_format from_chars to_chars
chrono: chrono
cmath: abs cbrt ceil copysign cos exp fabs floor frexp isfinite isinf isnan ldexp llround log nan nearbyint pow signbit sin sqrt
complex: complex conj imag real
concepts: convertible_to integral same_as
condition_variable: condition_variable
csignal: sig_atomic_t signal
cstddef: byte ptrdiff_t size_t to_integer
cstdint: int16_t int32_t int64_t uint16_t uint32_t uint64_t uint8_t uintptr_t
cstdio: FILE fflush fprintf fputs printf rename snprintf sscanf
cstdlib: _Exit aligned_alloc atexit atoi exit free getenv malloc realloc
cstring: memcmp memcpy memset strcmp strerror strlen
ctime: strftime time time_t tm
exception: current_exception exception exception_ptr rethrow_exception
filesystem: filesystem
fstream: ifstream ofstream
functional: function greater_equal less less_equal
future: async future launch shared_future
initializer_list: initializer_list
ios: ios streamsize
iostream: cerr cout
iterator: back_inserter begin end istream_iterator istreambuf_iterator size ssize
limits: numeric_limits
list: list
map: map
memory: make_shared make_unique make_unique_for_overwrite shared_ptr unique_ptr
mutex: lock_guard mutex unique_lock
new: align_val_t bad_alloc
numeric: accumulate gcd iota partial_sum
optional: nullopt optional
ostream: flush ostream
random: mt19937 mt19937_64 uniform_real_distribution
ranges: ranges
ratio: nano
set: set
span: as_bytes span
sstream: istringstream ostringstream
stdexcept: logic_error runtime_error
string: getline stoi stoll string to_string
string_view: string_view string_view_literals
system_error: errc error_code system_error
thread: this_thread thread
tuple: apply tuple tuple_element tuple_element_t tuple_size_v
type_traits: bool_constant conditional_t decay_t false_type integral_constant is_arithmetic_v is_empty_v is_floating_point_v is_same_v is_void_v make_unsigned_t remove_cvref_t remove_reference_t true_type type_identity_t
unordered_map: unordered_map
unordered_set: unordered_set
utility: as_const exchange forward index_sequence integer_sequence make_index_sequence make_integer_sequence move pair swap
variant: variant visit
vector: erase erase_if vector
"""

# Names that several headers bring by the standard's own word.
ALSO = """
size_t: cstring cstdio cstdlib
pair: map unordered_map
initializer_list: vector string map
begin end size data empty ssize: array vector string string_view span map set unordered_map deque initializer_list
swap: utility
get: tuple array utility
getline: string
ostream istream: iosfwd iostream
ios streamsize: iostream fstream sstream
endl flush: iostream
remove: cstdio
nano micro milli: chrono
hash: string string_view
abs: cstdlib complex
exp sqrt: complex
exception: stdexcept
"""

FOLDERS = ["src", "bench", "tests", "examples", "include"]
INCLUDE_PATH = ["src/mat", "bench", "tests", "include", "examples"]
GENERATED = {"bench_config.hpp", "bench_commit.hpp"}  # by CMake
SOURCE = re.compile(r"\.(hpp|cpp|cuh|cu|h)$")


def read_table():
    headers = {}
    for text in (TABLE, ALSO):
        for line in text.split("\n"):
            if line:
                left, right = line.split(": ")
                for name in (right if text is TABLE else left).split():
                    headers.setdefault(name, set()).update([left] if text is TABLE else right.split())
    return headers


class Checkout:
    def __init__(self, top):
        files = [path for folder in FOLDERS for path in sorted((top / folder).rglob("*")) if SOURCE.search(path.name)]
        self.top, self.text = top, {path: path.read_text() for path in files}
        self.known = {}

    def included(self, path, name):
        for folder in [path.parent, *(self.top / folder for folder in INCLUDE_PATH)]:
            found = (folder / name).resolve()
            if found in self.text:
                return found
        if name not in GENERATED and SOURCE.search(name):
            sys.exit(f"{path} includes {name}, which is not found")
        return None

    def standard_headers(self, path):
        """Those that a file includes, by itself or through files of ours."""
        seen, rest, headers = {path}, [path], set()
        while rest:
            text = self.text[here := rest.pop()]
            headers.update(re.findall(r"^ *# *include <([a-z_]+)>", text, re.MULTILINE))
            more = {self.included(here, name) for name in re.findall(r'^ *# *include "([^"]+)"', text, re.MULTILINE)}
            rest += more - seen - {None}
            seen |= more
        return headers


def names_in(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"//.*|/\*(.|\n)*?\*/", "", text)
    return sorted(set(re.findall(r"\bstd::([a-zA-Z_0-9]+)", text)))


def main():
    checkout, headers, complaints, seen = Checkout(Path(sys.argv[1]).resolve()), read_table(), [], 0
    for path, text in checkout.text.items():
        included = checkout.standard_headers(path)
        for name in names_in(text):
            seen += 1
            where = path.relative_to(checkout.top)
            if name not in headers:
                complaints.append(f"{where}: std::{name} is not in the table of {Path(__file__).name}")
            elif not headers[name] & included:
                complaints.append(f"{where}: std::{name} is used, but neither it nor a header of ours that it includes has <{min(headers[name])}>")
    print("\n".join(complaints) or f"{seen} uses of the standard library in {len(checkout.text)} files, all with their headers")
    return 1 if complaints or seen < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())

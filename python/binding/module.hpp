/// What the module `upsweep._core` consists of; each part registers its functions.
#pragma once

#include <python/binding/arrays.hpp>

namespace upsweep::python {

void add_entries(nb::module_& m);           ///< operators by name: reduce, scan, windows, segments
void add_short_ways(nb::module_& m);        ///< the same without options
void add_short_verbs(nb::module_& m);       ///< verbs without an operator, without options
void add_result_memory(nb::module_& m);     ///< arrays for results
void add_complex_products(nb::module_& m);  ///< reductions and scans of complex numbers
void add_moments(nb::module_& m);           ///< mean and variance, and log-sum-exp
void add_statistics(nb::module_& m);        ///< skewness, correlation and other means; filled gaps
void add_recurrences(nb::module_& m);       ///< recurrences with constant coefficients
void add_anchored(nb::module_& m);          ///< recurrences in the tree of anchored blocks
void add_elementwise(nb::module_& m);       ///< functions of elements, lines and rows
void add_selections(nb::module_& m);        ///< select, partition, unique, runs
void add_groupings(nb::module_& m);         ///< groups by key; statistics of segments and windows
void add_sorts(nb::module_& m);             ///< sort, argsort, top, quantiles
void add_histograms(nb::module_& m);        ///< histograms and counts of indices
void add_streams(nb::module_& m);           ///< data in chunks
void add_partials(nb::module_& m);          ///< pieces of an array
void add_own(nb::module_& m);               ///< operators that are functions of C
void add_applications(nb::module_& m);      ///< samples and convolutions
void add_arrow(nb::module_& m);             ///< columns of Arrow
void add_jax(nb::module_& m);               ///< calls from programs of XLA

}  // namespace upsweep::python

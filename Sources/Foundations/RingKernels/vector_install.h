// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the rows of this file into a ring's table: included after vector_rows.h and vector_sums.h.

static void install_rows(rk_ring *ring) {
    rk_kernels *kernels = &ring->kernels;
    kernels->add = row_add;
    kernels->subtract = row_subtract;
    kernels->negate = row_negate;
    kernels->multiply = row_multiply;
    kernels->multiply_constant = row_multiply_constant;
    kernels->reduce = row_reduce;
    kernels->multiply_sum = row_multiply_sum;
    kernels->multiply_sums = row_multiply_sums;
    kernels->tensor_sum = row_tensor_sum;
    kernels->divide_rounding = row_divide_rounding;
    kernels->split = row_split;
    kernels->split_evaluations = row_split_evaluations;
    kernels->move_coefficients = row_move_coefficients;
    kernels->move_evaluations = row_move_evaluations;
    kernels->scan = row_scan;
}

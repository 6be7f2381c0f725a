// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compares every kernel of Sources/Foundations/RingKernels with the portable one on this machine, be it an emulated one.
// Exit code 1: some byte differs.

#include "comparison.h"

#include <stdio.h>

int main(void) {
    static const struct {
        const char *name;
        void (*compare)(void);
    } groups[] = {
        {"transforms", compare_transforms}, {"rows", compare_rows},
        {"sums", compare_sums},             {"scans", compare_scans},
        {"scalings", compare_scalings},     {"messages", compare_messages},
        {"packing", compare_packing},       {"random numbers", compare_random_numbers},
    };
    printf("%s against portable code\n", rk_instruction_set_name(rk_best_instruction_set()));
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        begin_group(groups[i].name);
        groups[i].compare();
        end_group();
        fflush(stdout);
    }
    return is_all_equal() ? 0 : 1;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Swift Testing starts all tests at once on as many threads as there are cores, so that one that waits for a server
// goes on after hundreds of others have computed. The library has no other way to limit them, and reads the variable
// after this. Who has set it is obeyed.
__attribute__((constructor)) static void run_few_tests_at_a_time(void) {
    char width[16];
    snprintf(width, sizeof width, "%ld", 2 * sysconf(_SC_NPROCESSORS_ONLN) + 2);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}

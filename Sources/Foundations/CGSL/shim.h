#ifndef URL_FILTER_WORKBENCH_CGSL_SHIM_H
#define URL_FILTER_WORKBENCH_CGSL_SHIM_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_vector.h>
#include <gsl/gsl_version.h>

// GSL names its version and its algorithms by global variables that are not const, which Swift
// takes for shared mutable state.
static inline const gsl_min_fminimizer_type *cgsl_brent(void) { return gsl_min_fminimizer_brent; }
static inline const gsl_rng_type *cgsl_mt19937(void) { return gsl_rng_mt19937; }
static inline const gsl_qrng_type *cgsl_sobol(void) { return gsl_qrng_sobol; }
static inline const char *cgsl_version(void) { return gsl_version; }

#endif

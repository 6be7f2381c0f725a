#ifndef URL_FILTER_WORKBENCH_CGSL_SHIM_H
#define URL_FILTER_WORKBENCH_CGSL_SHIM_H

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>

#endif

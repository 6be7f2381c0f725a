// SPDX-License-Identifier: GPL-3.0-or-later
// A target of C has a header. This one tells nothing: to be linked is all that is asked of it.

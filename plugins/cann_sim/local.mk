# SPDX-License-Identifier: MIT
# plugins/cann_sim/ - see README.md; its rules come with its sources.

EXTRA_DIST += %D%/README.md

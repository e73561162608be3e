# SPDX-License-Identifier: MIT
# plugins/nnapi_sim/ - see README.md; its rules come with its sources.

EXTRA_DIST += %D%/README.md

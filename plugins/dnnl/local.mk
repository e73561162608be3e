# SPDX-License-Identifier: MIT
# plugins/dnnl/ - see README.md; its rules come with its sources.

EXTRA_DIST += %D%/README.md

# SPDX-License-Identifier: MIT
# docs/ - the man page, how it is built, pictures.

dist_man_MANS += %D%/backplane.1
EXTRA_DIST += %D%/architecture.md %D%/digits-plan.svg

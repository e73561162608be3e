# SPDX-License-Identifier: MIT

dist_man_MANS += %D%/backplane.1

# SPDX-License-Identifier: MIT

BP_PROVIDER([cann_sim], [a simulated CANN device])

# SPDX-License-Identifier: MIT

BP_PROVIDER([nnapi_sim], [a simulated NNAPI device])

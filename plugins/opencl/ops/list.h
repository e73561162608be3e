/* SPDX-License-Identifier: MIT */
/* list.h - every family of the opencl provider's operators, sorted. */

BP_OPENCL_FAMILY(binary)
BP_OPENCL_FAMILY(conv)
BP_OPENCL_FAMILY(gather)
BP_OPENCL_FAMILY(matmul)
BP_OPENCL_FAMILY(move)
BP_OPENCL_FAMILY(normalize)
BP_OPENCL_FAMILY(pad)
BP_OPENCL_FAMILY(pool)
BP_OPENCL_FAMILY(reduce)
BP_OPENCL_FAMILY(resize)
BP_OPENCL_FAMILY(unary)
BP_OPENCL_FAMILY(views)

/* SPDX-License-Identifier: MIT */
/* peer_ep.h - what peer_ep.so exports: ONNX Runtime's two functions, and one for its test. */
#ifndef BP_TESTS_PEER_EP_H
#define BP_TESTS_PEER_EP_H

#include <onnxruntime_ep_c_api.h>

#define PEER_EP "PeerTestExecutionProvider"

ORT_EXPORT unsigned long peer_ep_calls(void); /* of Compute, so far */
ORT_EXPORT OrtStatus *CreateEpFactories(const char *name, const OrtApiBase *base,
                                        const OrtLogger *logger, OrtEpFactory **out, size_t cap,
                                        size_t *n_out);
ORT_EXPORT OrtStatus *ReleaseEpFactory(OrtEpFactory *released);

#endif

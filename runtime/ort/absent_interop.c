/* SPDX-License-Identifier: MIT */
/*
 * absent_interop.c - slots of OrtInteropApi (since version 24) that are not implemented: memory and
 * semaphores of other APIs, such as Vulkan and D3D12.
 */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_interop_CreateExternalResourceImporterForDevice,
       (const OrtEpDevice *ep_device, OrtExternalResourceImporter **out_importer))
ABSENT_VOID(ort_interop_ReleaseExternalResourceImporter, (OrtExternalResourceImporter * input))
ABSENT(ort_interop_CanImportMemory, (const OrtExternalResourceImporter *importer,
                                     OrtExternalMemoryHandleType handle_type, bool *out_supported))
ABSENT(ort_interop_ImportMemory,
       (OrtExternalResourceImporter * importer, const OrtExternalMemoryDescriptor *desc,
        OrtExternalMemoryHandle **out_handle))
ABSENT_VOID(ort_interop_ReleaseExternalMemoryHandle, (OrtExternalMemoryHandle * input))
ABSENT(ort_interop_CreateTensorFromMemory,
       (OrtExternalResourceImporter * importer, const OrtExternalMemoryHandle *mem_handle,
        const OrtExternalTensorDescriptor *tensor_desc, OrtValue **out_tensor))
ABSENT(ort_interop_CanImportSemaphore, (const OrtExternalResourceImporter *importer,
                                        OrtExternalSemaphoreType type, bool *out_supported))
ABSENT(ort_interop_ImportSemaphore,
       (OrtExternalResourceImporter * importer, const OrtExternalSemaphoreDescriptor *desc,
        OrtExternalSemaphoreHandle **out_handle))
ABSENT_VOID(ort_interop_ReleaseExternalSemaphoreHandle, (OrtExternalSemaphoreHandle * input))
ABSENT(ort_interop_WaitSemaphore,
       (OrtExternalResourceImporter * importer, OrtExternalSemaphoreHandle *semaphore_handle,
        OrtSyncStream *stream, uint64_t value))
ABSENT(ort_interop_SignalSemaphore,
       (OrtExternalResourceImporter * importer, OrtExternalSemaphoreHandle *semaphore_handle,
        OrtSyncStream *stream, uint64_t value))
ABSENT(ort_interop_InitGraphicsInteropForEpDevice,
       (const OrtEpDevice *ep_device, const OrtGraphicsInteropConfig *config))
ABSENT(ort_interop_DeinitGraphicsInteropForEpDevice, (const OrtEpDevice *ep_device))

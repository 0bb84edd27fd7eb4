#include "delivery/exit_code.h"

ssimcu_exit exit_code_of(ssimcu_status status)
{
    switch (status) {
    case SSIMCU_OK: return SSIMCU_EXIT_SCORED;
    case SSIMCU_ERROR_MISMATCH: return SSIMCU_EXIT_MISMATCH;
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_LIMIT:
    case SSIMCU_ERROR_FILE:
    case SSIMCU_ERROR_DATA: return SSIMCU_EXIT_INPUT;
    case SSIMCU_ERROR_DEVICE: return SSIMCU_EXIT_DEVICE;
    case SSIMCU_ERROR_WRITE: return SSIMCU_EXIT_OUTPUT;
    default: return SSIMCU_EXIT_INTERNAL;
    }
}

ssimcu_exit exit_code_early(ssimcu_status status)
{
    return status == SSIMCU_ERROR_ARGUMENT ? SSIMCU_EXIT_USAGE : exit_code_of(status);
}

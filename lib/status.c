#include "ssimcu.h"

const char *ssimcu_status_name(ssimcu_status status)
{
    switch (status) {
    case SSIMCU_OK: return "ok";
    case SSIMCU_ERROR_ARGUMENT: return "argument";
    case SSIMCU_ERROR_MISMATCH: return "mismatch";
    case SSIMCU_ERROR_TOO_SMALL: return "too small";
    case SSIMCU_ERROR_UNSUPPORTED: return "unsupported";
    case SSIMCU_ERROR_LIMIT: return "limit";
    case SSIMCU_ERROR_MEMORY: return "memory";
    case SSIMCU_ERROR_DEVICE: return "device";
    case SSIMCU_ERROR_FILE: return "file";
    case SSIMCU_ERROR_DATA: return "data";
    case SSIMCU_ERROR_WRITE: return "write";
    case SSIMCU_ERROR_INTERNAL: return "internal";
    }
    return "unknown";
}

/* Names of statuses and metrics. */
#include "metric_table.h"

#include <stddef.h>

static const struct {
    const char *identifier, *name;
} statuses[] = {
    [SSIMCU_OK] = {"SSIMCU_OK", "ok"},
    [SSIMCU_ERROR_ARGUMENT] = {"SSIMCU_ERROR_ARGUMENT", "argument"},
    [SSIMCU_ERROR_MISMATCH] = {"SSIMCU_ERROR_MISMATCH", "mismatch"},
    [SSIMCU_ERROR_TOO_SMALL] = {"SSIMCU_ERROR_TOO_SMALL", "too small"},
    [SSIMCU_ERROR_UNSUPPORTED] = {"SSIMCU_ERROR_UNSUPPORTED", "unsupported"},
    [SSIMCU_ERROR_LIMIT] = {"SSIMCU_ERROR_LIMIT", "limit"},
    [SSIMCU_ERROR_MEMORY] = {"SSIMCU_ERROR_MEMORY", "memory"},
    [SSIMCU_ERROR_DEVICE] = {"SSIMCU_ERROR_DEVICE", "device"},
    [SSIMCU_ERROR_FILE] = {"SSIMCU_ERROR_FILE", "file"},
    [SSIMCU_ERROR_DATA] = {"SSIMCU_ERROR_DATA", "data"},
    [SSIMCU_ERROR_WRITE] = {"SSIMCU_ERROR_WRITE", "write"},
    [SSIMCU_ERROR_INTERNAL] = {"SSIMCU_ERROR_INTERNAL", "internal"},
};

static int is_known(ssimcu_status status)
{
    return (size_t)status < sizeof statuses / sizeof statuses[0];
}

const char *ssimcu_status_name(ssimcu_status status)
{
    return is_known(status) ? statuses[status].name : "unknown";
}

const char *ssimcu_status_identifier(ssimcu_status status)
{
    return is_known(status) ? statuses[status].identifier : "unknown";
}

const char *ssimcu_metric_name(ssimcu_metric metric)
{
    return (unsigned)metric < SSIMCU_METRICS ? ssimcu_metric_row(metric)->name : NULL;
}

#include "metric_table.h"

#include <stddef.h>

const char *ssimcu_metric_name(ssimcu_metric metric)
{
    return (unsigned)metric < SSIMCU_METRICS ? ssimcu_metric_row(metric)->name : NULL;
}

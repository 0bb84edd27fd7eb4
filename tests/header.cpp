#include "ssimcu.h"
#include "ssimcu_cuda.h"

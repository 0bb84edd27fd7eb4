#include "ssimcu.h"
#include "ssimcu_cuda.h"
#include "ssimcu_io.h"
#include "ssimcu_permute.h"

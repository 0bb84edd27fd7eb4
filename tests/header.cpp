#include "ssimcu.h"

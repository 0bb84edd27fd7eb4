#include "ssimcu.hpp"
#include "ssimcu_io.hpp"

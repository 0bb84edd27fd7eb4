#include "ssimcu_qa.hpp"

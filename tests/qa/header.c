#include "ssimcu_pictures.h"
#include "ssimcu_qa.h"

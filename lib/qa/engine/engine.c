#include "engine/engine.h"

bool engine_told_to_stop(const struct engine *engine)
{
    return ssimcu_is_stopped(engine->config->stop);
}

bool engine_is_stopped(struct engine *engine)
{
    return atomic_load(&engine->stop) || engine_told_to_stop(engine);
}

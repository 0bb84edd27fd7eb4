#include "base/numbers.h"

locale_t numbers_begin(void)
{
    const locale_t none = (locale_t)0, before = uselocale(none);
    const locale_t copy = duplocale(before);
    if (copy == none) return none;
    const locale_t point = newlocale(LC_NUMERIC_MASK, "C", copy);
    if (point == none) {
        freelocale(copy);
        return none;
    }
    uselocale(point);
    return before;
}

void numbers_end(locale_t before)
{
    if (before == (locale_t)0) return;
    freelocale(uselocale(before));
}

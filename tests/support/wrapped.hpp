/* What the tests of the C++ headers ask of every class and of every error. */
#ifndef SSIMCU_TEST_WRAPPED_HPP
#define SSIMCU_TEST_WRAPPED_HPP

#include "ssimcu.hpp"

#include <criterion/criterion.h>
#include <string>
#include <type_traits>

template <class T>
constexpr bool is_moved_alone()
{
    return std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
           !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
}

/* Returns the status of what the call throws; OK if it throws nothing. */
template <class Call>
ssimcu_status thrown_by(Call call, const char *word)
{
    try {
        call();
    } catch (const ssimcu::error &error) {
        cr_assert(std::string(error.what()).find(word) != std::string::npos, "%s", error.what());
        return error.status();
    }
    return SSIMCU_OK;
}

#endif

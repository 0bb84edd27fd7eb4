/* Errors, numbers from the command line, the line that names the machine. */
#include "bench.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace bench
{
namespace
{

/* Returns a version such as "580.65" from the kernel module's own line, if there is one. */
std::string driver_version()
{
    char line[256] = "";
    if (FILE *file = fopen("/proc/driver/nvidia/version", "r")) {
        if (!fgets(line, sizeof line, file)) line[0] = 0;
        fclose(file);
    }
    for (const char *word = strtok(line, " \t\n"); word; word = strtok(nullptr, " \t\n"))
        if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) return word;
    return "of unknown version";
}

std::string cuda_version(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace

void stop_on_error(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) return;
    fflush(stdout);
    fprintf(stderr, "bench: %s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(1);
}

int number(const char *text, int low, int high)
{
    char *end = nullptr;
    const long value = strtol(text, &end, 10);
    return end == text || *end || value < low || value > high ? -1 : (int)value;
}

Arguments read_arguments(const char *program, int argc, char **argv, int runs)
{
    int at = 1;
    if (argc > 2 && !strcmp(argv[1], "--runs")) {
        runs = number(argv[2], 1, Timer::MAX_RUNS);
        at = 3;
    }
    if (runs >= 0 && (argc == at || argc == at + 2)) return {runs, at};
    fprintf(stderr, "usage: %s [--runs N, 1 to %d] [REF OUT] | --check\n", program,
            (int)Timer::MAX_RUNS);
    exit(2);
}

void print_machine()
{
    int device = 0, runtime = 0, driver = 0;
    cudaDeviceProp properties;
    BENCH_CUDA(cudaGetDevice(&device));
    BENCH_CUDA(cudaGetDeviceProperties(&properties, device));
    BENCH_CUDA(cudaRuntimeGetVersion(&runtime));
    BENCH_CUDA(cudaDriverGetVersion(&driver));
    char date[32];
    const time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("%s, driver %s (CUDA %s), CUDA runtime %s, %s\n\n", properties.name,
           driver_version().c_str(), cuda_version(driver).c_str(), cuda_version(runtime).c_str(),
           date);
}

} // namespace bench

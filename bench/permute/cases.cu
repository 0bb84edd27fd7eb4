/* The cases of the table, and what follows from a case's shape. */
#include "bench.cuh"

namespace bench
{

int bytes_of(Type type)
{
    switch (type) {
    case Type::U8: return 1;
    case Type::U16:
    case Type::F16: return 2;
    case Type::F32: return 4;
    case Type::BYTES8: return 8;
    case Type::BYTES16: return 16;
    }
    return 0;
}

/* Lists the cases. A 4K frame is 2160 x 3840, 1080p is 1080 x 1920. bench_permute_torch.py has the
 * same names and shapes. */
const std::vector<Case> &all_cases()
{
    static const std::vector<Case> cases = {
        {"HWC3 -> CHW u8, 8 x 4K", Type::U8, 4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, false},
        {"HWC3 -> CHW u8, 1 x 4K", Type::U8, 3, {2160, 3840, 3}, {2, 0, 1}, false},
        {"HWC3 -> CHW f32, 8 x 4K", Type::F32, 4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, false},
        {"HWC3 u8 -> CHW f32, 8 x 4K", Type::U8, 4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, true},
        {"CHW -> HWC3 u8, 8 x 4K", Type::U8, 4, {8, 3, 2160, 3840}, {0, 2, 3, 1}, false},
        {"HWC4 -> CHW u8, 8 x 4K", Type::U8, 4, {8, 2160, 3840, 4}, {0, 3, 1, 2}, false},
        {"HWC2 -> CHW u8, 8 x 4K", Type::U8, 4, {8, 2160, 3840, 2}, {0, 3, 1, 2}, false},
        {"HWC3 -> CHW u16, 8 x 4K", Type::U16, 4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, false},
        {"(0,2,1) f16, 16 x 5792 x 724", Type::F16, 3, {16, 5792, 724}, {0, 2, 1}, false},
        {"(0,2,1) f32, 16 x 5792 x 724", Type::F32, 3, {16, 5792, 724}, {0, 2, 1}, false},
        {"(0,2,1) 8-byte, 16 x 2896 x 724", Type::BYTES8, 3, {16, 2896, 724}, {0, 2, 1}, false},
        {"(0,2,1) 16-byte, 16 x 1448 x 724", Type::BYTES16, 3, {16, 1448, 724}, {0, 2, 1}, false},
        {"(1,0,2) f16, 16 x 5792 x 724", Type::F16, 3, {16, 5792, 724}, {1, 0, 2}, false},
        {"(1,0,2) f32, 16 x 5792 x 724", Type::F32, 3, {16, 5792, 724}, {1, 0, 2}, false},
        {"NCHW -> NC/32HW32 u8, 64 x 1080p", Type::U8, 4, {2, 32, 1080, 1920}, {0, 2, 3, 1}, false},
        {"NCHW -> NC/4HW4 u8, 64 x 1080p", Type::U8, 4, {16, 4, 1080, 1920}, {0, 2, 3, 1}, false},
        {"HWC3 -> CHW u8, 8 x 2160 x 3841", Type::U8, 4, {8, 2160, 3841, 3}, {0, 3, 1, 2}, false},
        {"(0,2,1) u8, 13 x 5779 x 727", Type::U8, 3, {13, 5779, 727}, {0, 2, 1}, false},
        {"(0,2,1) f16, 13 x 5779 x 727", Type::F16, 3, {13, 5779, 727}, {0, 2, 1}, false},
        {"(0,2,1) f32, 13 x 5779 x 727", Type::F32, 3, {13, 5779, 727}, {0, 2, 1}, false},
        {"(1,0,2) u8, 13 x 5779 x 727", Type::U8, 3, {13, 5779, 727}, {1, 0, 2}, false},
        {"transpose f32, 8192 x 8192", Type::F32, 2, {8192, 8192}, {1, 0}, false},
    };
    return cases;
}

int64_t count_of(const Case &c)
{
    int64_t count = 1;
    for (int i = 0; i < c.rank; i++) count *= c.size[i];
    return count;
}

size_t src_bytes_of(const Case &c) { return (size_t)count_of(c) * bytes_of(c.type); }

size_t dst_bytes_of(const Case &c)
{
    return (size_t)count_of(c) * (c.to_float ? sizeof(float) : bytes_of(c.type));
}

Move move_of(int rank, const int64_t *size, const int *order)
{
    Move move = {};
    move.rank = rank;
    move.count = 1;
    for (int i = rank - 1; i >= 0; i--) {
        move.dim[i].size = size[i];
        move.dim[i].src_stride = move.count;
        move.count *= size[i];
    }
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        move.dim[order[i]].dst_stride = stride;
        stride *= size[order[i]];
    }
    return move;
}

bool as_transpose(const Case &c, Transpose *transpose)
{
    int kept = 0;
    while (kept < c.rank && c.order[kept] == kept) kept++;
    if (kept == c.rank) return false;
    const int first_col = c.order[kept], turned = c.rank - kept;
    for (int i = 0; i < turned; i++)
        if (c.order[kept + i] != kept + (first_col - kept + i) % turned) return false;
    *transpose = {1, 1, 1};
    for (int i = 0; i < c.rank; i++) {
        int64_t &part = i < kept        ? transpose->batch
                        : i < first_col ? transpose->rows
                                        : transpose->cols;
        part *= c.size[i];
    }
    return true;
}

} // namespace bench

/* Bjontegaard's deltas against those of a public implementation, on 20 pairs of curves, and what
 * has none. */
#include "report/page/bjontegaard.h"

#include "record/summary.h"
#include "report/page/rates.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Rates in kbit/s; the last row is what the Python package bjontegaard 1.3.0 says: rate and quality
 * by "pchip", then by "cubic". */
static const struct {
    size_t firsts, seconds;
    struct bd_point first[8], second[8];
    double expected[4];
} sets[] = {
    {7,
     8,
     {{246.4, 0.87168},
      {256.4, 0.87609},
      {745.8, 0.92707},
      {1168.9, 0.94097},
      {1312.1, 0.94466},
      {2146.3, 0.95778},
      {8258.7, 0.97879}},
     {{264.6, 0.89323},
      {268.8, 0.89445},
      {698.1, 0.9335},
      {1218.5, 0.95087},
      {1936.8, 0.96114},
      {2583.6, 0.96475},
      {4512.4, 0.97447},
      {11490.3, 0.98274}},
     {-22.95778294, 0.006736644529, -21.68944693, 0.007390311227}},
    {4,
     4,
     {{510, 28.64511}, {893.1, 31.26181}, {1494, 33.83357}, {2031.2, 35.75851}},
     {{591.6, 29.03147}, {872.2, 31.04658}, {7923.4, 42.23432}, {7957.7, 42.34483}},
     {7.361951551, -0.4255920231, 9.752700156, -1.631984976}},
    {4,
     4,
     {{296.9, 0.88484}, {1088.4, 0.93918}, {9792.3, 0.98066}, {14705.4, 0.98362}},
     {{1693.1, 0.94551}, {4464.9, 0.96675}, {4671.3, 0.96707}, {6079.6, 0.97192}},
     {15.95482279, -0.002989527162, -18.91171039, -0.001812093639}},
    {8,
     7,
     {{488.7, 28.50528},
      {1132.5, 32.83437},
      {1153.4, 32.90039},
      {1207.7, 33.12426},
      {3357.9, 38.04185},
      {5340.1, 40.78735},
      {7886.7, 42.63972},
      {7908.2, 42.89346}},
     {{200.8, 24.09598},
      {862.2, 31.65582},
      {1274.1, 33.32642},
      {1384.8, 34.15624},
      {1819.7, 35.09394},
      {3663.6, 39.10957},
      {16522.5, 46.5332}},
     {-4.431436877, 0.2663653695, -3.891155547, 0.1947403955}},
    {4,
     4,
     {{280.5, 0.87987}, {1291.9, 0.94441}, {9091.3, 0.97854}, {10401.8, 0.98037}},
     {{326.3, 0.89072}, {721.8, 0.92613}, {1567.7, 0.94994}, {10709.8, 0.98076}},
     {1.541618967, 0.001623034624, 2.426033733, 0.0008145077855}},
    {4,
     4,
     {{1623.9, 34.57709}, {1828.2, 35.30782}, {12036.1, 44.78279}, {14363.4, 45.9747}},
     {{2012.5, 35.30574}, {3084.2, 37.10789}, {4814.8, 39.44128}, {5969.9, 40.62402}},
     {16.73776459, -0.7550749679, 17.1977635, -0.7612296168}},
    {5,
     5,
     {{250.6, 0.87336}, {509.9, 0.91116}, {543.8, 0.91407}, {3183.6, 0.96491}, {11835.3, 0.98219}},
     {{578.5, 0.93104}, {964.5, 0.94602}, {1128.3, 0.95054}, {5183, 0.97678}, {8892.7, 0.98185}},
     {-30.25801364, 0.007480882328, -27.51695379, 0.007250126938}},
    {4,
     4,
     {{243.8, 24.6146}, {252.3, 25.00655}, {1948.2, 35.13473}, {2295.9, 36.30973}},
     {{2241.4, 36.1083}, {2673.7, 37.09835}, {3140.7, 37.71425}, {5756.9, 41.04409}},
     {0.3006970564, -0.03507625251, -0.05408102542, -0.02399742813}},
    {4,
     4,
     {{482.2, 0.90984}, {4423.9, 0.96952}, {6222.3, 0.97453}, {19132.2, 0.98506}},
     {{216, 0.83723}, {425, 0.8832}, {623.1, 0.90308}, {10557.4, 0.97605}},
     {75.76241618, -0.008782075937, 6.822018131, -0.01079201312}},
    {6,
     7,
     {{707.5, 29.98272},
      {1612, 34.57837},
      {1895.5, 35.13092},
      {2015.3, 35.4146},
      {2506.6, 36.62597},
      {13993.4, 45.41863}},
     {{200, 25.63015},
      {264.2, 27.02108},
      {449.5, 29.39251},
      {537.4, 30.54243},
      {1074.7, 34.32765},
      {1368.8, 35.09185},
      {3192.8, 39.94221}},
     {-25.93917228, 1.606468596, -30.76559718, 1.843841906}},
    {4,
     4,
     {{883.5, 0.93273}, {1239.3, 0.9424}, {3568.4, 0.96704}, {7318.2, 0.97727}},
     {{1121.1, 0.9397}, {1194.1, 0.94147}, {11488.6, 0.98094}, {15704.1, 0.98305}},
     {5.949640424, -0.001639298257, -9.97685189, -0.0005413585609}},
    {4,
     4,
     {{266.5, 25.05647}, {575.4, 28.80374}, {717.2, 30.02643}, {2422, 36.8044}},
     {{337.1, 25.02632}, {1116.1, 30.77509}, {1320.3, 31.67734}, {15943.5, 45.13294}},
     {34.63041535, -1.548156165, 34.99474856, -1.588614672}},
    {8,
     7,
     {{277.4, 0.87972},
      {466.8, 0.90791},
      {629.4, 0.92071},
      {665.4, 0.92185},
      {1826, 0.95286},
      {2234.6, 0.95754},
      {12187.3, 0.98166},
      {15872.5, 0.98449}},
     {{272.7, 0.89229},
      {937.3, 0.94193},
      {1083, 0.94646},
      {1525.7, 0.95389},
      {2020.2, 0.95998},
      {2602.6, 0.96584},
      {15665.6, 0.98576}},
     {-22.99672276, 0.006683115082, -16.55817377, 0.005889923491}},
    {4,
     4,
     {{379.2, 26.90752}, {1766.3, 35.14219}, {7368, 42.10988}, {16622.8, 46.56595}},
     {{969.8, 30.50614}, {1251.3, 32.42107}, {7410.6, 41.63295}, {8623.3, 42.25404}},
     {12.72105333, -0.5550169443, 11.65959892, -0.4411698911}},
    {4,
     4,
     {{480.3, 0.90781}, {495.1, 0.90925}, {1116.5, 0.93946}, {4118, 0.9682}},
     {{205.8, 0.87736}, {261.1, 0.89276}, {615.4, 0.93022}, {8951.2, 0.98057}},
     {-21.4649074, 0.008045184332, -22.77560322, 0.003212395629}},
    {6,
     8,
     {{513.5, 28.53981},
      {567.7, 29.06197},
      {676.2, 29.79607},
      {1080.3, 32.50086},
      {2949.9, 37.87266},
      {17819.2, 46.97564}},
     {{274.1, 23.6242},
      {666.4, 27.99544},
      {810.3, 29.05405},
      {1908.4, 33.89034},
      {2146.2, 34.31308},
      {4070.4, 37.4309},
      {4311.4, 38.00268},
      {8263.1, 41.55997}},
     {39.48028102, -1.755186468, 41.82105594, -1.856142123}},
    {4,
     4,
     {{925, 0.93441}, {2932.6, 0.96224}, {7918.8, 0.97791}, {12479.8, 0.98214}},
     {{285.7, 0.8823}, {532.4, 0.91359}, {5964.5, 0.97347}, {18905.4, 0.98521}},
     {7.076645671, -0.001071330733, -13.43601897, 0.0002575417707}},
    {4,
     4,
     {{239.5, 24.32785}, {651.3, 29.90686}, {757, 30.79028}, {2642.6, 37.25534}},
     {{271.5, 25.0885}, {997.7, 31.85611}, {1152.2, 32.69604}, {2239.4, 35.89087}},
     {6.409441613, -0.3408001719, 9.092844332, -0.4808111341}},
    {4,
     5,
     {{358.6, 0.89471}, {529.5, 0.91373}, {11739.3, 0.98169}, {13284.1, 0.98246}},
     {{1403, 0.93901}, {2179.2, 0.95179}, {2527.7, 0.95512}, {2596.9, 0.95645}, {7209.2, 0.97271}},
     {18.93838738, -0.001904359988, 158.215953, -0.00671565602}},
    {4,
     4,
     {{355.3, 26.387}, {895.9, 31.51226}, {1018.7, 32.2489}, {1611, 34.13952}},
     {{303.5, 27.23653}, {819.6, 32.70408}, {1409.1, 35.58482}, {1878.2, 36.7101}},
     {-27.58228268, 1.759228746, -27.36456235, 1.768867747}},
};

/* Within 0.01 % of rate, and a hundredth of a percent of quality. */
Test(bjontegaard, as_a_public_implementation)
{
    cr_assert(sizeof sets / sizeof *sets >= 20);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const double *const want = sets[i].expected;
        const struct bd bd = bd_of(sets[i].first, sets[i].firsts, sets[i].second, sets[i].seconds);
        cr_assert(bd.lack == BD_NONE, "set %zu", i);
        cr_expect(fabs(bd.rate - want[0]) < 0.01, "set %zu: %.9g, not %.9g", i, bd.rate, want[0]);
        cr_expect(fabs(bd.quality - want[1]) <= 1e-4 * fabs(want[1]), "set %zu: %.9g, not %.9g", i,
                  bd.quality, want[1]);
        cr_expect(fabs(bd.rate_fit - want[2]) < 0.01, "set %zu: %.9g, not %.9g", i, bd.rate_fit,
                  want[2]);
        cr_expect(fabs(bd.quality_fit - want[3]) <= 1e-4 * fabs(want[3]), "set %zu: %.9g, not %.9g",
                  i, bd.quality_fit, want[3]);
    }
}

/* The same curve moved to twice the rate takes 100 % more, or half in the other direction. */
Test(bjontegaard, twice_the_rate)
{
    const struct bd_point a[] = {{1, 30}, {2, 33}, {4, 35}, {9, 38}};
    const struct bd_point b[] = {{2, 30}, {4, 33}, {8, 35}, {18, 38}};
    const struct bd there = bd_of(a, 4, b, 4), back = bd_of(b, 4, a, 4);
    cr_expect(fabs(there.rate - 100) < 1e-9 && fabs(there.rate_fit - 100) < 1e-9);
    cr_expect(fabs(back.rate + 50) < 1e-9 && fabs(back.rate_fit + 50) < 1e-9);
    cr_expect(there.quality < 0 && back.quality > 0 && !there.crosses);
    cr_expect(there.low == 30 && there.high == 38 && there.share == 1);
}

/* Two curves that cross at the same place, seen from either side. */
Test(bjontegaard, curves_that_cross)
{
    const struct bd_point a[] = {{1, 30}, {10, 40}}, b[] = {{2, 30}, {5, 40}};
    const struct bd bd = bd_of(a, 2, b, 2), back = bd_of(b, 2, a, 2);
    cr_expect(bd.crosses && back.crosses && fabs(bd.at - back.at) < 1e-6);
    cr_expect(fabs(bd_quality(a, 2, pow(10, (bd.at - 30) / 10)) - bd.at) < 1e-6);
    cr_expect(fabs(bd.at - 35) < 1e-6, "%.9g: OUT is said to be better where it is not", bd.at);
    cr_expect(isnan(bd.rate_fit) && isnan(bd.quality_fit)); /* two points have no cubic */
}

/* Qualities in common: at the lower end of a curve, inside it, at its upper end, and all of it. */
Test(bjontegaard, share_of_the_qualities)
{
    const struct bd_point a[] = {{1, 30}, {4, 40}};
    static const struct {
        double from, to, low, high, all; /* the other curve; what is common; of how much */
    } rows[] = {{26, 34, 30, 34, 14}, {30, 34, 30, 34, 10}, {33, 37, 33, 37, 10},
                {36, 40, 36, 40, 10}, {36, 42, 36, 40, 12}, {28, 45, 30, 40, 17},
                {30, 40, 30, 40, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bd_point b[] = {{2, rows[i].from}, {5, rows[i].to}};
        const double share = (rows[i].high - rows[i].low) / rows[i].all;
        const struct bd ways[] = {bd_of(a, 2, b, 2), bd_of(b, 2, a, 2)};
        for (int k = 0; k < 2; k++) {
            cr_expect(fabs(ways[k].share - share) < 1e-12, "row %zu, way %d: %.9g, not %.9g", i, k,
                      ways[k].share, share);
            cr_expect(ways[k].low == rows[i].low && ways[k].high == rows[i].high,
                      "row %zu, way %d: %.9g to %.9g", i, k, ways[k].low, ways[k].high);
        }
    }
}

Test(bjontegaard, what_has_none)
{
    const struct bd_point a[] = {{1, 30}, {2, 33}}, worse[] = {{1, 20}, {2, 22}},
                          slower[] = {{5, 31}, {9, 32}}, falls[] = {{1, 30}, {2, 29}},
                          twice[] = {{1, 30}, {1, 31}};
    cr_expect(bd_of(a, 1, a, 2).lack == BD_FEW && bd_of(a, 2, a, 0).lack == BD_FEW);
    cr_expect(bd_of(a, 2, falls, 2).lack == BD_FALLS && bd_of(twice, 2, a, 2).lack == BD_FALLS);
    const struct bd apart = bd_of(a, 2, worse, 2), other = bd_of(a, 2, slower, 2);
    cr_expect(apart.lack == BD_NONE && isnan(apart.rate) && !isnan(apart.quality));
    cr_expect(other.lack == BD_NONE && !isnan(other.rate) && isnan(other.quality));
    cr_expect(fabs(other.share - 1.0 / 3) < 1e-12);
}

/* The hull leaves out what lies below a line of two others, and what is worse at more rate. */
Test(bjontegaard, hull)
{
    const struct bd_point point[] = {{1, 9},   {1, 10},   {5, 12},  {10, 30},
                                     {20, 29}, {100, 39}, {100, 40}};
    enum { COUNT = sizeof point / sizeof *point };
    const double hull[] = {1, 10, 100}, best[] = {10, 30, 40};
    bool on[COUNT];
    size_t kept = 0;
    bd_hull(point, COUNT, on);
    for (size_t i = 0; i < COUNT; i++) {
        if (!on[i]) continue;
        cr_assert(kept < 3 && point[i].rate == hull[kept]);
        cr_expect(point[i].quality == best[kept]);
        kept++;
    }
    cr_expect(kept == 3);
}

/* OUTs in any order become points in the order of their rates, which name their OUTs. Others lack a
 * rate or belong to another group. */
Test(bjontegaard, points_of_outs)
{
    enum { OUTS = 5 };
    static const double rates[][OUTS] = {
        {1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {3, 5, 1, 4, 2}, {2, 3, 4, 5, 1}, {4, 0, 1, 3, 2}};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
        for (unsigned group = 0; group < 3; group++) {
            static struct summary summary[OUTS];
            struct index_row row[OUTS] = {{0}};
            struct rate_curve curve;
            size_t wanted = 0;
            for (unsigned i = 0; i < OUTS; i++) {
                summary[i].coded.rate = rates[k][i];
                summary[i].numbers.metrics[SSIMCU_METRIC_SSIM] =
                    (struct summary_metric){.scored = 1, .score = 0.1 * i};
                row[i].summary = &summary[i];
                row[i].group = 1 + i % 2;
                wanted += rates[k][i] > 0 && (group == 0 || row[i].group == group);
            }
            memset(&curve, 0xFF, sizeof curve);
            rates_collect(&(struct index){.row = row, .count = OUTS}, SSIMCU_METRIC_SSIM, group,
                          &curve);
            cr_assert_eq(curve.count, wanted);
            for (size_t i = 0; i < wanted; i++) {
                cr_assert_lt(curve.out[i], OUTS, "set %zu, point %zu", k, i);
                cr_expect_eq(curve.point[i].rate, rates[k][curve.out[i]]);
                cr_expect_eq(curve.point[i].quality, 0.1 * (double)curve.out[i]);
                cr_expect(i == 0 || curve.point[i - 1].rate < curve.point[i].rate);
            }
        }
}

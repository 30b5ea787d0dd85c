#include "tools/grep/bytes.h"

#include <string.h>

/* Without AVX2, and for what the loops below leave over. */
static const char *find_pair_plainly(const char *at, const char *end, const struct byte_pair *pair)
{
	for (; at < end; at++) {
		if (pair->first_fold == 0)
			at = memchr(at, pair->first, (size_t)(end - at));
		if (!at)
			return NULL;
		if ((*at | pair->first_fold) == pair->first &&
			(at[pair->distance] | pair->second_fold) == pair->second)
			return at;
	}
	return NULL;
}

static uint64_t count_plainly(const char *at, const char *end)
{
	uint64_t count = 0;

	while (at < end)
		count += *at++ == '\n';
	return count;
}

static bool are_plain_plainly(const char *at, const char *end)
{
	/* 0 - 1 and 0x80 - 1 are the two values where the sign of byte - 1 is wrong. */
	for (; at < end; at++)
		if ((signed char)*at <= 0)
			return false;
	return true;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define WIDTH 32

__attribute__((target("avx2"))) static const char *find_pair_avx2(const char *at, const char *end,
	const struct byte_pair *pair)
{
	const __m256i first = _mm256_set1_epi8(pair->first);
	const __m256i second = _mm256_set1_epi8(pair->second);
	const __m256i first_fold = _mm256_set1_epi8(pair->first_fold);
	const __m256i second_fold = _mm256_set1_epi8(pair->second_fold);
	const size_t distance = pair->distance;

	for (; end - at >= WIDTH; at += WIDTH) {
		__m256i one = _mm256_loadu_si256((const __m256i *)(const void *)at);
		__m256i other = _mm256_loadu_si256((const __m256i *)(const void *)(at + distance));
		unsigned places = (unsigned)
			_mm256_movemask_epi8(_mm256_and_si256(_mm256_cmpeq_epi8(_mm256_or_si256(one,
																		first_fold),
													  first),
				_mm256_cmpeq_epi8(_mm256_or_si256(other, second_fold), second)));

		if (places != 0)
			return at + __builtin_ctz(places);
	}
	return find_pair_plainly(at, end, pair);
}

__attribute__((target("avx2"))) static uint64_t count_avx2(const char *at, const char *end)
{
	const __m256i feed = _mm256_set1_epi8('\n');
	const __m256i zero = _mm256_setzero_si256();
	__m256i sums = zero;

	while (end - at >= WIDTH) {
		__m256i counts = zero;

		/* A byte of counts must not overflow. */
		for (int i = 0; i < 255 && end - at >= WIDTH; i++, at += WIDTH) {
			__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
			counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(bytes, feed));
		}
		sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counts, zero));
	}
	return (uint64_t)_mm256_extract_epi64(sums, 0) + (uint64_t)_mm256_extract_epi64(sums, 1) +
		(uint64_t)_mm256_extract_epi64(sums, 2) + (uint64_t)_mm256_extract_epi64(sums, 3) +
		count_plainly(at, end);
}

__attribute__((target("avx2"))) static bool are_plain_avx2(const char *at, const char *end)
{
	const __m256i zero = _mm256_setzero_si256();

	for (; end - at >= WIDTH; at += WIDTH) {
		__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
		if (_mm256_movemask_epi8(_mm256_cmpgt_epi8(bytes, zero)) != -1)
			return false;
	}
	return are_plain_plainly(at, end);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") != 0;
}

#else

#define find_pair_avx2 find_pair_plainly
#define count_avx2 count_plainly
#define are_plain_avx2 are_plain_plainly

static bool has_avx2(void)
{
	return false;
}

#endif

const char *bytes_find_pair(const char *at, const char *end, const struct byte_pair *pair)
{
	if (pair->distance == 0 && pair->first_fold == 0)
		return at < end ? memchr(at, pair->first, (size_t)(end - at)) : NULL;
	return has_avx2() ? find_pair_avx2(at, end, pair) : find_pair_plainly(at, end, pair);
}

uint64_t bytes_count_feeds(const char *at, const char *end)
{
	return has_avx2() ? count_avx2(at, end) : count_plainly(at, end);
}

bool bytes_are_plain(const char *at, const char *end)
{
	return has_avx2() ? are_plain_avx2(at, end) : are_plain_plainly(at, end);
}

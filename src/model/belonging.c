/* belonging.c: see belonging.h. */
#include "model/belonging.h"

#include <stdlib.h>
#include <string.h>

uint32_t belonging_select(struct belonging_histories histories, uint32_t place_count, uint32_t *numbers)
{
	uint32_t selected = 0;
	memset(numbers, 0, ((size_t)place_count + 1) * sizeof *numbers);
	for (size_t i = 0; i < histories.count; i++) {
		const struct belonging_history *history = &histories.items[i];
		for (uint32_t j = 0; j < history->count; j++)
			numbers[history->places[j]] = 1;
		if (history->count)
			numbers[history->place] = 1;
	}
	for (uint32_t place = 1; place <= place_count; place++)
		if (numbers[place])
			numbers[place] = ++selected;
	return selected;
}

bool belonging_predecessor(const struct belonging_history *history, const uint32_t *numbers, uint32_t *predecessor)
{
	for (uint32_t i = 0; i < history->count; i++) {
		*predecessor = numbers[history->places[i]];
		if (*predecessor)
			return true;
	}
	*predecessor = BELONGING_NIL;
	return history->is_whole;
}

static int compare_pairs(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

size_t belonging_members(struct belonging_histories histories, const uint32_t *numbers, uint64_t *pairs)
{
	size_t count = 0, distinct = 0;
	for (size_t i = 0; i < histories.count; i++) {
		uint32_t predecessor, number = numbers[histories.items[i].place];
		if (number && belonging_predecessor(&histories.items[i], numbers, &predecessor))
			pairs[count++] = (uint64_t)number << 32 | predecessor;
	}
	if (count)
		qsort(pairs, count, sizeof *pairs, compare_pairs);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || pairs[i] != pairs[i - 1])
			distinct++;
	return distinct;
}

size_t belonging_row_words(uint32_t selected_count)
{
	return ((size_t)selected_count + 1 + 63) / 64;
}

static uint64_t *row_of(uint64_t *rows, size_t row_words, uint32_t number)
{
	return rows + (size_t)(number - 1) * row_words;
}

static void put(uint64_t *row, uint32_t member)
{
	row[member / 64] |= (uint64_t)1 << (member % 64);
}

bool belonging_has(const uint64_t *rows, size_t row_words, uint32_t number, uint32_t member)
{
	return rows[(size_t)(number - 1) * row_words + member / 64] >> (member % 64) & 1;
}

void belonging_sets(struct belonging_histories histories, const uint32_t *numbers, uint32_t selected_count,
		    uint64_t *sets)
{
	size_t words = belonging_row_words(selected_count);
	for (size_t i = 0; i < histories.count; i++) {
		uint32_t predecessor, number = numbers[histories.items[i].place];
		if (number && belonging_predecessor(&histories.items[i], numbers, &predecessor))
			put(row_of(sets, words, number), predecessor);
	}
}

/* All places of one history were seen at one cell. The place of an access is the last, and those of its list come before. */
static void find_neighbours(const struct belonging_history *history, const uint32_t *numbers, size_t words,
			    uint64_t *neighbours)
{
	for (uint32_t i = 0; i <= history->count; i++) {
		uint32_t one = numbers[i < history->count ? history->places[i] : history->place];
		for (uint32_t j = 0; one && j <= history->count; j++) {
			uint32_t other = numbers[j < history->count ? history->places[j] : history->place];
			if (other)
				put(row_of(neighbours, words, one), other);
		}
	}
}

/* Meanwhile, in duties: a predecessor of the place was not known. */
#define IS_INCOMPLETE (1u << 7)

void belonging_duties(struct belonging_histories histories, const uint32_t *numbers, uint32_t selected_count,
		      const uint64_t *sets, uint64_t *neighbours, uint8_t *duties)
{
	size_t words = belonging_row_words(selected_count);
	memset(neighbours, 0, selected_count * words * sizeof *neighbours);
	memset(duties, 0, (size_t)selected_count + 1);
	for (size_t i = 0; i < histories.count; i++) {
		uint32_t predecessor, number = numbers[histories.items[i].place];
		find_neighbours(&histories.items[i], numbers, words, neighbours);
		if (number && !belonging_predecessor(&histories.items[i], numbers, &predecessor))
			duties[number] = IS_INCOMPLETE;
	}
	for (uint32_t number = 1; number <= selected_count; number++) {
		uint64_t *row = row_of(neighbours, words, number);
		const uint64_t *set = sets + (row - neighbours);
		bool is_checked = !(set[0] & 1);
		put(row, number);
		for (size_t word = 0; word < words; word++)
			is_checked |= (row[word] & ~set[word]) != 0;
		duties[number] = is_checked && !(duties[number] & IS_INCOMPLETE) ? BELONGING_CHECK : 0;
	}
	for (uint32_t number = 1; number <= selected_count; number++)
		for (uint32_t other = 1; other <= selected_count && duties[number] & BELONGING_CHECK; other++)
			if (belonging_has(neighbours, words, number, other))
				duties[other] |= BELONGING_UPDATE;
}

/* Arrays of whole numbers in as few bytes as their largest one needs: what makes the tables of 'u' axes small. */
#include "model_impl.h"

#include <stdlib.h>

bool dap_words_create(int64_t count, int64_t most, dap_words *words)
{
  words->width = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
  words->data = calloc(count > 0 ? (size_t)count : 1, (size_t)words->width);
  return words->data != NULL;
}

void dap_words_release(dap_words *words)
{
  free(words->data);
  words->data = NULL;
}

int64_t dap_words_get(const dap_words *words, int64_t index)
{
  switch (words->width) {
  case 1:
    return ((const uint8_t *)words->data)[index];
  case 2:
    return ((const uint16_t *)words->data)[index];
  case 4:
    return ((const uint32_t *)words->data)[index];
  default:
    return ((const int64_t *)words->data)[index];
  }
}

void dap_words_set(dap_words *words, int64_t index, int64_t value)
{
  switch (words->width) {
  case 1:
    ((uint8_t *)words->data)[index] = (uint8_t)value;
    break;
  case 2:
    ((uint16_t *)words->data)[index] = (uint16_t)value;
    break;
  case 4:
    ((uint32_t *)words->data)[index] = (uint32_t)value;
    break;
  default:
    ((int64_t *)words->data)[index] = value;
  }
}

/* site.h: numbers for sites, small enough for a word of the shadow. 0 stands for none and for those beyond 2097151. */
#ifndef DETECT_SITE_H
#define DETECT_SITE_H

#include "heddle/abi.h"

void site_add(const struct heddle_site *sites, const struct heddle_site *sites_end);
uint32_t site_number(const struct heddle_site *site);
/* Null for 0. */
const struct heddle_site *site_of(uint32_t number);

#endif

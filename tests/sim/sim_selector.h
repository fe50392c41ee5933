/*
 * sim_selector: label and field selectors, as far as watches use them: key=value, key==value,
 * key!=value and, of labels, a key alone; joined by commas. A field is a path of members.
 */
#ifndef SIM_SIM_SELECTOR_H
#define SIM_SIM_SELECTOR_H

#include "base/str.h"

#include <stdbool.h>

bool sim_selector_matches(struct str json, struct str label_selector, struct str field_selector);

#endif

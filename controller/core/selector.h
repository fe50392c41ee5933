/*
 * selector: whether labels match a Kubernetes label selector (metav1.LabelSelector): matchLabels
 * and matchExpressions with In, NotIn, Exists and DoesNotExist, all of which must hold.
 */
#ifndef CORE_SELECTOR_H
#define CORE_SELECTOR_H

#include "base/str.h"

#include <stdbool.h>

/*
 * Both are checked JSON: the selector an object, the labels an object of strings; empty slices
 * stand for empty ones. An empty selector matches everything. What is no selector (an unknown
 * operator, a wrong type) matches nothing: a policy that can't be read allows nobody.
 */
bool selector_matches(struct str selector, struct str labels);

#endif

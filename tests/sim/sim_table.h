/*
 * sim_table: objects as rows of a Table (meta.k8s.io/v1) with their metadata alone beside the
 * cells, as an API server answers to "as=Table" and includeObject=Metadata.
 */
#ifndef SIM_SIM_TABLE_H
#define SIM_SIM_TABLE_H

#include "sim_store.h"

/* Appends the array of columnDefinitions. */
void sim_table_columns(struct buf *out, const struct sim_resource *resource);

/* Appends a row. */
void sim_table_row(struct buf *out, const struct sim_resource *resource, struct str json);

#endif

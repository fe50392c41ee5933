/*
 * pod_difference: whether a live Pod is the one that was planned, and if not, in which field.
 *
 * Nobody is believed: somebody may have made a Pod of our name before us, a webhook may have added
 * a sidecar, an admin may have patched an image. So the whole spec is held against the manifest
 * that we would send (pod.h), both ways: what we said must be there, and what we did not say must
 * not be. Forgiven is only what Kubernetes itself fills in, by name:
 * - the scheduler: spec.nodeName;
 * - admission of core: priority, preemptionPolicy, the default PriorityClass, schedulerName,
 *   serviceAccount, the RuntimeClass's overhead and its nodeSelector and tolerations beside ours,
 *   the default tolerations, the pull secrets of the service account, and that the image is always
 *   pulled;
 * - whoever queues Pods: schedulingGates, which hold a Pod back and change nothing else;
 * - a cluster that assigns users (OpenShift): a runAsUser that is not 0 where we left it out,
 *   fsGroup, seLinuxOptions.
 * And what we said that is false or empty may be missing: Kubernetes leaves it out.
 *
 * Of the metadata, name, namespace and our own labels and annotations are compared. Others may be
 * added, but none of ours and none that configures gVisor; so those of the class can be left out of
 * the planned Pod, and have to be once the class may have changed.
 */
#ifndef BUILD_POD_DIFFERENCE_H
#define BUILD_POD_DIFFERENCE_H

#include "base/str.h"

#include <stdbool.h>

#define POD_DIFFERENCE_SIZE 256 /* of a path with its NUL; cut when it is longer */

/*
 * True when they differ, with the path of the first difference: "spec.containers[0].image". Both
 * are checked JSON of whole Pods.
 */
bool pod_difference(struct str planned, struct str live, char path[POD_DIFFERENCE_SIZE]);

#endif

/*
 * objects: JSON for tests, written with single quotes, and the objects that most tests start from.
 */
#ifndef TESTS_OBJECTS_H
#define TESTS_OBJECTS_H

#include "base/str.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define OBJECTS_TEXTS	  8
#define OBJECTS_TEXT_SIZE (64 << 10)

/* The text with double quotes. Valid until the eighth call after this one. */
static inline struct str json_of(const char *text)
{
	static char texts[OBJECTS_TEXTS][OBJECTS_TEXT_SIZE];
	static int next;
	char *copy = texts[next++ % OBJECTS_TEXTS];
	size_t n = strlen(text);

	assert(n < OBJECTS_TEXT_SIZE);
	for (size_t i = 0; i <= n; i++)
		copy[i] = text[i] == '\'' ? '"' : text[i];
	return (struct str){copy, n};
}

/* A SandboxClass as the API server completes it from one runtime and its image. */
#define OBJECTS_CLASS_WITH(runtimes, more)                                                       \
	"{'apiVersion':'sandboxtask.io/v1beta1','kind':'SandboxClass',"                          \
	"'metadata':{'name':'default','uid':'class-uid','resourceVersion':'5','generation':3},"  \
	"'spec':{'runtimes':" runtimes ",'runtimeClassName':'gvisor',"                           \
	"'isolation':{'sandbox':'GVisor','memoryLimit':'Optional'},"                             \
	"'podNamespace':'sandboxtask-pods',"                                                     \
	"'resources':{'cpu':{'default':'1','max':'2'},'memory':{'default':'256Mi','max':'1Gi'}," \
	"'tmp':{'default':'64Mi','max':'256Mi'}},"                                               \
	"'timeouts':{'startSeconds':{'default':120,'max':600},"                                  \
	"'runSeconds':{'default':60,'max':600}},"                                                \
	"'output':{'stdoutBytes':{'default':1048576,'max':4194304},"                             \
	"'stderrBytes':{'default':262144,'max':1048576}},"                                       \
	"'limits':{'openFiles':1024,'processes':128,'tmpInodes':16384},"                         \
	"'overhead':{'cpu':'100m','memory':'64Mi','ephemeralStorage':'64Mi'},"                   \
	"'concurrency':{'maxTasks':100,'maxTasksPerNamespace':20},"                              \
	"'holdSeconds':3600,'scheduling':{'cpuRequestPercent':100},'podMetadata':{}" more "}}"

#define OBJECTS_PYTHON \
	"[{'name':'python3','language':'python','image':'docker.io/sandboxtask/runner-python:1'}]"

#define OBJECTS_CLASS OBJECTS_CLASS_WITH(OBJECTS_PYTHON, "")

/* A SandboxTask as the API server serves it, with this spec and status. */
#define OBJECTS_TASK_WITH(spec, status)                                  \
	"{'apiVersion':'sandboxtask.io/v1beta1','kind':'SandboxTask',"   \
	"'metadata':{'name':'answer','namespace':'team','uid':"          \
	"'11111111-2222-3333-4444-555555555555','resourceVersion':'77'," \
	"'creationTimestamp':'2026-01-02T03:04:05Z','generation':1},"    \
	"'spec':" spec ",'status':" status "}"

#define OBJECTS_PENDING                                                           \
	"{'phase':'Pending','conditions':[{'type':'Reconciling','status':'True'," \
	"'reason':'Pending','lastTransitionTime':'1970-01-01T00:00:00Z'}]}"

#define OBJECTS_TASK(spec) OBJECTS_TASK_WITH(spec, OBJECTS_PENDING)

#endif

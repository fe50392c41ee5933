/*
 * tags: every field of the manifests and records on the wire. How a row is read: record.h. The
 * structs, and the rules that go across fields: hello.h, bundle.h, outcome.h, layer.h.
 *
 * A tag is never given to another meaning. Tables are in ascending order, with gaps for what
 * belongs to a group later. This header is longer than others since it is one list.
 */
#ifndef PROTO_TAGS_H
#define PROTO_TAGS_H

#define TAGS_DETAIL_BYTES_MAX 256
#define TAGS_PATH_BYTES_MAX   1024
#define TAGS_FILE_MODE_MAX    0777
/* Over this a length on the wire is nonsense. The bounds that count are lower and in force before:
 * the runner's spool, and what the controller is ready to hold. */
#define TAGS_PART_BYTES_MAX (256u << 20)
#define TAGS_BYTES_MAX	    (1ull << 50) /* of a memory or disk limit */
#define TAGS_MS_MAX	    UINT32_MAX	 /* 49 days */
/* Of what is told in a status, whose numbers are signed: one that it can't hold is refused here, or
 * the status would be refused, and with it the end of the task. */
#define TAGS_TOLD_MAX	    INT64_MAX
#define TAGS_TOLD_COUNT_MAX INT32_MAX

/* A layer of isolation, in HELLO and in the outcome. */
#define LAYER_TABLE(X)                                                                          \
	X(0x0001, MUST, TEXT, name, 1, 64)	       /* one of LAYER_NAMES, or a later one */ \
	X(0x0002, MUST, U8, state, 0, LAYER_STATE_MAX) /* enum layer_state */                   \
	X(0x0003, MAY, TEXT, detail, 0, TAGS_DETAIL_BYTES_MAX) /* what was seen, for people */

/* --- HELLO: the facts behind its fixed part. */
#define HELLO_TABLE(X)                                                                             \
	X(0x0001, MUST, TEXT, build, 1, 64)	 /* version and commit of the runner */            \
	X(0x0002, MAY, TEXT, kernel, 0, 128)	 /* what it runs on, as uname says */              \
	X(0x0010, MUST, U32, uid, 0, UINT32_MAX) /* outside the jail */                            \
	X(0x0011, MAY, U64, memory_limit_bytes, 0, UINT64_MAX) /* seen inside the Pod; 0: none */  \
	X(0x0012, MAY, U32, cpu_limit_milli, 0, UINT32_MAX)    /* cores × 1000; 0: none seen */   \
	X(0x0013, MUST, U64, bundle_bytes_max, 1, UINT64_MAX)  /* over it OFFER is TooLarge */     \
	X(0x0014, MUST, U64, outcome_bytes_max, 1, UINT64_MAX) /* room for an outcome */           \
	X(0x0015, MAY, U32, boot_us, 0, UINT32_MAX)    /* from its first act to a verified jail */ \
	X(0x0020, LIST, RECORD(layer), layers, 0, 512) /* the jail it holds, verified */

/* --- Bundle */
#define BUNDLE_ENV_TABLE(X)                                   \
	X(0x0001, MUST, TEXT, name, 1, 256) /* without '=' */ \
	X(0x0002, MAY, TEXT, value, 0, 32768)

#define BUNDLE_PART_TABLE(X)                                                                \
	X(0x0001, MUST, U8, role, 0, PART_ROLE_MAX)		/* enum bundle_role */      \
	X(0x0002, MAY, TEXT, path, 0, TAGS_PATH_BYTES_MAX)	/* in the working folder */ \
	X(0x0003, MAY, U16, mode, 0, TAGS_FILE_MODE_MAX)	/* permission bits */       \
	X(0x0004, MUST, LENGTH, data.n, 0, TAGS_PART_BYTES_MAX) /* in the order of the table */

#define BUNDLE_TABLE(X)                                                                          \
	X(0x0001, MUST, U8, mode, 0, BUNDLE_MODE_MAX) /* enum bundle_mode */                     \
	X(0x0002, MUST, TEXT, language, 1, 63)	      /* which driver, in Function and Lint */   \
	X(0x0003, MAY, TEXT, entrypoint, 0, 256)      /* the function to call, in Function */    \
	X(0x0010, LIST, TEXT, argv, 0, 4096)	      /* the whole command, interpreter first */ \
	X(0x0011, LIST, RECORD(bundle_env), env, 0, 65536) /* over what the runner sets */       \
	/* Limits: of the program, not of the Pod. */                                            \
	X(0x0020, MUST, U64, memory_bytes, 1, TAGS_BYTES_MAX) /* the watchdog kills over it */   \
	X(0x0021, MUST, U64, tmp_bytes, 0, TAGS_BYTES_MAX)    /* of the tmpfs, part of memory */ \
	X(0x0022, MUST, U32, tmp_inodes, 1, UINT32_MAX)                                          \
	X(0x0023, MUST, U32, processes, 1, 1u << 22) /* and threads; the runner adds its own */  \
	X(0x0024, MUST, U32, open_files, 3, 1u << 20)                                            \
	X(0x0025, MUST, U64, file_bytes, 0, TAGS_BYTES_MAX) /* of one file it writes */          \
	X(0x0026, MAY, U32, cpu_seconds, 0, UINT32_MAX)	    /* of the whole run; 0: no limit */  \
	X(0x0027, MUST, U16, cpus, 1, 4096)		    /* thread counts are set to this */  \
	X(0x0028, MUST, U32, stdout_bytes, 0, TAGS_PART_BYTES_MAX) /* kept of it */              \
	X(0x0029, MUST, U32, stderr_bytes, 0, TAGS_PART_BYTES_MAX)                               \
	X(0x002A, MUST, U8, on_overflow, 0, OVERFLOW_MAX) /* enum bundle_overflow */             \
	X(0x002B, MAY, U32, install_log_bytes, 0, TAGS_PART_BYTES_MAX)                           \
	X(0x002C, MAY, U32, result_bytes, 0, TAGS_PART_BYTES_MAX)                                \
	/* Budgets. The task's own start budget is the controller's and ends with START. */      \
	X(0x0030, MUST, U32, start_ms, 1, TAGS_MS_MAX)	/* from START to the program's exec */   \
	X(0x0031, MAY, U32, install_ms, 0, TAGS_MS_MAX) /* 0: there is no install phase */       \
	X(0x0032, MUST, U32, run_ms, 1, TAGS_MS_MAX)                                             \
	X(0x0040, LIST, RECORD(bundle_part), parts, 0, 4096)
/* Reserved: 0x0050 to 0x005F network of the phases, 0x0060 to 0x006F dependencies, 0x0070 tools. */

/* --- Outcome */
#define STREAM_TABLE(X)                                                                         \
	X(0x0001, MUST, U64, total, 0, TAGS_TOLD_MAX)		  /* bytes the program wrote */ \
	X(0x0002, MUST, LENGTH, head.n, 0, TAGS_PART_BYTES_MAX)	  /* kept from the beginning */ \
	X(0x0003, MUST, LENGTH, tail.n, 0, TAGS_PART_BYTES_MAX)	  /* and from the end */        \
	X(0x0004, MUST, HASH, sha256, SHA256_BYTES, SHA256_BYTES) /* of all `total` bytes */

#define USAGE_TABLE(X)                                            \
	X(0x0001, MUST, U32, wall_ms, 0, TAGS_MS_MAX)             \
	X(0x0002, MUST, U32, user_ms, 0, TAGS_MS_MAX)             \
	X(0x0003, MUST, U32, system_ms, 0, TAGS_MS_MAX)           \
	X(0x0004, MUST, U64, memory_peak_bytes, 0, TAGS_TOLD_MAX) \
	X(0x0005, MUST, U32, processes_peak, 0, UINT32_MAX)       \
	X(0x0006, MUST, U32, leftovers, 0,                        \
	  TAGS_TOLD_COUNT_MAX) /* alive after the program; outcome.h */

#define OUTCOME_FILE_TABLE(X)                                   \
	X(0x0001, MUST, TEXT, path, 1, TAGS_PATH_BYTES_MAX)     \
	X(0x0002, MAY, U16, mode, 0, TAGS_FILE_MODE_MAX)        \
	X(0x0003, MUST, LENGTH, data.n, 0, TAGS_PART_BYTES_MAX) \
	X(0x0004, MUST, HASH, sha256, SHA256_BYTES, SHA256_BYTES)

/* A file that was not collected. Its name may be no UTF-8: that is one of the reasons. */
#define OUTCOME_SKIPPED_TABLE(X)                             \
	X(0x0001, MUST, BYTES, path, 1, TAGS_PATH_BYTES_MAX) \
	X(0x0002, MUST, U8, reason, 1, UINT8_MAX) /* enum outcome_skip */

#define OUTCOME_TABLE(X)                                                                        \
	X(0x0001, MUST, U8, verdict, 0, VERDICT_MAX)	  /* enum outcome_verdict */            \
	X(0x0002, MAY, U8, exit_code, 0, UINT8_MAX)	  /* when it exited */                  \
	X(0x0003, MAY, U8, signal, 0, 64)		  /* when a signal ended it */          \
	X(0x0004, MAY, U8, killed_for, 0, KILLED_FOR_MAX) /* enum outcome_killed_for */         \
	X(0x0005, MAY, U8, stage, 0, STAGE_MAX)	   /* enum outcome_stage: where it failed */    \
	X(0x0006, MAY, U16, error_number, 0, 4095) /* errno of that */                          \
	X(0x0007, MAY, TEXT, detail, 0, TAGS_DETAIL_BYTES_MAX)	    /* and what it was about */ \
	X(0x0008, MUST, U8, phase, PHASE_INSTALLING, PHASE_RUNNING) /* in which it ended */     \
	X(0x0009, MAY, U8, partial, 0, 1) /* cut off from outside: not the program's own end */ \
	X(0x000A, MUST, HASH, bundle_sha256, SHA256_BYTES, SHA256_BYTES) /* what was run */     \
	X(0x0010, MUST, RECORD(stream), streams[STREAM_STDOUT], 0, 128)                         \
	X(0x0011, MUST, RECORD(stream), streams[STREAM_STDERR], 0, 128)                         \
	X(0x0012, MAY, RECORD(stream), streams[STREAM_INSTALL_LOG], 0, 128)                     \
	X(0x0013, MAY, RECORD(stream), streams[STREAM_RESULT], 0, 128) /* whole, or none */     \
	X(0x0014, LIST, RECORD(outcome_file), files, 0, 2048)                                   \
	X(0x0015, LIST, RECORD(outcome_skipped), skipped, 0, 2048)                              \
	X(0x0016, MAY, U32, skipped_more, 0, UINT32_MAX) /* beyond the table */                 \
	X(0x0020, MAY, U32, start_ms, 0, TAGS_MS_MAX)	 /* from START to the program's exec */ \
	X(0x0021, MAY, RECORD(usage), install, 0, 128)                                          \
	X(0x0022, MUST, RECORD(usage), run, 0, 128)                                             \
	X(0x0023, MAY, U32, limit_hits, 0, UINT32_MAX) /* 1 << enum outcome_limit */            \
	X(0x0030, LIST, RECORD(layer), layers, 0, 512) /* what held during the run */           \
	X(0x0031, MAY, U8, memory_enforced, 0, 1)      /* the watchdog could see and act */     \
	X(0x0032, MAY, U64, memory_limit_bytes, 0, UINT64_MAX) /* seen inside the Pod; 0: none */
/* Reserved: 0x0040 install lock, 0x0050 to 0x005F diagnostics, 0x0060 tool calls. */

#endif

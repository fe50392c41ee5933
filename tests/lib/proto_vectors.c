#include "proto_vectors.h"

/* clang-format off */
const struct vector frame_vectors[] = {
	{"ATTACH",
	 "01" /* layout */
	 "01" /* type ATTACH */
	 "0000" /* flags */
	 "16000000" /* payload length 22 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "01" /* version_min */
	 "01" /* version_max */
	 "00112233445566778899aabbccddeeff" /* run_id */
	 "03000000" /* attempt 3 */
	 "c787fed1" /* CRC-32C */,
	 /* on the wire */
	 "090b0b0b081c0b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b090b0b1b1b28394e"
	 "5f6c7d8293a0b1c6d7e4f5090b0b0fcd8df4db0a"},
	{"OFFER",
	 "01" /* layout */
	 "02" /* type OFFER */
	 "0000" /* flags */
	 "28000000" /* payload length 40 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "7011010000000000" /* total 70000 */
	 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" /* sha256 */
	 "328503ef" /* CRC-32C */,
	 /* on the wire */
	 "090b080b08220b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b0e7a1b0b0b0b0b0b"
	 "0b2e0b08090e0f0c0d02030001060704051a1b18191e1f1c1d12131011161714"
	 "15388f09e50a"},
	{"DATA up",
	 "01" /* layout */
	 "03" /* type DATA up */
	 "0000" /* flags */
	 "04000000" /* payload length 4 */
	 "0100705634120000" /* session */
	 "003c000000000000" /* offset 15360 */
	 "61000a62" /* bytes */
	 "41accfef" /* CRC-32C */,
	 /* on the wire */
	 "090b090b080e0b0b080b0f7a5c3e180b0b08360b0b0b0b0b086b0d00684ba6c5"
	 "e50a"},
	{"START",
	 "01" /* layout */
	 "04" /* type START */
	 "0000" /* flags */
	 "20000000" /* payload length 32 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" /* sha256 */
	 "ea350156" /* CRC-32C */,
	 /* on the wire */
	 "090b0e0b082a0b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b0b2e0b08090e0f0c"
	 "0d02030001060704051a1b18191e1f1c1d1213101116171415e03f0b5c0a"},
	{"GET",
	 "01" /* layout */
	 "05" /* type GET */
	 "0000" /* flags */
	 "05000000" /* payload length 5 */
	 "0100705634120000" /* session */
	 "00f0000000000000" /* offset 61440 */
	 "00" /* object: outcome */
	 "00f00000" /* length 61440 */
	 "60f718f2" /* CRC-32C */,
	 /* on the wire */
	 "090b0f0b080f0b0b080b0f7a5c3e180b0b08fa0b0b0b0b0b0b0b08fa0b0f6afd"
	 "12f80a"},
	{"CANCEL",
	 "01" /* layout */
	 "06" /* type CANCEL */
	 "0000" /* flags */
	 "04000000" /* payload length 4 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "d0070000" /* grace_ms 2000 */
	 "9a208f2f" /* CRC-32C */,
	 /* on the wire */
	 "090b0c0b080e0b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b09da0d0b0f902a85"
	 "250a"},
	{"RELEASE",
	 "01" /* layout */
	 "0a" /* type RELEASE */
	 "0000" /* flags */
	 "00000000" /* payload length 0 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "99a40709" /* CRC-32C */,
	 /* on the wire */
	 "090b000b0b0b0b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b0f93ae0d030a"},
	{"HELLO",
	 "01" /* layout */
	 "81" /* type HELLO */
	 "0000" /* flags */
	 "dc000000" /* payload length 220 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "01" /* version */
	 "01" /* phase Ready */
	 "00112233445566778899aabbccddeeff" /* run_id */
	 "03000000" /* attempt 3 */
	 "0300000000000000" /* capabilities Function, Lint */
	 "01000d000000302e312e302b61626364656630" /* build = "0.1.0+abcdef0" */
	 "02000d000000342e31392e302d677669736f72" /* kernel = "4.19.0-gvisor" */
	 "100004000000feff0000" /* uid = 65534 */
	 "1100080000000000002000000000" /* memory_limit_bytes = 536870912 */
	 "120004000000dc050000" /* cpu_limit_milli = 1500 */
	 "1300080000000000100000000000" /* bundle_bytes_max = 1048576 */
	 "1400080000000000200000000000" /* outcome_bytes_max = 2097152 */
	 "150004000000983a0000" /* boot_us = 15000 */
	 "200027000000" /* layer: record of 39 bytes */
	 "010006000000677669736f72" /*   name = "gvisor" */
	 "02000100000000" /*   state = 0 */
	 "03000e00000073656e7472792d6d656d696e666f" /*   detail = "sentry-meminfo" */
	 "20001d000000" /* layer: record of 29 bytes */
	 "0100100000006e6574776f726b4e616d657370616365" /*   name = "networkNamespace" */
	 "02000100000001" /*   state = 1 */
	 "639769cd" /* CRC-32C */,
	 /* on the wire */
	 "090b8b0b08d60b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b090b0b1b1b28394e"
	 "5f6c7d8293a0b1c6d7e4f5090b0b08090b0b0b0b0b0b080b08070b0b053a243b"
	 "243a216b68696e6f6c3a0808070b0b053e243b33243a276d7c637965781a080e"
	 "0b0b09f4f50b081b08020b0b0b0b0b082a0b0b0b0818080e0b0b09d60f0b0819"
	 "08020b0b0b0b081a0b0b0b0b081e08020b0b0b0b082a0b0b0b0b081f080e0b0b"
	 "0992300b082a082d0b0b080b080c0b0b026d7c6379657808080b0b0b0b080908"
	 "040b0b1a796f647e787327676f6763646c652a08170b0b080b081a0b0b18646f"
	 "7e7d657861446b676f797a6b696f08080b0b0b0c0b699d63c70a"},
	{"STATE",
	 "01" /* layout */
	 "82" /* type STATE */
	 "0000" /* flags */
	 "5a000000" /* payload length 90 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "06" /* phase Done */
	 "01" /* starts 1 */
	 "7011010000000000" /* received */
	 "d204000000000000" /* outcome_length */
	 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" /* outcome_sha256 */
	 "983a0000" /* budget_left_ms */
	 "0000100000000000" /* memory_now */
	 "0000200000000000" /* memory_peak */
	 "a4010000" /* cpu_ms */
	 "e803000000000000" /* stdout_bytes */
	 "0700000000000000" /* stderr_bytes */
	 "27ef342d" /* CRC-32C */,
	 /* on the wire */
	 "090b880b08500b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b0c0c0b7a1b0b0b0b"
	 "0b0b09d80e0b0b0b0b0b0b280b08090e0f0c0d02030001060704051a1b18191e"
	 "1f1c1d121310111617141592300b0b0b081a0b0b0b0b0b0b082a0b0b0b0b09ae"
	 "0b0b09e2090b0b0b0b0b080d0b0b0b0b0b0b0f2de53e270a"},
	{"DATA down",
	 "01" /* layout */
	 "83" /* type DATA down */
	 "0000" /* flags */
	 "08000000" /* payload length 8 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "0a0a0a0a0a000000" /* bytes */
	 "15624411" /* CRC-32C */,
	 /* on the wire */
	 "090b890b08020b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b0c00000000000b0b"
	 "0f1f684e1b0a"},
	{"ERROR",
	 "01" /* layout */
	 "8f" /* type ERROR */
	 "0000" /* flags */
	 "0a000000" /* payload length 10 */
	 "0100705634120000" /* session */
	 "0000000000000000" /* offset 0 */
	 "0100" /* code LowerSession */
	 "0200705634120000" /* current session */
	 "c0ececba" /* CRC-32C */,
	 /* on the wire */
	 "090b850b08000b0b080b0f7a5c3e180b0b0b0b0b0b0b0b0b080b08080f7a5c3e"
	 "180b0fcae6e6b00a"},
};
const size_t frame_vectors_count = sizeof(frame_vectors) / sizeof(*frame_vectors);

/* The facts of HELLO: sample_hello. */
const char hello_vector[] =
	"01000d000000302e312e302b61626364656630" /* build = "0.1.0+abcdef0" */
	"02000d000000342e31392e302d677669736f72" /* kernel = "4.19.0-gvisor" */
	"100004000000feff0000" /* uid = 65534 */
	"1100080000000000002000000000" /* memory_limit_bytes = 536870912 */
	"120004000000dc050000" /* cpu_limit_milli = 1500 */
	"1300080000000000100000000000" /* bundle_bytes_max = 1048576 */
	"1400080000000000200000000000" /* outcome_bytes_max = 2097152 */
	"150004000000983a0000" /* boot_us = 15000 */
	"200027000000" /* layer: record of 39 bytes */
	"010006000000677669736f72" /*   name = "gvisor" */
	"02000100000000" /*   state = 0 */
	"03000e00000073656e7472792d6d656d696e666f" /*   detail = "sentry-meminfo" */
	"20001d000000" /* layer: record of 29 bytes */
	"0100100000006e6574776f726b4e616d657370616365" /*   name = "networkNamespace" */
	"02000100000001" /*   state = 1 */;

/* sample_bundle. */
const char bundle_vector[] =
	"a0010000" /* manifest length 416 */
	"01000100000001" /* mode = 1 */
	"020006000000707974686f6e" /* language = "python" */
	"03000700000068616e646c6572" /* entrypoint = "handler" */
	"100007000000707974686f6e33" /* argv = "python3" */
	"1000070000006d61696e2e7079" /* argv = "main.py" */
	"1000050000002d2d6e3d31" /* argv = "--n=1" */
	"100000000000" /* argv = "" */
	"11000e000000" /* env: record of 14 bytes */
	"01000100000041" /*   name = "A" */
	"02000100000031" /*   value = "1" */
	"11000b000000" /* env: record of 11 bytes */
	"010005000000454d505459" /*   name = "EMPTY" */
	"2000080000000000001000000000" /* memory_bytes = 268435456 */
	"2100080000000000000400000000" /* tmp_bytes = 67108864 */
	"22000400000000400000" /* tmp_inodes = 16384 */
	"23000400000040000000" /* processes = 64 */
	"24000400000000010000" /* open_files = 256 */
	"2500080000000000000100000000" /* file_bytes = 16777216 */
	"2600040000001e000000" /* cpu_seconds = 30 */
	"2700020000000200" /* cpus = 2 */
	"28000400000000001000" /* stdout_bytes = 1048576 */
	"29000400000000000400" /* stderr_bytes = 262144 */
	"2a000100000001" /* on_overflow = 1 */
	"2b000400000000000100" /* install_log_bytes = 65536 */
	"2c000400000000000200" /* result_bytes = 131072 */
	"30000400000088130000" /* start_ms = 5000 */
	"31000400000060ea0000" /* install_ms = 60000 */
	"32000400000030750000" /* run_ms = 30000 */
	"400026000000" /* part code: record of 38 bytes */
	"01000100000000" /*   role = 0 */
	"0200070000006d61696e2e7079" /*   path = "main.py" */
	"030002000000a401" /*   mode 0644 = 420 */
	"04000400000009000000" /*   length = 9 */
	"400011000000" /* part stdin: record of 17 bytes */
	"01000100000001" /*   role = 1 */
	"04000400000002000000" /*   length = 2 */
	"400011000000" /* part params: record of 17 bytes */
	"01000100000002" /*   role = 2 */
	"0400040000000a000000" /*   length = 10 */
	"400029000000" /* part file: record of 41 bytes */
	"01000100000003" /*   role = 3 */
	"02000a000000646174612f782e637376" /*   path = "data/x.csv" */
	"0300020000002401" /*   mode 0444 = 292 */
	"04000400000004000000" /*   length = 4 */
	"7072696e742831290a" /* code */
	"696e" /* stdin */
	"7b2261223a6e756c6c7d" /* params */
	"312c320a" /* file */;

/* sample_outcome. */
const char outcome_vector[] =
	"df020000" /* manifest length 735 */
	"01000100000002" /* verdict = 2 */
	"03000100000009" /* signal = 9 */
	"04000100000001" /* killed_for = 1 */
	"08000100000005" /* phase = 5 */
	"09000100000001" /* partial = 1 */
	"0a0020000000000102030405060708090a0b0c0d0e0f10111213141516171819"
	"1a1b1c1d1e1f" /* bundle_sha256 */
	"100048000000" /* stdout: record of 72 bytes */
	"010008000000f103000000000000" /*   total = 1009 */
	"02000400000005000000" /*   head = 5 */
	"03000400000004000000" /*   tail = 4 */
	"040020000000b34fb039bae2467df36971d85f40742246a40bbea43791a89b5a"
	"df7d6ba6c034" /*   sha256 */
	"110048000000" /* stderr: record of 72 bytes */
	"0100080000000400000000000000" /*   total = 4 */
	"02000400000004000000" /*   head = 4 */
	"03000400000000000000" /*   tail = 0 */
	"0400200000002ccde4875ec595757efdf23d7b1336fcd69cf0fb869310b12a0d"
	"219c52817b20" /*   sha256 */
	"120048000000" /* install log: record of 72 bytes */
	"0100080000000a00000000000000" /*   total = 10 */
	"0200040000000a000000" /*   head = 10 */
	"03000400000000000000" /*   tail = 0 */
	"0400200000007d0698689b2d55cbce578d325da39bae00d260dc71c14a269094"
	"61903cc06ca6" /*   sha256 */
	"130048000000" /* result: record of 72 bytes */
	"0100080000000900000000000000" /*   total = 9 */
	"02000400000009000000" /*   head = 9 */
	"03000400000000000000" /*   tail = 0 */
	"04002000000021762a493a610d917bfcf7268a6e8ddc73dbf05e7353632664f1"
	"695122f9f301" /*   sha256 */
	"140046000000" /* file: record of 70 bytes */
	"010008000000706c6f742e706e67" /*   path = "plot.png" */
	"020002000000a401" /*   mode 0644 = 420 */
	"03000400000003000000" /*   length = 3 */
	"040020000000796120837694d3f3f29259cfeb25091698c2a0aa87873658d840"
	"b4993ee889b3" /*   sha256 */
	"15000f000000" /* skipped: record of 15 bytes */
	"010002000000fffe" /*   path, not UTF-8 */
	"02000100000004" /*   reason = 4 */
	"16000400000007000000" /* skipped_more = 7 */
	"20000400000019000000" /* start_ms = 25 */
	"210040000000" /* install: record of 64 bytes */
	"01000400000084030000" /*   wall_ms = 900 */
	"020004000000f4010000" /*   user_ms = 500 */
	"03000400000064000000" /*   system_ms = 100 */
	"0400080000000000000500000000" /*   memory_peak_bytes = 83886080 */
	"05000400000009000000" /*   processes_peak = 9 */
	"06000400000001000000" /*   leftovers = 1 */
	"220040000000" /* run: record of 64 bytes */
	"01000400000030750000" /*   wall_ms = 30000 */
	"02000400000048710000" /*   user_ms = 29000 */
	"03000400000090010000" /*   system_ms = 400 */
	"0400080000000000800c00000000" /*   memory_peak_bytes = 209715200 */
	"05000400000005000000" /*   processes_peak = 5 */
	"06000400000002000000" /*   leftovers = 2 */
	"2300040000000c000000" /* limit_hits = 12 */
	"30001e000000" /* layer: record of 30 bytes */
	"010006000000677669736f72" /*   name = "gvisor" */
	"02000100000000" /*   state = 0 */
	"03000500000072756e7363" /*   detail = "runsc" */
	"300014000000" /* layer: record of 20 bytes */
	"010007000000736563636f6d70" /*   name = "seccomp" */
	"02000100000002" /*   state = 2 */
	"31000100000001" /* memory_enforced = 1 */
	"3200080000000000002000000000" /* memory_limit_bytes = 536870912 */
	"6f75743a20" /* stdout head */
	"656e640a" /* stdout tail */
	"6572720a" /* stderr head */
	"696e7374616c6c65640a" /* install log head */
	"7b2272223a312e307d" /* result */
	"504e47" /* plot.png */;
/* clang-format on */

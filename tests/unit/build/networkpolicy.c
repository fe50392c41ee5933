#include "build/networkpolicy.h"

#include "golden.h"
#include "objects.h"
#include "tap.h"

#define OURS "'podSelector':{'matchLabels':{'app.kubernetes.io/managed-by':'sandboxtask'}}"
#define BOTH "'policyTypes':['Ingress','Egress']"

static const struct {
	const char *name, *spec;
	bool sound;
} rows[] = {
	{"ours", "{" OURS "," BOTH "}", true},
	{"ours with empty rules", "{" OURS "," BOTH ",'ingress':[],'egress':[]}", true},
	{"ours with null rules", "{" OURS "," BOTH ",'ingress':null}", true},
	{"one that selects every Pod", "{'podSelector':{}," BOTH "}", true},
	{"one that selects every Pod in more words",
	 "{'podSelector':{'matchLabels':{},'matchExpressions':[]}," BOTH "}", true},
	{"one without egress in its types", "{" OURS ",'policyTypes':['Ingress']}", false},
	{"one without ingress in its types", "{" OURS ",'policyTypes':['Egress']}", false},
	{"one without types", "{" OURS "}", false},
	{"one that lets everything out", "{" OURS "," BOTH ",'egress':[{}]}", false},
	{"one that lets everything in", "{" OURS "," BOTH ",'ingress':[{}]}", false},
	{"one that selects others", "{'podSelector':{'matchLabels':{'a':'b'}}," BOTH "}", false},
	{"one that selects some of ours",
	 "{'podSelector':{'matchLabels':{'app.kubernetes.io/managed-by':'sandboxtask',"
	 "'a':'b'}}," BOTH "}",
	 false},
	{"one that selects by expression",
	 "{'podSelector':{'matchLabels':{'app.kubernetes.io/managed-by':'sandboxtask'},"
	 "'matchExpressions':[{'key':'a','operator':'Exists'}]}," BOTH "}",
	 false},
	{"one without a selector", "{" BOTH "}", false},
	{"one without anything", "{}", false},
};

static void live_policies_are_judged(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char json[1024];

		snprintf(json, sizeof(json), "{'spec':%s}", rows[i].spec);
		ok(networkpolicy_is_sound(json_of(json)) == rows[i].sound, "%s is %ssound",
		   rows[i].name, rows[i].sound ? "" : "not ");
	}
	ok(!networkpolicy_is_sound(STR("{}")), "no spec is not sound");
}

int main(void)
{
	struct buf text;
	struct err err;

	buf_init(&text, NETWORKPOLICY_BYTES_MAX);
	ok(networkpolicy_write(&text, STR("sandboxtask-pods"), &err) == 0, "the policy is written");
	golden("networkpolicy", buf_str(&text));
	ok(networkpolicy_is_sound(buf_str(&text)), "and is sound");
	buf_free(&text);
	live_policies_are_judged();
	done_testing();
}

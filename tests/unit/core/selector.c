#include "core/selector.h"

#include "objects.h"
#include "tap.h"

#define LABELS "{'team':'red','env':'prod','kubernetes.io/metadata.name':'x'}"

static const struct {
	const char *name, *selector, *labels;
	bool matches;
} rows[] = {
	{"no selector matches everything", "", LABELS, true},
	{"an empty selector matches everything", "{}", LABELS, true},
	{"an empty selector matches no labels at all", "{}", "", true},
	{"null members are absent", "{'matchLabels':null,'matchExpressions':null}", LABELS, true},
	{"a label with its value matches", "{'matchLabels':{'team':'red'}}", LABELS, true},
	{"another value does not", "{'matchLabels':{'team':'blue'}}", LABELS, false},
	{"a missing label does not", "{'matchLabels':{'tier':'1'}}", LABELS, false},
	{"no labels don't", "{'matchLabels':{'team':'red'}}", "", false},
	{"all labels have to match", "{'matchLabels':{'team':'red','env':'test'}}", LABELS, false},
	{"a qualified key matches", "{'matchLabels':{'kubernetes.io/metadata.name':'x'}}", LABELS,
	 true},
	{"In, among", "{'matchExpressions':[{'key':'env','operator':'In','values':['a','prod']}]}",
	 LABELS, true},
	{"In, not among", "{'matchExpressions':[{'key':'env','operator':'In','values':['a']}]}",
	 LABELS, false},
	{"In, missing", "{'matchExpressions':[{'key':'x','operator':'In','values':['a']}]}", LABELS,
	 false},
	{"NotIn, among",
	 "{'matchExpressions':[{'key':'env','operator':'NotIn','values':['prod']}]}", LABELS,
	 false},
	{"NotIn, not among",
	 "{'matchExpressions':[{'key':'env','operator':'NotIn','values':['a']}]}", LABELS, true},
	{"NotIn, missing", "{'matchExpressions':[{'key':'x','operator':'NotIn','values':['a']}]}",
	 LABELS, true},
	{"Exists, there", "{'matchExpressions':[{'key':'env','operator':'Exists'}]}", LABELS, true},
	{"Exists, missing", "{'matchExpressions':[{'key':'x','operator':'Exists'}]}", LABELS,
	 false},
	{"DoesNotExist, there", "{'matchExpressions':[{'key':'env','operator':'DoesNotExist'}]}",
	 LABELS, false},
	{"DoesNotExist, missing", "{'matchExpressions':[{'key':'x','operator':'DoesNotExist'}]}",
	 LABELS, true},
	{"labels and expressions have to hold together",
	 "{'matchLabels':{'team':'red'},'matchExpressions':[{'key':'x','operator':'Exists'}]}",
	 LABELS, false},
	{"an unknown operator matches nothing",
	 "{'matchExpressions':[{'key':'env','operator':'Gt','values':['1']}]}", LABELS, false},
	{"an expression without a key matches nothing",
	 "{'matchExpressions':[{'operator':'DoesNotExist'}]}", LABELS, false},
	{"an expression whose key is no string matches nothing",
	 "{'matchExpressions':[{'key':1,'operator':'DoesNotExist'}]}", LABELS, false},
	{"a value that is no string is no value of In",
	 "{'matchExpressions':[{'key':'env','operator':'In','values':[1,null,'prod']}]}", LABELS,
	 true},
	{"a selector of the wrong type matches nothing", "{'matchLabels':[]}", LABELS, false},
	{"expressions of the wrong type match nothing", "{'matchExpressions':{}}", LABELS, false},
	{"a label of the wrong type matches nothing", "{'matchLabels':{'team':1}}", LABELS, false},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(selector_matches(json_of(rows[i].selector), json_of(rows[i].labels)) ==
			   rows[i].matches,
		   "%s", rows[i].name);
	done_testing();
}

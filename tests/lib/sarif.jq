# sarif.jq: what is wrong with a SARIF 2.1.0 log, as a list of strings; [] when nothing is. By the property tables of the standard (OASIS,
# "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", section 3), for the objects that Heddle writes: properties that it
# does not write are faults here, even where the standard has them. Also what GitHub's code scanning takes.
#
# A type: text, bool, bag (a property bag: any members), count (from 0), line (from 1), id (from 0), =a|b (one of these words), [T and
# +[T (an array, not empty; no item twice), {T (an object with any names), or the name of an object here.
def types: {
	log: { need: ["version", "runs"], may: { "$schema": "text", version: "=2.1.0", runs: "+[run" } },
	run: { need: ["tool"], may: { tool: "tool", automationDetails: "automation", columnKind: "=utf16CodeUnits|unicodeCodePoints",
		originalUriBaseIds: "{base", invocations: "[invocation", results: "[result" } },
	base: { need: [], may: { uri: "text", description: "message" } },
	automation: { need: [], may: { id: "text" } },
	tool: { need: ["driver"], may: { driver: "component" } },
	component: { need: ["name"], may: { name: "text", version: "text", semanticVersion: "text", rules: "[rule" } },
	rule: { need: ["id"], may: { id: "text", name: "text", shortDescription: "message", fullDescription: "message", help: "message",
		defaultConfiguration: "configuration", properties: "bag" } },
	configuration: { need: [], may: { level: "=none|note|warning|error" } },
	invocation: { need: ["executionSuccessful"], may: { executionSuccessful: "bool", toolExecutionNotifications: "[notification" } },
	notification: { need: ["message"], may: { message: "message", level: "=none|note|warning|error" } },
	message: { need: ["text"], may: { text: "text" } },
	result: { need: ["message", "ruleId", "locations", "partialFingerprints"], may: { ruleId: "text", ruleIndex: "id",
		kind: "=notApplicable|pass|fail|review|open|informational", level: "=none|note|warning|error", message: "message",
		locations: "+[location", relatedLocations: "+[location", codeFlows: "+[codeFlow", partialFingerprints: "{text",
		suppressions: "+[suppression", properties: "bag" } },
	suppression: { need: ["kind"], may: { kind: "=inSource|external", status: "=accepted|underReview|rejected", justification: "text" } },
	location: { need: ["physicalLocation"], may: { id: "id", physicalLocation: "physical", logicalLocations: "+[logical", message: "message" } },
	physical: { need: ["artifactLocation", "region"], may: { artifactLocation: "artifact", region: "region" } },
	artifact: { need: ["uri"], may: { uri: "text", uriBaseId: "text" } },
	region: { need: ["startLine"], may: { startLine: "line", startColumn: "line" } },
	logical: { need: [], may: { name: "text", kind: "text" } },
	codeFlow: { need: ["threadFlows"], may: { threadFlows: "+[threadFlow" } },
	threadFlow: { need: ["locations"], may: { id: "text", message: "message", locations: "+[step" } },
	step: { need: ["location"], may: { location: "location", executionOrder: "count", importance: "=important|essential|unimportant",
		kinds: "+[text", state: "{message" } }
};

def wrong($sort; $at):
	def say($what): "\($at): \($what)";
	if $sort == "text" then (if type == "string" then empty else say("no string") end)
	elif $sort == "bool" then (if type == "boolean" then empty else say("no boolean") end)
	elif $sort == "bag" then (if type == "object" then empty else say("no object") end)
	elif $sort == "count" or $sort == "id" then (if type == "number" and . >= 0 and . == floor then empty else say("no number from 0") end)
	elif $sort == "line" then (if type == "number" and . >= 1 and . == floor then empty else say("no number from 1") end)
	elif $sort[0:1] == "=" then (. as $it | if ($sort[1:] | split("|") | index($it)) != null then empty else say("\($it) is no \($sort)") end)
	elif $sort[0:2] == "+[" then
		if type != "array" or length == 0 then say("no array, or empty")
		elif $sort == "+[text" and (unique | length) != length then say("one item twice")
		else to_entries[] | .key as $key | .value | wrong($sort[2:]; "\($at)[\($key)]") end
	elif $sort[0:1] == "[" then
		if type != "array" then say("no array")
		else to_entries[] | .key as $key | .value | wrong($sort[1:]; "\($at)[\($key)]") end
	elif $sort[0:1] == "{" then
		if type != "object" then say("no object")
		else to_entries[] | .key as $key | .value | wrong($sort[1:]; "\($at).\($key)") end
	else
		types[$sort] as $is |
		if type != "object" then say("no object") else
			(. as $it | $is.need[] | . as $name | select($it | has($name) | not) | say("\(.) is missing")),
			(to_entries[] | .key as $key | if $is.may[$key] == null then say("\($key) is not known")
				else .value | wrong($is.may[$key]; "\($at).\($key)") end)
		end
	end;

def references($run; $at):
	(if $run.tool.driver.rules[.ruleIndex].id == .ruleId then empty else "\($at): ruleIndex is not that of ruleId" end),
	([.relatedLocations[]?.id] | if (unique | length) == length then empty else "\($at): one id twice" end),
	([.codeFlows[]?.threadFlows[].id] | if (unique | length) == length then empty else "\($at): one thread twice" end),
	(.. | .artifactLocation? // empty |
		(if .uri | test("^(file:///|[A-Za-z0-9._~%-])[A-Za-z0-9._~/%-]*$") then empty else "\($at): the URI \(.uri)" end),
		(if .uri | test("%(?![0-9A-F]{2})") then "\($at): the URI \(.uri) is not encoded" else empty end),
		(if (.uri | test("^(file:|[.][.]/)")) == (has("uriBaseId") | not) then empty else "\($at): \(.uri) and its base" end),
		(.uriBaseId // empty | . as $base | if $run.originalUriBaseIds | has($base) then empty else "\($at): there is no \($base)" end));

def limits($at):
	(if (.results | length) > 5000 then "\($at): too many results" else empty end),
	(if (.tool.driver.rules | map(.properties.tags | length) | max) > 10 then "\($at): too many tags" else empty end),
	(if (.tool.driver.rules | map(.id) | (unique | length) == length) then empty else "\($at): one rule twice" end),
	(.results | to_entries[] | .key as $key | .value |
		(if ([.codeFlows[]?.threadFlows[].locations[]] | length) > 1000 then "\($at)[\($key)]: too many places in flows" else empty end),
		(if (.locations + (.relatedLocations // []) | length) > 100 then "\($at)[\($key)]: too many places" else empty end));

[wrong("log"; "log"),
	(.runs[] as $run | $run.results | to_entries[] | .key as $key | .value | references($run; "results[\($key)]")),
	(.runs[] | limits("run"))]

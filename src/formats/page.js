/* page.js: lists findings, filters them, and shows one: places, values, interleaving, sources. Strings of the data become text
 * nodes and attributes and never markup. What is selected is in the fragment of the address: #id=H3&kind=deadlock&class=harmless&text=queue. */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const findings = data.document.findings;
const PAGE = 200;
const CONTEXT = 6;
const PLOT_COLUMNS = 160;
const state = { id: "", kind: "", class: "", text: "", shown: PAGE };
const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== null && value !== undefined)
			node.setAttribute(name, value);
	for (const child of children.flat())
		if (child !== null && child !== undefined && child !== "")
			node.append(child);
	return node;
}

const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const text = (value) => typeof value === "string" ? value : "";
const list = (value) => Array.isArray(value) ? value : [];
const plural = (count, word) => count + " " + word + (count === 1 ? "" : "s");
const kindOf = (finding) => data.kinds[text(finding.kind)] || { level: "warning", help: "" };
const levelOf = (finding) => Object.hasOwn(data.classes, text(finding.class)) ? data.classes[finding.class] : kindOf(finding).level;

/* The page names findings by id; ids of a document that was put together may repeat, so the place counts. */
findings.forEach((finding, at) => { finding.at = at; });
const nameOf = (finding) => text(finding.id) || "#" + (finding.at + 1);

/* What has the same cause is listed below the worst of its group. */
const byName = new Map();
findings.forEach((finding) => {
	finding.members = [];
	finding.head = finding;
	if (!byName.has(nameOf(finding)))
		byName.set(nameOf(finding), finding);
});
for (const group of list(data.document.groups)) {
	const head = group && byName.get(text(group.head));
	for (const member of head ? list(group.members).map((id) => byName.get(text(id))) : [])
		if (member && member !== head && member.head === member && head.head === head && !member.members.length) {
			member.head = head;
			head.members.push(member);
		}
}

function haystack(finding) {
	if (finding.haystack === undefined)
		finding.haystack = [nameOf(finding), finding.name, finding.kind, finding.program, finding.summary, finding.details, finding.class, finding.verdict,
			...list(finding.sites).flatMap((site) => [site.file, site.function, site.variable])]
			.map(text).join("\n").toLowerCase();
	return finding.haystack;
}

function chosen() {
	const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
	return findings.filter((finding) => (!state.kind || finding.kind === state.kind) &&
		(!state.class || text(finding.class) === state.class) &&
		words.every((word) => haystack(finding).includes(word)));
}

/* The list */

function entry(finding) {
	const link = html("a", { href: address({ id: nameOf(finding) }), class: levelOf(finding) },
		html("span", { class: "head" }, html("b", {}, nameOf(finding)), html("span", {}, text(finding.kind)),
			text(finding.class) ? html("span", { class: "class" }, finding.class) : "",
			html("span", {}, finding.seen ? "seen " + finding.seen + "×" : "")),
		text(finding.summary));
	if (nameOf(finding) === state.id)
		link.setAttribute("aria-current", "true");
	return html("li", {}, link);
}

/* A finding, and below it the others of its group, which open with a click. */
function groupEntry(finding) {
	const item = entry(finding);
	if (finding.members.length) {
		const members = html("details", { class: "members" }, html("summary", {}, "also shows as " + plural(finding.members.length, "finding")),
			html("ul", {}, ...finding.members.map(entry)));
		members.open = finding.members.some((member) => nameOf(member) === state.id);
		item.append(members);
	}
	return item;
}

function address(change) {
	const now = new URLSearchParams();
	for (const [name, value] of Object.entries({ id: state.id, kind: state.kind, class: state.class, text: state.text, ...change }))
		if (value)
			now.set(name, value);
	return "#" + now;
}

function renderList() {
	const all = chosen();
	/* Who filters wants to see what matches. */
	const isGrouped = all.length === findings.length;
	const shown = isGrouped ? all.filter((finding) => finding.head === finding) : all;
	byId("list").replaceChildren(...shown.slice(0, state.shown).map(isGrouped ? groupEntry : entry));
	byId("matches").textContent = all.length === findings.length ? plural(all.length, "finding") :
		all.length + " of " + plural(findings.length, "finding");
	byId("more").hidden = shown.length <= state.shown;
	byId("more").textContent = "Show " + Math.min(PAGE, shown.length - state.shown) + " more";
	return all;
}

/* Values and places */

function valueOf(site) {
	if (!site || typeof site.before !== "string")
		return "";
	return typeof site.after === "string" ? site.before + " → " + site.after : site.before;
}

/* A failure is described from the schedule that it was found in, and its interleaving is of the one that it was reduced
 * to: there another thread may be at the place. */
function threadOf(finding, at) {
	const row = list(finding.interleaving).find((one) => one.site === at);
	return row ? row.thread : list(finding.sites)[at].thread;
}

/* What has no line of its own is near another one's. */
const placeOf = (place) => text(place.file) ? baseName(place.file) + (place.line ? (place.is_near ? ":~" : ":") + place.line : "") : "";

function siteTable(finding) {
	const sites = list(finding.sites);
	const columns = [
		["thread", (site) => String(threadOf(finding, sites.indexOf(site)) || "")],
		["access", (site) => text(site.access)],
		["variable", (site) => text(site.variable)],
		["value", valueOf],
		["place", (site) => text(site.file) ? site.file + (site.line ? (site.is_near ? " near line " : ":") + site.line : "") : ""],
		["function", (site) => text(site.function)],
		["wrong proof", (site) => text(site.proof) + (text(site.proof_locks) ? ": " + site.proof_locks : "")],
	].filter(([, of]) => sites.some(of));
	return html("div", { class: "scroll" }, html("table", { id: "sites" },
		html("thead", {}, html("tr", {}, columns.map(([name]) => html("th", { scope: "col" }, name)))),
		html("tbody", {}, sites.map((site) => html("tr", {}, columns.map(([name, of]) => html("td", { class: name.replace(" ", "-") }, of(site))))))));
}

/* The interleaving */

const GUTTER = 64, HEAD = 40, ROW = 26, TALL = 44, SPACE = 8, TURN = 20;

function rowsOf(finding) {
	const rows = list(finding.interleaving);
	if (rows.length)
		return rows;
	/* Without the events of a replay, the places are all that is known; without their order they are not an
	 * interleaving. */
	return list(finding.sites).map((site, at) => ({ event: site.event, count: 1, thread: site.thread, file: site.file,
		line: site.line, is_near: site.is_near, what: [site.access, site.variable].map(text).join(" "), site: at }))
		.filter((row) => row.event).sort((a, b) => a.event - b.event);
}

const siteOf = (finding, row) => typeof row.site === "number" ? list(finding.sites)[row.site] : undefined;

function cut(words, width) {
	const most = Math.max(4, Math.floor(width / 7.4));
	const letters = Array.from(words);
	return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : words;
}

/* Where each row is, top to bottom, with a gap where events are left out. */
function layOut(finding, rows) {
	let y = HEAD + SPACE;
	const laid = [];
	rows.forEach((row, at) => {
		const before = rows[at - 1];
		if (row.left_out > 0) {
			laid.push({ gap: row.left_out, y, height: 20 });
			y += 20 + SPACE;
		} else if (before && before.thread !== row.thread) {
			y += TURN;
		}
		const site = siteOf(finding, row);
		const height = site && valueOf(site) ? TALL : ROW;
		laid.push({ row, site, y, height });
		y += height + SPACE;
	});
	return { laid, height: y };
}

/* Where a thread waits or is in a header of the system, the code is a library's; the site is the program's own. */
const placeFor = (site, row) => site && text(site.file) ? site : row;

function drawRow(item, x, width, file) {
	const { row, site, y, height } = item;
	const place = placeFor(site, row);
	const where = placeOf(place);
	const words = [where, text(row.what)].filter(Boolean).join(" ");
	/* With one file, its name would fill the boxes: the line is enough. */
	const shown = file && where ? [where.slice(file.length + 1), text(row.what)].filter(Boolean).join(" ") : words;
	const group = svg("g", { class: site || row.act ? "row marked" : "row", "data-event": row.event },
		svg("title", {}, words + (site && valueOf(site) ? "\n" + valueOf(site) : "")),
		svg("rect", { class: "box", x: x + 6, y, width: width - 12, height, rx: 5 }),
		svg("text", { x: x + 14, y: y + 17 }, cut((site || row.act ? "● " : "") + shown, width - 28)));
	if (site && valueOf(site))
		group.append(svg("text", { class: "value", x: x + 14, y: y + 35 }, cut(valueOf(site), width - 28)));
	group.addEventListener("click", () => look(text(place.file), place.line));
	return group;
}

function drawSwitch(from, to, columns, width) {
	const start = GUTTER + columns.get(from.row.thread) * width + width / 2;
	const end = GUTTER + columns.get(to.row.thread) * width + width / 2;
	const top = from.y + from.height, bottom = to.y, middle = to.y - (SPACE + TURN) / 2;
	const turn = from.row.turn && from.row.turn.thread === from.row.thread ? text(from.row.turn.how) : "";
	const parts = [svg("path", { class: "switch", d: `M${start} ${top}V${middle}H${end}V${bottom}` }),
		svg("path", { class: "tip", d: `M${end} ${bottom}l-4 -6h8z` })];
	if (turn)
		parts.push(svg("text", { class: "quiet turn", x: (start + end) / 2, y: middle - 3, "text-anchor": "middle" }, turn));
	return parts;
}

function drawRace(pair, columns, width) {
	const [first, second] = pair;
	const a = columns.get(first.row.thread), b = columns.get(second.row.thread);
	const right = a < b;
	const x1 = GUTTER + a * width + (right ? width - 6 : 6), x2 = GUTTER + b * width + (right ? 6 : width - 6);
	const y1 = first.y + first.height / 2, y2 = second.y + second.height / 2;
	const bend = right ? 40 : -40;
	return svg("path", { class: "race", d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
}

/* The name of the file that all rows are in, or "". */
function onlyFile(finding, rows) {
	const files = new Set(rows.map((row) => text(placeFor(siteOf(finding, row), row).file)).filter(Boolean).map(baseName));
	return files.size === 1 ? [...files][0] : "";
}

function diagram(finding, rows) {
	const threads = [...new Set(rows.map((row) => row.thread))].sort((a, b) => a - b);
	const columns = new Map(threads.map((thread, at) => [thread, at]));
	const room = Math.max(320, byId("detail").clientWidth - 60 - GUTTER);
	const width = Math.min(360, Math.max(170, Math.floor(room / threads.length)));
	const { laid, height } = layOut(finding, rows);
	const file = onlyFile(finding, rows);
	const total = GUTTER + width * threads.length + 8;
	const picture = svg("svg", { id: "diagram", width: total, height: height + 8, viewBox: `0 0 ${total} ${height + 8}`, role: "img",
		"aria-label": "The interleaving: threads are columns, time goes down" });
	const names = {};
	for (const site of list(finding.sites))
		names[site.thread] = text(site.thread_name);
	for (const [thread, name] of Object.entries(finding.threads || {}))
		names[thread] = text(name) || names[thread];
	threads.forEach((thread, at) => {
		const x = GUTTER + at * width;
		const name = "thread " + thread + (names[thread] ? " " + names[thread] : "");
		picture.append(svg("line", { class: "life", x1: x + width / 2, y1: HEAD, x2: x + width / 2, y2: height }),
			svg("g", { class: "thread" }, svg("title", {}, name),
				svg("rect", { class: "top", x: x + 6, y: 6, width: width - 12, height: HEAD - 12, rx: 5 }),
				svg("text", { class: "name", x: x + 14, y: 25 }, cut(name, width - 28))));
	});
	let before = null;
	for (const item of laid) {
		if (item.gap) {
			picture.append(svg("rect", { class: "cut", x: 0, y: item.y, width: total, height: item.height }),
				svg("text", { class: "quiet", x: GUTTER + 14, y: item.y + 14 }, "⋯ " + plural(item.gap, "event") + " not shown"));
			before = null;
			continue;
		}
		const x = GUTTER + columns.get(item.row.thread) * width;
		if (before && before.row.thread !== item.row.thread)
			picture.append(...drawSwitch(before, item, columns, width));
		else if (before)
			picture.append(svg("line", { class: "run", x1: x + width / 2, y1: before.y + before.height, x2: x + width / 2, y2: item.y }));
		picture.append(svg("text", { class: "quiet", x: GUTTER - 8, y: item.y + 17, "text-anchor": "end" }, item.row.count ? String(item.row.event) : ""),
			drawRow(item, x, width, file));
		before = item;
	}
	const pair = laid.filter((item) => item.site);
	if (finding.kind === "data-race" && pair.length === 2 && pair[0].row.thread !== pair[1].row.thread)
		picture.append(drawRace(pair, columns, width));
	return html("div", { class: "scroll tall" }, picture);
}

/* Sources */

/* Lines that matter, by file: what is done there, and by which thread. */
function marksOf(finding) {
	const files = new Map();
	const mark = (file, line, words) => {
		if (!file || !line)
			return;
		if (!files.has(file))
			files.set(file, new Map());
		const lines = files.get(file);
		if (!lines.has(line))
			lines.set(line, new Set());
		if (words)
			lines.get(line).add(words);
	};
	list(finding.sites).forEach((site, at) => {
		const thread = threadOf(finding, at);
		mark(site.file, site.line, (thread ? "T" + thread + " " : "") + text(site.access));
	});
	for (const row of list(finding.interleaving))
		mark(row.file, row.line, row.act ? "T" + row.thread + " " + text(row.what) : "");
	return files;
}

function lineTexts(file) {
	const lines = new Map();
	for (const [first, texts] of list(data.sources[file] && data.sources[file].parts))
		texts.forEach((line, at) => lines.set(first + at, line));
	return lines;
}

function sourceView(finding, file, marks) {
	const texts = lineTexts(file);
	const wanted = new Set();
	for (const line of marks.keys())
		for (let near = line - CONTEXT; near <= line + CONTEXT; near++)
			if (texts.has(near))
				wanted.add(near);
	const source = data.sources[file];
	if (source && list(source.stale).includes(list(data.document.findings).indexOf(finding)))
		return html("p", { class: "empty", "data-file": file }, source.path + " was changed after the program was built, so its lines are not shown.");
	if (!wanted.size)
		return null;
	/* A mark that takes a line would stand for no more than that. */
	for (const line of [...wanted])
		if (!wanted.has(line + 1) && wanted.has(line + 2) && texts.has(line + 1))
			wanted.add(line + 1);
	const rows = [];
	let last = 0;
	for (const line of [...wanted].sort((a, b) => a - b)) {
		if (last && line > last + 1)
			rows.push(html("tr", { class: "gap" }, html("td", { colspan: 3 }, "⋯")));
		const who = marks.has(line) ? [...marks.get(line)].join(", ") : "";
		rows.push(html("tr", { class: who ? "marked" : null, "data-line": line }, html("td", { class: "number" }, String(line)),
			html("td", { class: "who" }, who), html("td", {}, texts.get(line))));
		last = line;
	}
	return html("div", { class: "scroll source", "data-file": file },
		html("h4", {}, source.path, source.changed ? html("small", {}, " (newer than the program: lines may have moved)") : ""),
		html("table", {}, html("tbody", {}, rows)));
}

function look(file, line) {
	for (const row of document.querySelectorAll("tr.looked"))
		row.classList.remove("looked");
	for (const view of document.querySelectorAll(".source"))
		if (view.dataset.file === file)
			for (const row of view.querySelectorAll("tr"))
				if (row.dataset.line === String(line)) {
					row.classList.add("looked");
					row.scrollIntoView({ block: "center", behavior: "smooth" });
				}
}

/* One finding */

function section(title, ...content) {
	return content.length ? [html("h3", {}, title), ...content] : [];
}

function needsOf(finding) {
	if (typeof finding.preemptions !== "number")
		return [];
	return section("What it needs: " + (finding.is_fewest ? "" : "no more than ") + plural(finding.preemptions, "preemption") +
		(finding.early > 0 ? " and " + plural(finding.early, "early end") + " of a sleep or time-out" : ""),
		text(finding.needs) ? html("pre", { id: "needs" }, finding.needs) : html("p", { class: "empty" }, "No particular order."));
}

/* Reports of older versions have none. */
function adviceOf(finding) {
	const advice = list(finding.advice).map(text).filter(Boolean);
	return section("What to try", ...(advice.length ? [html("ul", { id: "advice" }, ...advice.map((one) => html("li", {}, one)))] : []));
}

/* Those of all tests that could have seen it; documents of older versions have only all that there were, also of other programs. */
function seenIn(finding) {
	const of = finding.schedules || data.document.schedules;
	return "in " + plural(finding.seen, "schedule") + (of >= finding.seen ? " of " + of : "");
}

/* The line that suppresses it, as the summary of heddle test has it. */
function suppressionOf(finding) {
	const { file, line, text: words } = finding.suppression;
	return text(file) ? file + ":" + line + " (" + text(words) + ")" : text(words);
}

function renderDetail(finding) {
	const detail = byId("detail");
	if (!finding) {
		detail.replaceChildren(html("p", { class: "empty" }, findings.length ? "No finding matches." : "Nothing was found."));
		return;
	}
	const kind = kindOf(finding);
	const rows = rowsOf(finding);
	const views = [...marksOf(finding)].map(([file, marks]) => sourceView(finding, file, marks)).filter(Boolean);
	detail.replaceChildren(
		html("h2", {}, nameOf(finding) + " " + text(finding.summary)),
		html("p", { class: "facts" }, html("span", { class: "badge " + levelOf(finding) }, text(finding.kind)),
			text(finding.class) ? html("span", { class: "badge " + levelOf(finding) }, finding.class) : "", text(finding.standing) ? html("span", {}, finding.standing) : "",
			finding.suppression ? html("span", {}, "suppressed by " + suppressionOf(finding)) : "",
			list(data.document.programs).length > 1 ? html("span", {}, text(finding.program)) : "",
			finding.seen ? html("span", {}, seenIn(finding)) : "",
			finding.schedules_to_first ? html("span", {}, "first in schedule " + finding.schedules_to_first) : "",
			finding.variants > 1 ? html("span", {}, finding.variants + " variants") : ""),
		...verdictOf(finding),
		html("p", { class: "help" }, kind.help),
		...section("Places and values", ...(list(finding.sites).length ? [siteTable(finding)] : [])),
		...section("Interleaving" + (onlyFile(finding, rows) ? ", by lines of " + onlyFile(finding, rows) : ""), rows.length ? diagram(finding, rows) :
			html("p", { class: "empty" }, "No interleaving was kept.")),
		...needsOf(finding),
		...adviceOf(finding),
		...section("Source", ...(views.length ? views : [html("p", { class: "empty" }, "The sources were not available when the report was written.")])),
		...section("Details" + (typeof finding.preemptions === "number" ? " of the schedule in which it was found" : ""), ...(text(finding.details) ? [html("pre", { id: "details" }, finding.details)] : [])),
		...section("Replay", ...(text(finding.replay) ? [html("pre", { id: "replay" }, finding.replay)] : [])));
	const frame = detail.querySelector(".tall"), marked = detail.querySelector("#diagram .marked rect");
	if (frame && marked)
		frame.scrollTop = Math.max(0, marked.getAttribute("y") - frame.clientHeight / 2);
}

function render() {
	const all = renderList();
	renderDetail(findings.find((finding) => nameOf(finding) === state.id) || all[0]);
	document.title = (state.id ? state.id + " - " : "") + "Heddle report";
}

/* What the page shows follows from the address, so that a link can be kept and the way back works. */
function readAddress() {
	const wanted = new URLSearchParams(location.hash.slice(1));
	const isOther = ["kind", "class", "text"].some((name) => (wanted.get(name) || "") !== state[name]);
	state.id = wanted.get("id") || "";
	state.kind = wanted.get("kind") || "";
	state.class = wanted.get("class") || "";
	state.text = wanted.get("text") || "";
	if (isOther)
		state.shown = PAGE;
	byId("kind").value = state.kind;
	byId("class").value = state.class;
	if (byId("text").value !== state.text)
		byId("text").value = state.text;
	render();
}

function setFilter() {
	state.kind = byId("kind").value;
	state.class = byId("class").value;
	state.text = byId("text").value;
	state.shown = PAGE;
	history.replaceState(null, "", address({ id: "" }));
	state.id = "";
	render();
}

/* What the findings have as that property can be filtered by. Returns how many different ones there are. */
function addChoices(name, all) {
	const counts = new Map();
	for (const finding of findings)
		if (text(finding[name]))
			counts.set(finding[name], (counts.get(finding[name]) || 0) + 1);
	byId(name).append(html("option", { value: "" }, all),
		...[...counts].sort().map(([value, count]) => html("option", { value }, value + " (" + count + ")")));
	return counts.size;
}

/* What runs of both orders of a data race lead to, and why. */
function verdictOf(finding) {
	if (!text(finding.verdict))
		return [];
	return [html("p", { id: "verdict", class: levelOf(finding) }, "This race " + finding.verdict + "." + (text(finding.why) ? " Why: " + finding.why + "." : "")),
		text(finding.difference) ? html("pre", { id: "difference" }, finding.difference) : ""];
}

/* By how many members each run of the training made the belonging sets grow. Where runs share a column, it is as high as the highest of them. */
function convergence(training) {
	const gains = list(training.gains).map((gain) => Math.max(0, Math.floor(Number(gain)) || 0));
	const columns = new Array(Math.min(gains.length, PLOT_COLUMNS)).fill(0);
	gains.forEach((gain, at) => {
		const column = Math.floor(at * columns.length / gains.length);
		columns[column] = Math.max(columns[column], gain);
	});
	const most = columns.reduce((a, b) => Math.max(a, b), 1), last = gains.findLastIndex((gain) => gain > 0);
	const width = Math.max(2, Math.min(12, Math.floor(480 / columns.length))), left = 48, high = 60;
	const bars = columns.map((gain, at) => svg("rect", { x: left + at * width, y: 4 + high - high * gain / most, width: width - 1, height: high * gain / most }));
	return [svg("svg", { width: left + columns.length * width + 8, height: high + 22, role: "img", "aria-label": "new members per run" },
		...bars, svg("path", { d: `M${left - 1} 4V${4 + high}H${left + columns.length * width}` }),
		svg("text", { x: left - 6, y: 14, "text-anchor": "end" }, String(most)),
		svg("text", { x: left - 6, y: 4 + high, "text-anchor": "end" }, "0"),
		svg("text", { x: left, y: high + 18 }, "run 1 to " + gains.length)),
	html("figcaption", {}, "Training: new members per run. " + plural(training.runs || 0, "correct run") + ", " + plural(training.members || 0, "member") +
		(last < 0 ? "" : "; the last " + (gains.length - 1 - last) + " runs added nothing"))];
}

function start() {
	const report = data.document;
	if (report.training && list(report.training.gains).length) {
		byId("training").replaceChildren(...convergence(report.training));
		byId("training").hidden = false;
	}
	const wanted = findings.filter((finding) => !finding.suppressed && finding.standing !== "suppressed");
	byId("program").textContent = list(report.programs).map((one) => text(one.program)).join(", ") ||
		list(report.arguments).map(text).join(" ") || text(report.program);
	byId("counts").textContent = report.trained ? "heddle train" : plural(report.schedules || 0, "schedule") + (report.programs ? "" :
		", " + (report.different || 0) + " different, in " + (report.seconds || 0) + " s") + "; " +
		(wanted.length ? plural(wanted.length, "finding") : "nothing found") +
		(wanted.length < findings.length ? ", " + (findings.length - wanted.length) + " suppressed" : "");
	byId("notes").replaceChildren(...list(report.notes).map((note) => html("li", {}, text(note))));
	addChoices("kind", "All kinds");
	byId("class").hidden = !addChoices("class", "All classes");
	byId("text").addEventListener("input", setFilter);
	byId("kind").addEventListener("change", setFilter);
	byId("class").addEventListener("change", setFilter);
	byId("more").addEventListener("click", () => {
		state.shown += PAGE;
		renderList();
	});
	window.addEventListener("hashchange", readAddress);
	readAddress();
}

start();

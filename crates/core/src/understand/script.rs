//! Scripts inside calls: which files a Python or Node program opens, and which tools a Codex script calls.

use std::collections::BTreeMap;

use super::operation::{Change, Effect, Operation, Verb};

/// What a script does to files, as far as its text shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touched {
    pub(super) operations: Vec<Operation>,
    pub(super) effect: Effect,
}

/// Words that let a script change files in ways its text does not show.
const REACHES_OUT: [&str; 13] = [
    "subprocess",
    "os.system",
    "shutil",
    "os.remove",
    "os.rename",
    "os.unlink",
    "os.walk",
    "glob(",
    "iterdir",
    "child_process",
    "execSync",
    "django",
    "renameSync",
];

/// Longer scripts are not read.
const MAX_BYTES: usize = 1 << 18;
/// Calls and patches taken from one Codex script.
const MAX_CALLS: usize = 200;

/// How files are opened: the call, and what it does to them (`None`: its mode says so).
const OPENERS: [(&str, Option<Verb>); 9] = [
    ("open(", None),
    ("readFileSync(", Some(Verb::Read)),
    ("readFile(", Some(Verb::Read)),
    ("writeFileSync(", Some(Verb::Create)),
    ("writeFile(", Some(Verb::Create)),
    ("appendFileSync(", Some(Verb::Edit)),
    ("unlinkSync(", Some(Verb::Delete)),
    ("File.read(", Some(Verb::Read)),
    ("File.write(", Some(Verb::Create)),
];

/// The files that a Python, Node or Ruby script opens by a name that stands in its text.
pub(super) fn touched(text: &str) -> Touched {
    if text.len() > MAX_BYTES {
        return Touched { operations: Vec::new(), effect: Effect::Anything };
    }
    let names = assigned_names(text);
    let mut found: Vec<(String, Verb)> = Vec::new();
    let mut open = REACHES_OUT.iter().any(|word| text.contains(word));
    for (opener, verb) in OPENERS {
        for at in occurrences(text, opener) {
            let arguments = &text[at + opener.len()..];
            let verb = verb.unwrap_or_else(|| mode(arguments));
            match argument(arguments, &names) {
                Some(path) => found.push((path, verb)),
                None => open |= verb != Verb::Read,
            }
        }
    }
    for (method, verb) in [(".write_text(", Verb::Create), (".read_text(", Verb::Read)] {
        for at in occurrences(text, method) {
            match receiver(&text[..at], &names) {
                Some(path) => found.push((path, verb)),
                None => open |= verb != Verb::Read,
            }
        }
    }
    Touched { operations: merged(found), effect: if open { Effect::Anything } else { Effect::Stated } }
}

/// One operation per file: one that is read and written is edited.
fn merged(found: Vec<(String, Verb)>) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    for (path, verb) in found {
        match operations.iter_mut().find(|operation| operation.path.as_deref() == Some(&*path)) {
            Some(operation) if operation.verb != verb => {
                operation.verb = Verb::Edit;
                operation.change = Change::Unknown;
            }
            Some(_) => {}
            None => {
                let change = if verb == Verb::Read { Change::None } else { Change::Unknown };
                operations.push(Operation::on(verb, path).change(change));
            }
        }
    }
    operations
}

/// Where `needle` stands in `text` and does not continue a longer name.
fn occurrences<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(needle).map(|(at, _)| at).filter(move |at| {
        needle.starts_with('.')
            || !text[..*at]
                .ends_with(|c: char| c.is_alphanumeric() || c == '_' || (c == '.' && needle == "open("))
    })
}

/// `name = 'text'` and `name = Path('text')`, last one first served.
fn assigned_names(text: &str) -> BTreeMap<&str, String> {
    let mut names = BTreeMap::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name
            .trim()
            .trim_start_matches("const ")
            .trim_start_matches("let ")
            .trim_start_matches("var ")
            .trim();
        let value = value.trim();
        let value = value.strip_prefix("pathlib.").unwrap_or(value);
        let value = value.strip_prefix("Path(").unwrap_or(value);
        if let (true, Some((text, _))) = (is_name(name), literal(value)) {
            names.insert(name, text);
        }
    }
    names
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The first argument of a call, if it is a literal or a name with a known value.
fn argument(text: &str, names: &BTreeMap<&str, String>) -> Option<String> {
    let text = text.trim_start();
    if let Some((value, _)) = literal(text) {
        return Some(value);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    names.get(&text[..end]).cloned()
}

/// What a method is called on: `Path('x')` or a name.
fn receiver(before: &str, names: &BTreeMap<&str, String>) -> Option<String> {
    if let Some(inside) = before.strip_suffix(')') {
        let start = inside.rfind("Path(")?;
        return argument(&inside[start + 5..], names)
            .or_else(|| literal(&inside[start + 5..]).map(|(text, _)| text));
    }
    let start = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    names.get(&before[start..]).cloned()
}

/// What the mode of `open(` says: the string after the first comma.
fn mode(arguments: &str) -> Verb {
    let end = arguments.find([')', '\n']).unwrap_or(arguments.len());
    let mode = arguments[..end].split_once(',').map_or("", |(_, mode)| mode);
    let mode = mode.trim_start().trim_start_matches("mode=");
    match literal(mode).map(|(mode, _)| mode).as_deref() {
        Some(mode) if mode.contains(['w', 'x']) => Verb::Create,
        Some(mode) if mode.contains(['a', '+']) => Verb::Edit,
        _ => Verb::Read,
    }
}

/// A tool called from a Codex script: `tools.exec_command({cmd: "…"})`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScriptedCall {
    pub(super) tool: String,
    pub(super) command: Option<String>,
    pub(super) directory: Option<String>,
}

/// The tools that a Codex script calls, and the patches that stand in it.
pub(super) fn codex(text: &str) -> (Vec<ScriptedCall>, Vec<String>) {
    let mut calls = Vec::new();
    for (at, _) in text.match_indices("tools.").take(MAX_CALLS) {
        let rest = &text[at + "tools.".len()..];
        let Some(end) = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')) else { continue };
        if !rest[end..].starts_with('(') {
            continue;
        }
        let arguments = &rest[end..];
        let arguments = &arguments[..call_end(arguments)];
        calls.push(ScriptedCall {
            tool: rest[..end].to_string(),
            command: member(arguments, "cmd").or_else(|| member(arguments, "command")),
            directory: member(arguments, "workdir"),
        });
    }
    let patches = text
        .match_indices("*** Begin Patch")
        .take(MAX_CALLS)
        .filter_map(|(at, _)| literal(&text[text[..at].rfind(['"', '\'', '`'])?..]))
        .map(|(patch, _)| patch)
        .filter(|patch| patch.starts_with("*** Begin Patch"))
        .collect();
    (calls, patches)
}

/// Where the bracket at the start of `text` closes; strings are skipped.
fn call_end(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0usize);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' | '\'' | '`' => {
                at += literal(&text[at..]).map_or(1, |(_, end)| end);
                continue;
            }
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    text.len()
}

/// The string under a key of an object literal, quoted or not.
fn member(text: &str, key: &str) -> Option<String> {
    for (at, _) in text.match_indices(key) {
        let before = text[..at].trim_end_matches(['"', '\'']).trim_end();
        let after = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        if before.ends_with(['{', ',']) && after.starts_with(':') {
            return literal(after[1..].trim_start()).map(|(value, _)| value);
        }
    }
    None
}

/// The string literal at the start of `text` (Python or JavaScript), and where it ends.
fn literal(text: &str) -> Option<(String, usize)> {
    let prefix = text.len() - text.trim_start_matches(['r', 'f', 'b', 'u', 'R', 'F', 'B', 'U']).len();
    let prefix = if text[prefix..].starts_with(['"', '\'']) && prefix <= 2 { prefix } else { 0 };
    let body = &text[prefix..];
    let is_raw = text[..prefix].contains(['r', 'R']);
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let mark = if quote != '`' && body.starts_with(&triple) { 3 } else { 1 };
    let mut out = String::new();
    let mut chars = body[mark..].char_indices();
    while let Some((at, c)) = chars.next() {
        let here = &body[mark + at..];
        if c == quote && (mark == 1 || here.starts_with(&triple)) {
            let formatted = text[..prefix].contains(['f', 'F']) && out.contains('{');
            return (!formatted).then_some((out, prefix + mark + at + mark));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (_, escaped) = chars.next()?;
        if is_raw {
            // `r'D:\new'`: a backslash is a character, and so is a quote behind it.
            out.extend([c, escaped]);
            continue;
        }
        match escaped {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '\n' => {}
            'u' | 'x' => {
                let digits = if escaped == 'u' { 4 } else { 2 };
                let code: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
                out.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            other => out.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[(Verb, &str)], effect: Effect) {
        let touched = touched(text);
        let seen: Vec<_> =
            touched.operations.iter().map(|op| (op.verb, op.path.as_deref().unwrap_or_default())).collect();
        assert_eq!((seen.as_slice(), touched.effect), (wanted, effect), "{text}");
    }

    #[test]
    fn files_opened_by_name_are_seen() {
        check("with open('a.txt', 'w') as f: f.write('x')", &[(Verb::Create, "a.txt")], Effect::Stated);
        check(
            "p = 'a.py'\ns = open(p).read()\nopen(p, \"w\").write(s)",
            &[(Verb::Edit, "a.py")],
            Effect::Stated,
        );
        check("from pathlib import Path\nPath('x').write_text('y')", &[(Verb::Create, "x")], Effect::Stated);
        check(
            "p = Path(\"m.rs\")\nt = p.read_text()\np.write_text(t)",
            &[(Verb::Edit, "m.rs")],
            Effect::Stated,
        );
        check("fs.readFileSync('README.md', 'utf8')", &[(Verb::Read, "README.md")], Effect::Stated);
        check("print(1)", &[], Effect::Stated);
    }

    #[test]
    fn what_a_script_hides_may_be_anything() {
        check("open(sys.argv[1], 'w')", &[], Effect::Anything);
        check("import subprocess", &[], Effect::Anything);
        check("open(f'{x}.txt', 'w')", &[], Effect::Anything);
    }

    #[test]
    fn codex_scripts_call_tools() {
        let (calls, patches) = codex(
            "const r = await tools.exec_command({cmd:\"cat \\\"a b\\\"\", \"workdir\": '/w'});\nconst p = \"*** Begin Patch\\n*** End Patch\";\nawait tools.apply_patch(p);",
        );
        assert_eq!(calls[0].command.as_deref(), Some("cat \"a b\""));
        assert_eq!(calls[0].directory.as_deref(), Some("/w"));
        assert_eq!(calls[1].tool, "apply_patch");
        assert_eq!(patches, ["*** Begin Patch\n*** End Patch"]);
    }

    #[test]
    fn unfinished_scripts_do_no_harm() {
        for text in ["open(", "open('", "tools.", "tools.x(", "tools.x({cmd:", "'\\", "Path('"]
            .iter()
            .map(|t| t.to_string())
            .chain(["(".repeat(100_000)])
        {
            touched(&text);
            codex(&text);
        }
    }
}

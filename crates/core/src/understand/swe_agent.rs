//! The command language of SWE-agent 0.x: a small editor with one open file.

use super::operation::{Change, Lines, Occurrences, Operation, Replacement, Shown, Verb, line_number};
use super::tools::Standing;
use super::{paths, shell};

/// What a command of the editor does; `None` for shell commands.
pub(super) fn operation(command: &str, standing: &Standing) -> Option<Operation> {
    let command = command.trim();
    let (first_line, rest) = command.split_once('\n').unwrap_or((command, ""));
    let words =
        shell::words(first_line).unwrap_or_else(|| first_line.split_whitespace().map(String::from).collect());
    let word = |nth: usize| words.get(nth).map(String::as_str);
    let named = |path: &str| paths::join(standing.directory.as_deref(), path);
    let open = || {
        Operation { path: standing.open_file.clone(), ..Operation::new(Verb::Read) }.shown(Shown::Numbered)
    };
    Some(match word(0)? {
        "open" => Operation::on(Verb::Read, named(word(1)?)).shown(Shown::Numbered),
        "goto" | "scroll_up" | "scroll_down" => open(),
        "create" => Operation::on(Verb::Create, named(word(1)?)).change(Change::Whole("\n".into())),
        "edit" => {
            let path = standing.open_file.clone();
            let (lines, change) = edit(&words, rest);
            Operation { path, ..Operation::new(Verb::Edit) }.lines(lines).change(change)
        }
        "search_dir" | "find_file" => {
            let path = word(2).map(named).or_else(|| standing.directory.clone());
            Operation { path, ..Operation::new(Verb::Search) }
        }
        "search_file" => {
            let path = word(2).map(named).or_else(|| standing.open_file.clone());
            Operation { path, ..Operation::new(Verb::Search) }
        }
        "submit" | "exit_cost" | "skip" => Operation::new(Verb::Other),
        _ => return None,
    })
}

/// `edit 10:20` with the text on the lines below, or `edit "search" "replace"`.
fn edit(words: &[String], rest: &str) -> (Option<Lines>, Change) {
    let Some(first) = words.get(1) else { return (None, Change::Unknown) };
    let range =
        first.split_once(':').and_then(|(first, last)| Some((line_number(first)?, line_number(last)?)));
    if let Some((first, last)) = range {
        let text = rest.strip_suffix("end_of_edit").unwrap_or(rest);
        let change = Change::Lines { first, last, text: Some(text.to_string()) };
        return (Some(Lines::span(first, last)), change);
    }
    match (words.get(2), words.len()) {
        (Some(new), 3) => {
            let replacement =
                Replacement { old: first.clone(), new: new.clone(), occurrences: Occurrences::Single };
            (None, Change::Replace(vec![replacement]))
        }
        _ => (None, Change::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_file_is_edited() {
        let standing = Standing {
            directory: Some("/r".into()),
            open_file: Some("/r/a.py".into()),
            ..Standing::default()
        };
        let edit = operation("edit 2:3\nx\nend_of_edit", &standing).unwrap();
        assert_eq!(
            (edit.verb, edit.path.as_deref(), edit.lines),
            (Verb::Edit, Some("/r/a.py"), Some(Lines::span(2, 3)))
        );
        assert_eq!(edit.change, Change::Lines { first: 2, last: 3, text: Some("x\n".into()) });
        let open = operation("open b.py 40", &standing).unwrap();
        assert_eq!((open.verb, open.path.as_deref()), (Verb::Read, Some("/r/b.py")));
        assert_eq!(operation("python a.py", &standing), None);
    }
}

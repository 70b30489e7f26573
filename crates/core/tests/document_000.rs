//! Trimming by priority and by age: the cases of their source document.

#![allow(clippy::unwrap_used)]

mod support;

use enfold::file::notation::parse;
use enfold::folding::policy::Policy;
use enfold::understand::facts::Facts;
use enfold::view::fold::FoldKind;
use support::views::{Folded, Setting, fold, fold_by};

fn budget(limit: usize) -> Setting<'static> {
    Setting { limit, ..Setting::default() }
}

fn trim(history: &str, limit: usize) -> Folded {
    fold_by("trim_priority", "", history, &budget(limit))
}

fn tokens(history: &str) -> usize {
    trim(history, 1_000_000).trace.before
}

/// A step that calls a tool on a file.
fn step(id: &str, tool: &str, path: &str, result: &str) -> String {
    format!("assistant\n  call {id} {tool} {{\"path\":\"{path}\"}}\nresult {id}: {result}\n")
}

/// Steps of little size that make whatever came before them old.
fn later_steps() -> String {
    (0..5)
        .map(|nth| format!("assistant\n  call l{nth} bash {{\"command\":\"true\"}}\nresult l{nth}: ok\n"))
        .collect()
}

#[test]
fn the_system_message_is_never_removed() {
    let history =
        format!("system: You are a helpful assistant\nuser: Hello\nresult c1: {}\n", "a b ".repeat(2_500));
    let folded = trim(&history, 100);
    assert!(folded.view.starts_with("system: You are a helpful assistant\nuser: Hello\n"), "{}", folded.view);
    assert!(!folded.view.contains("a b a b"));
}

#[test]
fn modified_files_are_kept_over_files_that_were_only_read() {
    let edited = "edited.ts content ".repeat(100);
    let history = format!(
        "system: System\nuser: go\n{}{}{}{}",
        step("c1", "read_file", "/app/edited.ts", &edited),
        step("c2", "read_file", "/app/read.ts", &"read.ts content ".repeat(100)),
        step("c3", "edit_file", "/app/edited.ts", "done"),
        later_steps(),
    );
    let folded = trim(&history, tokens(&history) - 200);
    assert!(folded.view.contains(&edited));
    assert!(!folded.view.contains(&"read.ts content ".repeat(8)));
}

#[test]
fn old_history_goes_before_recent_turns() {
    let old: String = (1..=12)
        .map(|nth| format!("user: Old message {nth}, which says this and that\nassistant: Old response {nth}, just as long\n"))
        .collect();
    let history = format!(
        "system: System\nuser: Start\nassistant: Fine.\n{old}user: Recent message\nassistant: Recent response\n"
    );
    let folded = trim(&history, 100);
    assert!(folded.view.contains("user: Recent message\nassistant: Recent response\n"), "{}", folded.view);
    assert!(
        !folded.view.contains("Old message 1,") && folded.view.contains("Old response 12"),
        "{}",
        folded.view
    );
}

#[test]
fn edits_mark_files_as_modified() {
    let history = format!(
        "user: go\n{}{}",
        step("c1", "read_file", "/app/file.ts", "x"),
        "assistant\n  call c2 edit_file {\"path\":\"/app/file.ts\",\"old_string\":\"x\",\"new_string\":\"y\"}\nresult c2: ok\n"
    );
    let facts = Facts::of(&parse(&history).unwrap());
    let modified: Vec<&str> = facts.tracker().modified_files().collect();
    assert_eq!(modified, ["/app/file.ts"]);
    assert!(facts.tracker().file("/app/other.ts").is_none());
}

#[test]
fn files_are_known_from_results_alone() {
    let history = "result \"\" name=create_file: {\"path\": \"/app/new.ts\"}\n\
                   result \"\" name=read_file: {\"path\": \"/app/existing.ts\"}\n\
                   result \"\" name=read_file: File: /app/named.ts\n";
    let facts = Facts::of(&parse(history).unwrap());
    let modified = |path: &str| facts.tracker().file(path).map(|file| file.is_modified);
    assert_eq!(modified("/app/new.ts"), Some(true));
    assert_eq!(modified("/app/existing.ts"), Some(false));
    assert_eq!(modified("/app/named.ts"), Some(false));
}

#[test]
fn files_grow_stale_and_recent_ones_come_first() {
    let history = format!(
        "user: go\n{}{}{}",
        step("c1", "read_file", "/app/a.ts", "x"),
        step("c2", "read_file", "/app/b.ts", "x"),
        step("c3", "read_file", "/app/c.ts", "x"),
    );
    let facts = Facts::of(&parse(&history).unwrap());
    let tracker = facts.tracker();
    assert_eq!(tracker.recent_files(3, 1), ["/app/c.ts", "/app/b.ts"]);
    assert!(tracker.is_stale("/app/a.ts", 3, 1) && !tracker.is_stale("/app/a.ts", 3, 2));
    assert!(tracker.is_stale("/app/never.ts", 3, 100));
}

#[test]
fn everything_has_the_priority_of_the_table() {
    let history = format!(
        "system: System\n\
         user: # AGENTS.md\n  | Be careful.\n\
         user\n  summary: Before.\n\
         user: the task\n\
         {}{}{}assistant: said long ago\nuser: in between\n{}{}user: and this\n",
        step("c1", "read_file", "/app/old.ts", "x"),
        step("c2", "create_file", "/app/mine.ts", "x"),
        step("c3", "bash", "/", "x"),
        later_steps(),
        step("c4", "read_file", "/app/new.ts", "x"),
    );
    let history = parse(&history).unwrap();
    let priorities = Facts::of(&history).priorities(&history);
    let of = |wanted: &str| {
        let found = history.items().iter().position(|item| item.texts[0].value.contains(wanted)).unwrap();
        priorities[found].value()
    };
    let rows = [
        "System",
        "AGENTS.md",
        "Before.",
        "the task",
        "old.ts",
        "mine.ts",
        "long ago",
        "in between",
        "new.ts",
        "and this",
    ];
    assert_eq!(rows.map(of), [100, 90, 20, 80, 30, 70, 40, 40, 50, 80]);
}

/// One of everything, each of about the same size and known by its first word.
fn one_of_everything() -> String {
    let long = |word: &str| format!("{word}{}", " and so on and so forth".repeat(20));
    format!(
        "system: {}\nuser: # AGENTS.md {}\nuser: {}\n\
         user\n  summary: {}\n{}{}user: {}\n{}{}\
         assistant\n  call c5 write_file {{\"path\":\"/app/mine.ts\",\"content\":\"{}\"}}\nresult c5: ok\n",
        long("SYSTEM"),
        long("INSTRUCTIONS"),
        long("TASK"),
        long("SUMMARY"),
        step("c1", "bash", "/", &long("STALE")),
        format_args!("assistant: {}\n", long("HISTORY")),
        "and then",
        later_steps(),
        step("c4", "read_file", "/app/new.ts", &long("READ")),
        long("MODIFIED"),
    )
}

#[test]
fn what_goes_first_is_what_matters_least() {
    let history = one_of_everything();
    let words = ["SUMMARY", "STALE", "HISTORY", "READ", "MODIFIED", "TASK", "INSTRUCTIONS", "SYSTEM"];
    let whole =
        |view: &str, word: &str| view.contains(&format!("{word}{}", " and so on and so forth".repeat(6)));
    let mut seen: Vec<Vec<&str>> = Vec::new();
    for limit in (0..=tokens(&history)).rev() {
        let Ok(folded) = fold(&history, &Policy::named("priority").unwrap(), &budget(limit)) else { break };
        let left: Vec<&str> = words.into_iter().filter(|word| whole(&folded.view, word)).collect();
        if seen.last() != Some(&left) {
            seen.push(left);
        }
    }
    let wanted: Vec<Vec<&str>> = (0..=4).map(|gone| words[gone..].to_vec()).collect();
    assert_eq!(seen, wanted);
}

#[test]
fn it_refuses_rather_than_touch_modified_files_or_the_task() {
    let history = one_of_everything();
    let cannot = fold(&history, &Policy::named("priority").unwrap(), &budget(400)).err().unwrap();
    assert!(cannot.needed > 400, "{cannot}");
    let later = format!("{history}{}", later_steps());
    let mine = fold_by("trim_priority", "keep_modified = false", &later, &budget(440));
    assert!(!mine.view.contains("MODIFIED") && mine.view.contains("TASK"), "{}", mine.view);
}

#[test]
fn only_the_latest_state_of_a_modified_file_is_kept() {
    let long = |word: &str| format!("{word}{}", " and so on and so forth".repeat(20));
    let history = format!(
        "user: go\n{}assistant\n  call c2 edit_file {{\"path\":\"/app/a.ts\",\"old_string\":\"x\",\"new_string\":\"y\"}}\nresult c2: ok\n{}{}",
        step("c1", "read_file", "/app/a.ts", &long("BEFORE")),
        step("c3", "read_file", "/app/a.ts", &long("AFTER")),
        later_steps(),
    );
    let folded = trim(&history, 280);
    assert!(
        folded.view.contains(&long("AFTER")) && !folded.view.contains(&long("BEFORE")),
        "{}",
        folded.view
    );
}

#[test]
fn the_line_for_a_file_says_what_is_known_of_it() {
    let text: String = (1..=40).map(|nth| format!("export const limit{nth} = {nth};\n  | ")).collect();
    let history =
        format!("user: go\n{}{}", step("c1", "read_file", "/app/limits.ts", text.trim_end()), later_steps());
    let folded = trim(&history, tokens(&history) - 100);
    assert_eq!(folded.kinds(), [FoldKind::Placeholder]);
    let line = folded.view.lines().find(|line| line.starts_with("result c1")).unwrap();
    insta::assert_snapshot!(line, @r#"result c1: [/app/limits.ts: 40 lines, 320 tokens, last accessed 5 steps ago, not modified, starts "export const limit1 = 1; export const limit2 = 2; export const limit3 = 3; export const limit4 = 4;" #702145559]"#);
}

#[test]
fn the_line_for_any_other_result_says_tool_size_and_age() {
    let history =
        format!("user: go\n{}{}", step("c1", "deploy", "", &"line\n  | ".repeat(100)), later_steps());
    let folded = trim(&history, tokens(&history) - 50);
    let line = folded.view.lines().find(|line| line.starts_with("result c1")).unwrap();
    insta::assert_snapshot!(line, @"result c1: [deploy result: 200 tokens, 5 steps ago #808704954]");
}

#[test]
fn that_something_was_done_is_history_however_stale_its_result() {
    let history = format!(
        "user: go\nassistant: HISTORY{}\nuser: more\n{}user: and then\n{}",
        " and so on".repeat(20),
        step("c1", "deploy", "", &"x y ".repeat(100)),
        later_steps()
    );
    let placeholder = trim(&history, tokens(&history) - 50).trace.after;
    let folded = trim(&history, placeholder - 1);
    assert!(!folded.view.contains("HISTORY") && folded.view.contains("  call c1 deploy"), "{}", folded.view);
}

#[test]
fn within_one_priority_the_oldest_goes_first() {
    let outputs: String = (1..=4)
        .map(|nth| step(&format!("c{nth}"), "deploy", "", &format!("OUTPUT{nth} {}", "x y ".repeat(50))))
        .collect();
    let history = format!("user: go\n{outputs}{}", later_steps());
    let folded = trim(&history, tokens(&history) - 120);
    let kept: Vec<usize> = (1..=4).filter(|nth| folded.view.contains(&format!("OUTPUT{nth} "))).collect();
    assert_eq!(kept, [3, 4]);
}

#[test]
fn placeholders_are_counted_and_steps_leave_whole_where_they_are_not_enough() {
    let outputs: String =
        (1..=30).map(|nth| step(&format!("c{nth}"), "deploy", "", &"x y ".repeat(50))).collect();
    let history = format!("user: go\n{outputs}{}", later_steps());
    let folded = trim(&history, 600);
    assert!(folded.trace.after <= 600 && folded.trace.after > 500, "{}", folded.trace.after);
    let calls = folded.view.matches("  call ").count();
    assert_eq!(calls, folded.view.matches("\nresult ").count());
    assert!(calls > 5 && calls < 35, "{calls}");
    assert!(folded.view.contains(" steps before this left out #"), "{}", folded.view);
}

#[test]
fn a_note_about_steps_never_stands_in_a_modified_file() {
    let outputs: String =
        (1..=9).map(|nth| step(&format!("c{nth}"), "deploy", "", &"x y ".repeat(50))).collect();
    let write =
        "assistant\n  call w write_file {\"path\":\"/app/a.ts\",\"content\":\"x\"}\nresult w: written\n";
    let history = format!("user: go\n{write}{outputs}{}", later_steps());
    let folded = trim(&history, 200);
    assert!(folded.view.contains(&format!("{write}assistant\n")), "{}", folded.view);
    assert!(folded.view.contains(" left out #"), "{}", folded.view);
}

#[test]
fn a_view_that_fits_is_left_alone() {
    let history = one_of_everything();
    assert_eq!(trim(&history, tokens(&history)).idle(), "the view fits");
}

#[test]
fn the_same_history_gives_the_same_view() {
    let [one, two] = [0, 1].map(|_| trim(&one_of_everything(), 700));
    assert_eq!((one.view, one.trace), (two.view, two.trace));
}

#[test]
fn by_age_the_oldest_goes_first_and_recent_turns_stay() {
    let turns: String = (1..=8)
        .map(|nth| format!("user: Question {nth}, of some length\nassistant: Answer {nth}, of some length\n"))
        .collect();
    let setting = Setting { limit: 1_000, target: Some(60), ..Setting::default() };
    let answers = |keep: &str| {
        let folded = fold_by("trim_age", keep, &turns, &setting);
        (1..=8).filter(|nth| folded.view.contains(&format!("Answer {nth},"))).collect::<Vec<usize>>()
    };
    assert_eq!(answers(""), [8], "what the user typed stays, what was answered leaves, but for the newest");
    assert_eq!(answers("keep_turns = 2"), [7, 8]);
    assert_eq!(answers("keep_turns = 4"), [5, 6, 7, 8]);
}

#[test]
fn the_age_policy_fits_although_recent_turns_are_kept() {
    let turns: String = (1..=4)
        .map(|nth| format!("user: Question {nth}\n{}", step("c", "deploy", "", &"x y ".repeat(200))))
        .collect();
    let folded = fold(&turns, &Policy::named("age").unwrap(), &budget(300)).ok().unwrap();
    assert!(folded.trace.after <= 300);
    let passes: Vec<usize> = folded.trace.passes.iter().map(|pass| pass.folds.len()).collect();
    assert!(passes.len() >= 2, "the guarantee was needed");
}

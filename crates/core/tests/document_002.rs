//! The rules of the document on tool history: reads, edits, output of commands, and what they save.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file::notation;
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner::run;
use enfold::history::{History, ItemId};
use enfold::understand::facts::Facts;
use enfold::view::fold::{FoldKind, HandleKey};
use enfold::view::trace::{PassOutcome, Trace};
use enfold::wire::Neutral;

/// What `retention` makes of a history that is over its target, whatever that is: results and arguments in order.
struct Folded {
    history: History,
    texts: Vec<String>,
    trace: Trace,
}

#[track_caller]
fn fold(text: &str) -> Folded {
    let history = notation::parse(text).unwrap();
    let tally = Tally::of(&history, Arc::new(Encoding::O200k), Default::default());
    let facts = Facts::of(&history);
    let handles = HandleKey::new(b"secret", "session");
    let mut cx = Cx::new(1_000_000, &facts, &handles, &Neutral);
    cx.target = 0;
    let run = run(&Policy::named("retention").unwrap(), &history, &tally, &cx).ok().unwrap();
    let texts = history.item_ids().map(|item| run.view.text(item, 0).to_string()).collect();
    let trace = run.trace.clone();
    Folded { texts, trace, history }
}

impl Folded {
    /// The results, each as one word: whole, pointer, delta, …
    fn results(&self) -> Vec<&'static str> {
        let items = self.history.item_ids().zip(self.history.items());
        let results = items.filter(|(_, item)| item.result().is_some());
        let fold = |id: ItemId| self.trace.folds().find(|fold| fold.items == [id]);
        results.map(|(id, _)| fold(id).map_or("whole", |fold| fold.kind.name())).collect()
    }

    fn kinds(&self) -> Vec<FoldKind> {
        self.trace.folds().map(|fold| fold.kind).collect()
    }

    fn result(&self, nth: usize) -> &str {
        let items = self.history.item_ids().zip(self.history.items());
        let (id, _) = items.filter(|(_, item)| item.result().is_some()).nth(nth).unwrap();
        &self.texts[id.index()]
    }
}

/// A file of forty lines in some state: each state has another fifth line.
fn config(state: usize) -> String {
    let line = |n: usize| match n {
        5 => format!("5 value_of_this_state = {state}"),
        n => format!("{n} setting_number_{n} = some value that takes a few tokens"),
    };
    (1..=40).map(|n| format!("  | {}\n", line(n))).collect()
}

/// A session that reads the file in these states.
fn reads(states: &[usize]) -> String {
    let step = |(nth, state): (usize, &usize)| {
        format!(
            "assistant\n  call r{nth} read_file {{\"path\":\"config.py\"}}\nresult r{nth}: # config\n{}",
            config(*state)
        )
    };
    format!("user: go\n{}", states.iter().enumerate().map(step).collect::<String>())
}

#[test]
fn one_read_stays_and_two_stay() {
    assert_eq!(fold(&reads(&[1])).results(), ["whole"]);
    assert_eq!(fold(&reads(&[1, 1])).results(), ["whole", "whole"]);
}

#[test]
fn of_three_to_five_reads_the_first_and_the_last_stay() {
    assert_eq!(fold(&reads(&[1; 3])).results(), ["whole", "pointer", "whole"]);
    assert_eq!(fold(&reads(&[1; 5])).results(), ["whole", "pointer", "pointer", "pointer", "whole"]);
}

#[test]
fn of_more_reads_three_samples_stay_too() {
    let results = fold(&reads(&[1; 10])).results();
    assert_eq!(
        results,
        ["whole", "pointer", "whole", "pointer", "pointer", "whole", "pointer", "whole", "pointer", "whole"]
    );
}

#[test]
fn a_pointer_stands_where_the_read_stood_and_names_what_it_repeats() {
    let folded = fold(&reads(&[1, 1, 1]));
    let text = folded.result(1);
    assert!(text.starts_with("[re-read of config.py, same as the read at step 1 #"), "{text}");
    assert_eq!(folded.history.items().len(), folded.texts.len(), "nothing moved");
}

#[test]
fn a_read_of_a_changed_file_becomes_the_change() {
    let folded = fold(&reads(&[1, 2, 3]));
    assert_eq!(folded.results(), ["whole", "delta", "whole"]);
    let (head, diff) = folded.result(1).split_once('\n').unwrap();
    assert!(head.starts_with("[re-read of config.py, changes since the read at step 1 #"), "{head}");
    insta::assert_snapshot!(diff, @r"
    @@ -5,3 +5,3 @@
     4 setting_number_4 = some value that takes a few tokens
    -5 value_of_this_state = 1
    +5 value_of_this_state = 2
     6 setting_number_6 = some value that takes a few tokens
    ");
}

#[test]
fn a_read_of_a_file_that_was_written_anew_is_mentioned_while_a_later_read_shows_it() {
    let anew =
        |word: &str| (1..=40).map(|n| format!("  | {word} number {n} of this file\n")).collect::<String>();
    let step = |nth: usize, word: &str| {
        format!("assistant\n  call r{nth} read_file {{\"path\":\"a\"}}\nresult r{nth}: # top\n{}", anew(word))
    };
    let folded = fold(&format!("user: go\n{}{}{}", step(1, "red"), step(2, "green"), step(3, "blue")));
    assert_eq!(folded.results(), ["whole", "placeholder", "whole"]);
    let text = folded.result(1);
    assert!(text.starts_with("[re-read of a, lines 1–41 as they were at step 2 #"), "{text}");
}

#[test]
fn pages_that_overlap_show_each_line_once() {
    let page = |nth: usize, first: usize, last: usize| {
        let lines: String =
            (first..=last).map(|n| format!("  | {n:>6}→def function_number_{n}(): return {n}\n")).collect();
        let limit = last + 1 - first;
        format!("assistant\n  call r{nth} Read {{\"file_path\":\"/a.py\",\"offset\":{first},\"limit\":{limit}}}\nresult r{nth}\n  text:{}", &lines[3..])
            .replace(&format!("result r{nth}\n  text:"), &format!("result r{nth}:"))
    };
    let session =
        format!("user: go\n{}{}{}{}", page(1, 1, 40), page(2, 21, 60), page(3, 61, 80), page(4, 81, 90));
    let folded = fold(&session);
    assert_eq!(folded.results(), ["whole", "pointer", "whole", "whole"]);
    let text = folded.result(1);
    assert!(text.starts_with("[lines 21–40 as in the read at step 1 #"), "{text}");
    assert_eq!(text.lines().count(), 21, "the twenty new lines stay word for word");
    assert_eq!(text.lines().nth(1), Some("    41→def function_number_41(): return 41"));
}

/// Edits of a file, each with its reason, and `more` steps after them.
fn edits(count: usize, more: usize) -> String {
    let edit = |nth: usize| {
        let old = format!("the old text number {nth} goes on and on, ").repeat(6);
        let arguments = format!(
            "{{\"file_path\":\"core/agent.py\",\"old_str\":\"{old}\",\"new_str\":\"short\",\"intent\":\"reason number {nth}\"}}"
        );
        format!("assistant\n  call e{nth} edit_file {arguments}\nresult e{nth}: ok\n")
    };
    let step = |nth: usize| format!("assistant\n  call s{nth} think {{}}\nresult s{nth}: ok\n");
    format!(
        "user: go\n{}{}",
        (1..=count).map(edit).collect::<String>(),
        (0..more).map(step).collect::<String>()
    )
}

#[test]
fn edits_stay_with_their_reasons() {
    assert_eq!(fold(&edits(11, 20)).kinds(), [], "eleven are no long row");
    assert_eq!(fold(&edits(12, 9)).kinds(), [], "the last one is recent");
}

#[test]
fn a_dozen_old_edits_become_a_list_of_their_reasons() {
    let folded = fold(&edits(12, 10));
    let [fold] = &folded.trace.folds().collect::<Vec<_>>()[..] else { panic!("{:?}", folded.trace) };
    assert_eq!((fold.kind, fold.items.len()), (FoldKind::Edits, 22), "eleven edits left whole");
    let calls = folded.history.item_ids().filter(|item| folded.history.item(*item).call().is_some());
    for call in calls {
        assert_eq!(folded.texts[call.index()], folded.history.item(call).text(), "no argument was touched");
    }
    let last = folded.result(11);
    assert!(last.contains("[12 edits to core/agent.py between steps 1 and 12 #"), "{last}");
    assert!(last.contains("\n- step 1: reason number 1 (+1 −1)\n"), "{last}");
    assert_eq!(last.lines().count(), 14);
}

#[test]
fn old_edits_without_reasons_are_counted() {
    let session = edits(13, 10).replace("\"intent\":\"reason number 2\"", "\"intent\":\"\"");
    let last =
        fold(&session.replace("\"intent\":\"reason number 3\"", "\"intent\":\"\"")).result(12).to_string();
    assert_eq!(last.lines().count(), 14, "{last}");
    assert!(last.ends_with("\n- 2 without a reason (+2 −2)"), "{last}");
}

/// A session with one command that prints so many characters, in lines of ten.
fn output(chars: usize) -> String {
    let lines: Vec<String> = (0..chars / 10).map(|n| format!("line {n:04}")).collect();
    format!(
        "user: go\nassistant\n  call b bash {{\"command\":\"npm test\"}}\nresult b: {}\n",
        lines.join("\n  | ")
    )
}

#[test]
fn output_is_kept_up_to_ten_thousand_characters_and_counted_from_one_thousand() {
    let story = |chars| match &fold(&output(chars)).trace.passes[0].outcome {
        PassOutcome::Unchanged(why) => why.clone(),
        other => format!("{other:?}"),
    };
    assert!(story(990).ends_with("; 0 outputs of 1000 to 10000 characters could be cut"));
    assert!(story(1_010).ends_with("; 1 outputs of 1000 to 10000 characters could be cut"));
    assert!(story(10_000).ends_with("; 1 outputs of 1000 to 10000 characters could be cut"));
}

#[test]
fn longer_output_keeps_two_thousand_characters_at_either_end() {
    let folded = fold(&output(45_230));
    assert_eq!(folded.kinds(), [FoldKind::Bookend]);
    let (head, rest) = folded.result(0).split_once("\n... [").unwrap();
    let (note, tail) = rest.split_once("] ...\n").unwrap();
    assert_eq!((head.lines().count(), tail.lines().count()), (200, 200), "cut at line ends");
    assert!(head.starts_with("line 0000\n") && tail.ends_with("\nline 4522"));
    assert!(note.starts_with("45,229 chars, 4,523 lines of: npm test #"), "{note}");
}

#[test]
fn what_a_command_shows_of_a_file_is_a_read() {
    let session = output(45_230).replace("npm test", "cat src/big.txt");
    assert_eq!(fold(&session).kinds(), []);
}

#[test]
fn listings_are_kept_while_they_are_recent() {
    let listing = "a.rs\n  | b.rs\n  | c.rs\n  | d.rs\n  | e.rs\n  | f.rs\n  | g.rs\n  | h.rs";
    let step = |nth: usize| {
        format!("assistant\n  call l{nth} ls {{\"path\":\"src\"}}\nresult l{nth}: {nth}.rs\n  | {listing}\n")
    };
    let folded = fold(&format!("user: go\n{}", (0..32).map(step).collect::<String>()));
    let results = folded.results();
    assert_eq!(results[..3], ["clear", "clear", "whole"]);
    assert_eq!(results[2..], ["whole"; 30]);
    assert!(folded.result(0).starts_with("[9 lines from ls #"), "{}", folded.result(0));
}

/// The document expects about half of the tokens to go, where dropping old results would take nearly all of them.
#[test]
fn about_half_of_a_long_session_goes_and_every_edit_stays() {
    let session = format!(
        "{}{}{}",
        reads(&[1, 1, 2, 2, 3, 3, 4, 4]),
        output(30_000).trim_start_matches("user: go\n"),
        edits(8, 5).trim_start_matches("user: go\n")
    );
    let folded = fold(&session);
    let (before, after) = (folded.trace.before, folded.trace.after);
    assert!(after * 100 / before < 60 && after * 100 / before > 20, "{before} → {after}");
    let edits = folded.texts.iter().filter(|text| text.contains("reason number")).count();
    assert_eq!(edits, 8);
}

#[test]
fn a_history_within_its_target_is_left_alone() {
    let history = notation::parse(&reads(&[1; 4])).unwrap();
    let tally = Tally::of(&history, Arc::new(Encoding::O200k), Default::default());
    let facts = Facts::of(&history);
    let handles = HandleKey::new(b"secret", "session");
    let cx = Cx::new(1_000_000, &facts, &handles, &Neutral);
    let run = run(&Policy::named("retention").unwrap(), &history, &tally, &cx).ok().unwrap();
    assert!(run.view.changes().is_unchanged());
}

//! What texts are read as, and that no text is expensive.

use proptest::prelude::*;

use super::super::tree::{Command, Kind, List, Part, RawWord, Redirect};
use super::*;

/// A tree in one line; a `?` at its end where not all was understood.
fn shape(text: &str) -> String {
    let script = script(text);
    list(&script.list) + if script.whole { "" } else { " ?" }
}

fn list(pipelines: &List<'_>) -> String {
    let pipeline = |commands: &Vec<Command<'_>>| commands.iter().map(command).collect::<Vec<_>>().join(" | ");
    pipelines.iter().map(pipeline).collect::<Vec<_>>().join("; ")
}

fn command(command: &Command<'_>) -> String {
    let mut parts = Vec::new();
    match &command.kind {
        Kind::Simple { assignments, words } => {
            parts.extend(assignments.iter().map(|one| format!("{}={}", one.name, word(&one.value))));
            parts.extend(words.iter().map(word));
        }
        Kind::Group(inner) => parts.push(format!("{{{}}}", list(inner))),
        Kind::Subshell(inner) => parts.push(format!("({})", list(inner))),
        Kind::For { name, values, body } => {
            let values: Vec<String> = values.iter().map(word).collect();
            parts.push(format!("for {name} in {} {{{}}}", values.join(" "), list(body)));
        }
        Kind::Test(words) => {
            parts.push(format!("[{}]", words.iter().map(word).collect::<Vec<_>>().join(" ")))
        }
        Kind::Function => parts.push("function".into()),
    }
    parts.extend(command.redirects.iter().map(|redirect| match redirect {
        Redirect::Input(path) => format!("<{}", word(path)),
        Redirect::Output { path, append, errors_only } => {
            let sign = if *append { ">>" } else { ">" };
            format!("{}{sign}{}", if *errors_only { "2" } else { "" }, word(path))
        }
        Redirect::Text(text) => format!("<<<{}", word(text)),
        Redirect::Document(document) => {
            format!("<<{}{:?}", if document.expands { "" } else { "'" }, document.text.get())
        }
    }));
    parts.join(" ")
}

fn word(raw: &RawWord<'_>) -> String {
    let part = |part: &Part<'_>| match part {
        Part::Command { list: inner, .. } | Part::Process { list: inner, .. } => {
            format!("$({})", list(inner))
        }
        Part::Backquoted { command, .. } => format!("`{command}`"),
        Part::Variable { name, .. } => format!("${name}"),
        other => other.written().to_string(),
    };
    raw.parts.iter().map(part).collect()
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        assert_eq!(shape(text), *wanted, "{text}");
    }
}

#[test]
fn commands_are_joined_and_nested() {
    check(&[
        ("a b; c && d || e & f\ng", "a b; c; d; e; f; g"),
        ("a | b |& c |\n d", "a | b | c | d"),
        ("! a; time -p b", "a; b"),
        ("{ a; b; }; (c; (d))", "{a; b}; (c; (d))"),
        ("((a); b)", "((a); b)"),
        ("if a; then b; elif c; then d; else e; fi > f", "{a; b; c; d; e} >f"),
        ("while read x; do a $x; done < f | b", "{read x; a $x} <f | b"),
        ("for x in a 'b c'\ndo d $x; done", "for x in a b c {d $x}"),
        ("for ((i = 0; i < 3; i++)); do a; done", "{[]; a}"),
        ("case $x in (a|b) c;; *) d; e ;; esac; f", "{[$x]; c; d; e}; f"),
        ("x=$(case a in a) b;; esac) c", "x=$({[a]; b}) c"),
        ("f() { a; }; function g { b; }\nc", "function; function; c"),
        ("[[ -f a && $(b) =~ ^(c|d)$ ]] && e", "[-f a $(b) =~ ^ c d $]; e"),
        ("((x > $(a))) && b", "[$(a)]; b"),
        ("a # b; c\n#d\ne#f", "a; e#f"),
        ("a if then; echo }", "a if then; echo }"),
        ("a \\\n  b", "a b"),
    ]);
}

#[test]
fn words_lose_their_quotes() {
    check(&[
        (r#"a'b c'"d e"f\ g"#, "ab cd ef g"),
        (r#""\n\"\$" '\n' $'\n\'x' $"y""#, "\\n\"$ \\n \n'x y"),
        (r#""$a/${b}/${c%.d}" $1x $? $"#, "$a/$b/${c%.d} $1x $? $"),
        (r#"a "$(b "c)" 'd)')" e"#, "a $(b c) d)) e"),
        ("a \"$(cat <<'E'\nit's (so\nE\n)\" b", "a $(cat <<'\"it's (so\\n\") b"),
        ("a `b \\`c\\`` d", "a `b `c`` d"),
        ("a $((1 + (2))) $((b); c)", "a $((1 + (2))) $((b); c)"),
        ("a[ =b c[d=e", "a[ =b c[d=e"),
        ("x=1 y+=2 z[3]=4 l=(a b) a x=5", "x=1 y=2 z=4 l=(a b) a x=5"),
        ("diff <(a) >(b) c", "diff $(a) $(b) c"),
        ("rm !(a|b) *.c", "rm !(a|b) *.c"),
    ]);
}

#[test]
fn redirections_and_documents_find_their_commands() {
    check(&[
        ("a > b 2>> c 2>&1 < d &> e >& f >&2", "a >b 2>>c <d >e >f"),
        ("a2>b 3 >c", "a2 3 >b >c"),
        ("a <<< \"b c\"", "a <<<b c"),
        ("a <<E | b <<-'F' ; c\nx $y\nE\n\tz\n\tF\nd", "a <<\"x $y\\n\" | b <<'\"\\tz\\n\"; c; d"),
        ("a <<\\E\nx\nE", "a <<'\"x\\n\""),
        ("$(a <<E\nx\nE)\nb", "$(a <<\"x\\n\"); b"),
        ("a <<''\nx\n\nb", "a <<'\"x\\n\"; b"),
    ]);
}

#[test]
fn what_is_not_well_formed_is_read_as_far_as_it_goes() {
    check(&[
        ("a 'b\nc", "a b; c ?"),
        ("a \"b\nc", "a b; c ?"),
        ("a `b\nc", "a `b; c ?"),
        ("a $(b; c", "a $(b; c) ?"),
        ("a ${b", "a ${b ?"),
        ("(a; b", "(a; b) ?"),
        ("if a; then b", "{a; b} ?"),
        ("a) b; fi; c } ; }", "a; b; c } ?"),
        ("case a in b) c", "{[a]; c} ?"),
        ("a (b)", "a; (b) ?"),
        ("| a >", "a ?"),
        ("a <<E\nb", "a <<\"b\""),
        ("a &&& b ;;; c", "a; b; c"),
    ]);
}

#[test]
fn words_of_a_line() {
    let words_of = |line| words(line).map(|words| words.join("|"));
    assert_eq!(words_of("edit 'a b' \"c;d\" e;f(g)"), Some("edit|a b|c;d|e;f(g)".into()));
    assert_eq!(words_of("it's"), None);
}

/// Bytes passed when reading a text as commands.
#[track_caller]
fn assert_linear(text: &str) {
    let mut parser = Parser::new(text);
    parser.list(End::Text);
    let start: String = text.chars().take(40).collect();
    assert!(
        parser.steps <= 8 * text.len() + 64,
        "{} steps for {} bytes of {start}",
        parser.steps,
        text.len()
    );
    assert!(parser.at == text.len() && parser.depth == 0, "{start}");
}

/// Pieces that open, close or part something.
const PIECES: [&str; 59] = [
    "a",
    "=",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "(",
    ")",
    "{ ",
    " }",
    "((",
    "))",
    "$(",
    "$((",
    "${",
    "}",
    "`",
    "'",
    "\"",
    "$'",
    "\\",
    "\\`",
    "<<E",
    "<<-'F'",
    "<<''",
    "\nE\n",
    "\nE)",
    "<",
    ">",
    "<(",
    ">(",
    "&>",
    "2>&1",
    "<<<",
    "[[ ",
    " ]]",
    "if ",
    "then ",
    "else ",
    "fi ",
    "while ",
    "do ",
    "done ",
    "for x in ",
    "for ((",
    "case x in ",
    "esac ",
    ";;",
    "f() ",
    "function g ",
    "x=",
    "x=(",
    "a[",
    "]=",
    "!(",
    "#",
    "$x",
    "é😀",
];

#[test]
fn a_lot_of_anything_is_read_in_linear_time() {
    let texts = PIECES.iter().map(|piece| (*piece).to_string()).chain(
        [
            "a | ",
            "$( ",
            "\"$(",
            "\"${a[",
            "(( ",
            "( (",
            "a <<E\n",
            "a <<E ",
            "case x in a) ",
            "f() f() ",
            "[[ a ",
            "\"`",
            "\"'",
        ]
        .map(String::from),
    );
    for piece in texts {
        let text = piece.repeat(100_000 / piece.len());
        assert_linear(&text);
        assert_linear(&format!("{text}\n{text}"));
        assert_linear(&("(<<')' <<'' <<E ".repeat(1_000) + "\n" + &text));
    }
    for (open, close) in [
        ("(", ")"),
        ("{ ", "; }"),
        ("$(", ")"),
        ("((", "))"),
        ("$((", "))"),
        ("if a; then ", "; fi"),
        ("\"$(", ")\""),
    ] {
        assert_linear(&format!("{}ls{}", open.repeat(100_000), close.repeat(100_000)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_is_read_in_linear_time(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        assert_linear(&pieces.concat());
    }

    #[test]
    fn a_piece_repeated_is_read_in_linear_time(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..5)) {
        assert_linear(&pieces.concat().repeat(100));
    }
}

//! Shell commands of the shapes agents write, and what they do.

use enfold::understand::operation::{Change, Effect, Operation, Shown, Verb};
use enfold::understand::shell::analyse;

use crate::support::describe;

/// Operations in a few words; `!` marks a run after which any file may be different.
fn seen(operations: &[Operation]) -> String {
    let word = |operation: &Operation| match operation.verb {
        Verb::Run => if operation.effect == Effect::Anything { "run!" } else { "run" }.to_string(),
        Verb::Search | Verb::List if operation.path.is_none() => operation.verb.name().to_string(),
        _ => describe(operation),
    };
    operations.iter().map(word).collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (command, wanted) in cases {
        assert_eq!(seen(&analyse(command, None).operations), *wanted, "{command}");
    }
}

#[test]
fn files_are_read_with_their_ranges() {
    check(&[
        ("cat src/main.rs", "read src/main.rs"),
        ("cat a.txt b.txt", "read a.txt; read b.txt"),
        ("sed -n '10,40p' src/lib.rs", "read src/lib.rs:10-40"),
        ("sed -n 5p notes", "read notes:5-5"),
        ("sed -n '7,$p' notes", "read notes:7-"),
        ("sed -ne '1,3p' -e '9p' notes", "read notes:1-3; read notes:9-9"),
        ("head -n 20 Makefile", "read Makefile:1-20"),
        ("head -15 Makefile", "read Makefile:1-15"),
        ("head Makefile", "read Makefile:1-10"),
        ("tail -n +5 log.txt", "read log.txt:5-"),
        ("tail -50 log.txt", "read log.txt:last50"),
        ("nl -ba src/x.ts | sed -n '100,160p'", "read src/x.ts:100-160"),
        ("cat -n src/x.ts | head -30 | tail -10", "read src/x.ts:21-30"),
        ("awk 'NR>=10 && NR<=20' big.sql", "read big.sql:10-20"),
        ("awk 'NR==3,NR==9 {print $0}' big.sql", "read big.sql:3-9"),
        ("less +G README.md", "read README.md"),
        ("bat --plain README.md", "read README.md"),
        ("jq '.scripts' package.json", "read package.json"),
        ("wc -l < data.csv", "read data.csv"),
        ("cat Cargo.toml | grep version", "read Cargo.toml"),
    ]);
}

#[test]
fn files_are_written() {
    check(&[
        ("echo hi > out.txt", "create out.txt"),
        ("echo more >> out.txt", "edit out.txt"),
        ("cat > a.py <<'EOF'\nprint(1)\nEOF", "create a.py"),
        ("cat <<EOF | tee conf.ini\nx=1\nEOF", "create conf.ini"),
        ("sed -i 's/a/b/' x.c", "edit x.c"),
        ("sed -i '' -e 's/a/b/g' x.c y.c", "edit x.c; edit y.c"),
        ("perl -pi -e 's/foo\\d+/bar/' x.c", "edit x.c"),
        ("mv old.rs new.rs", "move old.rs -> new.rs"),
        ("mv a b lib/", "move a -> lib/a; move b -> lib/b"),
        ("cp -r tpl site", "copy tpl -> site"),
        ("rm -rf build dist/*.js", "delete build; delete dist/*.js"),
        ("touch new.txt", "create new.txt"),
        ("mkdir -p a/b", "mkdir a/b"),
        ("git mv a.go b.go", "move a.go -> b.go"),
        ("git rm old.go", "delete old.go"),
        ("git checkout -- src/a.ts src/b.ts", "edit src/a.ts; edit src/b.ts"),
        ("git restore lib.rs", "edit lib.rs"),
        ("git restore --staged lib.rs", "run"),
        ("gofmt -w cmd/main.go", "edit cmd/main.go"),
        ("npx prettier --write .", "run!"),
        (
            "python3 - <<'PY'\np = 'app.py'\ns = open(p).read()\nopen(p, 'w').write(s.replace('a', 'b'))\nPY",
            "edit app.py; run",
        ),
        ("node -e \"require('fs').writeFileSync('out.json', '{}')\"", "create out.json; run"),
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: m.rs\n@@\n-a\n+b\n*** End Patch\nEOF",
            "edit m.rs",
        ),
        ("git apply <<'EOF'\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nEOF", "edit x"),
        ("curl -sL https://example.org/x.tgz -o x.tgz", "fetch https://example.org/x.tgz; create x.tgz"),
    ]);
}

#[test]
fn searches_and_runs_are_told_apart() {
    check(&[
        ("grep -rn 'fn main' src", "search src"),
        ("rg -n --glob '*.rs' todo", "search"),
        ("find . -name '*.py' | head -20", "search ."),
        ("ls -la", "list"),
        ("git grep -n foo -- src", "search src"),
        ("cargo test -p core 2>&1 | tail -20", "run"),
        ("go build ./... && go vet ./...", "run; run"),
        ("make", "run!"),
        ("npm run format", "run!"),
        ("git status --short", "run"),
        ("git stash pop", "run!"),
        ("git checkout main", "run!"),
        ("ssh host 'cat /etc/passwd'", "run!"),
        ("find . -name '*.orig' -delete", "search .; run!"),
        ("echo done", ""),
    ]);
}

#[test]
fn directories_variables_loops_and_wrappers_are_followed() {
    check(&[
        ("cd web && cat a.css && cd ../api && cat b.go", "read web/a.css; read api/b.go"),
        ("(cd sub && cat x); cat y", "read sub/x; read y"),
        ("bash -lc \"cd /srv && sed -n '1,5p' app.py\"", "read /srv/app.py:1-5"),
        ("sudo env A=1 timeout 10 cat /etc/hosts", "read /etc/hosts"),
        ("f=src/a.rs; cat \"$f\"; head -2 ${f}", "read src/a.rs; read src/a.rs:1-2"),
        ("for f in a.c b.c; do sed -i 's/x/y/' $f; done", "edit a.c; edit b.c"),
        ("if [ -f a ]; then cat a; else cat b; fi", "read a; read b"),
        ("git -C /repo checkout -- lib.rs", "edit /repo/lib.rs"),
        ("cat \"dir with space/a.txt\" 2>/dev/null || true", "read dir with space/a.txt"),
        ("diff <(cat a) <(cat b)", "read a; read b; run"),
        ("X=$(cat VERSION) && echo $X", "read VERSION"),
        ("cat $HOME/.profile", "read $HOME/.profile"),
    ]);
    assert_eq!(analyse("cd /w/a && cd ../b", None).directory.as_deref(), Some("/w/b"));
}

#[test]
fn only_a_command_that_shows_one_file_as_it_is_shows_it() {
    let shown = |command: &str| {
        let operations = analyse(command, None).operations;
        operations
            .iter()
            .map(|operation| operation.shown)
            .find(|shown| *shown != Shown::No)
            .unwrap_or(Shown::No)
    };
    assert_eq!(shown("cd x && cat a"), Shown::Plain);
    assert_eq!(shown("nl -ba a | sed -n '3,9p'"), Shown::Numbered);
    for command in [
        "cat a b",
        "cat a; cat b",
        "cat a | grep x",
        "cat -A a",
        "echo --; cat a",
        "cat a > b",
        "cat a || echo none",
    ] {
        assert_eq!(shown(command), Shown::No, "{command}");
    }
}

#[test]
fn written_text_is_known_where_the_command_shows_it() {
    let change = |command: &str| analyse(command, None).operations.pop().map(|operation| operation.change);
    assert_eq!(change("cat > f <<'E'\n$a\nE"), Some(Change::Whole("$a\n".into())));
    assert_eq!(change("x=1; cat > f <<E\n$x \"q\"\nE"), Some(Change::Whole("1 \"q\"\n".into())));
    assert_eq!(change("cat > f <<E\n$unknown\nE"), Some(Change::Unknown));
    assert_eq!(change("printf 'a\\nb' > f"), Some(Change::Whole("a\nb".into())));
    assert_eq!(change("echo -n a >> f"), Some(Change::Append("a".into())));
    assert_eq!(change("date > f"), Some(Change::Unknown));
    assert_eq!(change(": > f"), Some(Change::Whole(String::new())));
}

#[test]
fn options_are_no_files() {
    check(&[
        ("grep -rn todo --include='*.rs' src", "search src"),
        ("rg todo -g'*.rs' -g \"*.c\"", "search"),
        ("grep '-x' notes", "search notes"),
        ("gh api x | jq --arg a \"$b\" '.[] | .a / .b'", "run"),
        ("jq --argjson n 1 .a x.json", "read x.json"),
    ]);
}

#[test]
fn variables_without_quotes_are_as_many_words_as_they_hold() {
    check(&[
        ("f='a.c b.c'; cat $f; cat \"$f\"", "read a.c; read b.c; read a.c b.c"),
        ("f='a.c b.c'; for x in $f; do cat $x; done", "read a.c; read b.c"),
        ("f=; cat $f notes", "read notes"),
        ("f=${a:-b c}/d; cat $f", "read ${a:-b c}/d"),
    ]);
}

#[test]
fn commands_run_wherever_they_stand() {
    check(&[
        ("cat <<E\n$(cat VERSION) \"`cat NAME`\"\nE", "read VERSION; read NAME"),
        ("case $(cat mode) in a) cat b;; esac", "read mode; read b"),
        ("[[ $(cat a) = b ]] && cat c", "read a; read c"),
        ("echo ${x:-$(cat a)} $(( $(cat b) + 1 ))", "read a; read b"),
        ("list=($(cat a)); cat b", "read a; read b"),
        ("while read x; do :; done < <(cat a)", "read a"),
        ("make &> >(tee log)", "create log; run!"),
        ("make >& log", "run!; create log"),
        ("select x in a.c; do cat $x; done", "read a.c"),
    ]);
}

#[test]
fn what_is_not_well_formed_is_still_seen() {
    check(&[
        ("cd sub; cat a 'b\ncat c", "read sub/a; read sub/b; read sub/c; run!"),
        ("grep \"a\\|b`\" notes", "search notes; run!"),
        ("cat > f <<E\ncat x", "create f"),
        ("x=$(cat <<E\ncat b\nE)\ncat a", "read a"),
        ("(cat a; cat b", "read a; read b; run!"),
        ("then cat a; fi", "read a; run!"),
    ]);
}

#[test]
fn a_long_command_is_followed_to_a_bound_and_may_do_anything_after_it() {
    let operations = analyse(&"cat a;".repeat(170_000), None).operations;
    assert_eq!(operations.len(), 2_001);
    assert_eq!(operations[2_000].effect, Effect::Anything);
    let doubled = "x=ab;".to_string() + &"x=$x$x;".repeat(60) + "cat $x";
    assert_eq!(analyse(&doubled, None).operations.last().map(|last| last.effect), Some(Effect::Anything));
}

#[test]
fn no_command_is_too_strange() {
    let deep = |open: &str, close: &str, n: usize| format!("{}ls{}", open.repeat(n), close.repeat(n));
    let strange = [
        deep("(", ")", 10_000),
        deep("{ ", "; }", 10_000),
        deep("$(", ")", 10_000),
        deep("if true; then ", "; fi", 5_000),
        deep("bash -c '", "'", 1_000),
        // As deep as is followed, in a shell in a shell.
        (0..8).map(|n| format!("{}bash <<'{n}'\n", "{ (".repeat(24))).collect::<String>() + "cat a",
        // Each would make more than it is long.
        format!("cat > a <<'E'\n{}\nE\n{}", "x\n".repeat(100_000), "cat a > b;".repeat(1_000)),
        format!("cat > a <<'E'\n{}\nE\ncat a | tee {}", "x\n".repeat(50_000), "b ".repeat(50_000)),
        format!("cat > a <<'E'\n{}\nE\n{}", "ls\n".repeat(50_000), "bash a;".repeat(1_000)),
        format!("sed -i '{}' {}", "s/a/b/;".repeat(10_000), "a ".repeat(10_000)),
        format!("sed -n '{}' {}", "1p;".repeat(10_000), "a ".repeat(10_000)),
        format!("git {} status", "-C a ".repeat(50_000)),
        format!("for x in {}; do cat {}; done", "a ".repeat(100), "b ".repeat(50_000)),
        "for x in 1 2 3 4 5 6 7 8 9; do ".repeat(20) + "[[ a ]]" + &"; done".repeat(20),
        "(".repeat(10_000),
        "`".repeat(9_999),
        "\"".repeat(9_999),
        "cat a;".repeat(170_000),
        "x".repeat(1 << 20),
        "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(20) + "cat $a" + &"; done".repeat(20),
        "cat <<".to_string(),
        "cat <<EOF\nnever ends".to_string(),
        // Without an end of line after its empty mark, a here-document once filled the memory.
        "cat <<'' ".to_string(),
        "cat <<'' \\".to_string(),
        "x=$(<<  ".to_string(),
        "<<E$[\t\t".to_string(),
        // Once overflowed the stack, which no one can catch.
        "${".repeat(20_000),
        "$[".repeat(20_000),
        "\"${a[".repeat(20_000),
        "a[".repeat(50_000),
        "\u{0}\u{1}\u{7f}é😀\r\n|||&&&;;;<<<>>>".to_string(),
        "sed -n".to_string(),
        "sed -i".to_string(),
        "head -n".to_string(),
        "git".to_string(),
        "git -C".to_string(),
        "timeout".to_string(),
        "mv".to_string(),
        "awk".to_string(),
    ];
    // What is never closed, where a grammar would backtrack.
    let openers = [
        "( ",
        "{ ",
        "if ",
        "while ",
        "until ",
        "for x in ",
        "case x in ",
        "case x in a) ",
        "! ",
        "[[ ",
        "(( ",
        "$( ",
        "f() { ",
        "if ( ",
        "{ ( ",
    ];
    let unclosed = openers.iter().flat_map(|open| [3, 60, 100_000].map(|n| open.repeat(n) + "ls"));
    for command in strange.into_iter().chain(unclosed) {
        analyse(&command, Some("/w"));
    }
}

//! A session full of markup and scripts is text.

use serde_json::Value;

use crate::agent::request_with;
use crate::support::Stage;

#[test]
fn nothing_of_a_hostile_session_runs_or_loads() {
    let Some(stage) = Stage::set(12_000) else { return };
    let evil = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'></pre></details></script>\
                <script>window.ran = 3</script>\"'><svg onload='window.ran = 4'><style>*{display:none}</style>\
                <a href='javascript:window.ran=5' autofocus onfocus='window.ran=6'>x</a> #123456789 \u{202e}\n";
    let request = |steps| {
        let body = request_with(steps, |nth| (nth % 2 == 0).then(|| evil.repeat(12)));
        body.replace(
            "Make the parser accept tabs",
            "<img src=x onerror='window.ran=9'> Make the parser accept tabs",
        )
        .replace("cargo test part", "echo '<script>window.ran=10</script>' ")
        .replace("src/part", "src/<b onclick=1>part")
    };
    stage.send("s1", request(4));
    stage.enter();
    stage.until("return document.querySelector('a.session') !== null");
    stage.browser.press("a.session");
    stage.until("return document.querySelectorAll('#rows details').length === 10");
    stage.send("s1", request(16));
    stage.until("return document.querySelectorAll('#rows details').length === 36");
    stage.ask("document.querySelectorAll('#rows details').forEach((row) => (row.open = true))");
    stage.until("return [...document.querySelectorAll('#rows details')].every((row) => row.childElementCount === 2 && row.lastChild.textContent !== '…')");
    stage.ask("document.querySelector('.handle')?.click()");
    stage.until("return document.querySelector('dialog[open] pre')?.textContent.length > 20");
    stage.ask("document.querySelector('.strip').dispatchEvent(new PointerEvent('pointermove', {clientX: 400, clientY: 400}))");
    stage.until("return document.querySelector('#ledger').textContent.includes('window.ran=9')");
    assert_eq!(stage.ask("return window.ran ?? null"), Value::Null);
    let made = "return document.querySelectorAll('main img, main svg [onload], main a, main style, dialog img, main b[onclick]').length";
    assert_eq!(stage.number(made), 0, "no element of theirs");
    assert!(stage.text("#rows").contains("<script>window.ran = 1</script>"), "shown as text");
    assert!(!stage.text("body").contains('\u{202e}'), "nothing reorders what is read");
    // A made-up handle opens nothing; the answer says so.
    let lines = stage.browser.console();
    assert!(lines.iter().all(|line| line.contains("404")), "{lines:?}");
    // What slipped in all the same would not run.
    stage.ask("const script = document.createElement('script'); script.textContent = 'window.ran = 7'; document.body.append(script); document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 8\">');");
    assert_eq!(stage.ask("return window.ran ?? null"), Value::Null);
    let console = stage.browser.console().join("\n");
    assert!(console.contains("Content Security Policy"), "{console}");
}

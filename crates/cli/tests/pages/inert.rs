//! A session full of markup and scripts is text.

use serde_json::json;

use crate::support::Page;

/// A user, a call and a result that would like to run something.
fn hostile() -> String {
    let evil = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'></pre></details></script>\
                <script>window.ran = 3</script>\"'><svg onload='window.ran = 4'><style>*{display:none}</style>\
                <a href='javascript:window.ran=5' autofocus onfocus='window.ran=6'>x</a>\n";
    let call = json!({"id": "a", "type": "function", "function": {"name": format!("run{evil}"), "arguments": json!({"path": evil}).to_string()}});
    let lines = [
        json!({"role": "user", "content": evil}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "a", "content": evil.repeat(60)}),
        json!({"role": "user", "content": format!("go on {evil}")}),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

#[test]
fn nothing_of_a_hostile_session_runs_or_loads_on_the_page_of_explain() {
    let Some(page) = Page::of(&["explain", "--budget", "2000"], &hostile()) else { return };
    page.ask("document.getElementById('open').click(); document.querySelectorAll('details').forEach((row) => (row.open = true))");
    page.ask("document.querySelector('.handle')?.click()");
    page.ask("document.querySelector('#strip').dispatchEvent(new PointerEvent('pointermove', {clientX: 400, clientY: 400}))");
    assert_eq!(page.ask("return window.ran ?? null"), serde_json::Value::Null);
    let made = "return document.querySelectorAll('main img, main svg [onload], main a, main style, dialog img').length";
    assert_eq!(page.number(made), 0, "no element of theirs");
    assert_eq!(page.number("return document.querySelectorAll('script').length"), 2, "its own");
    assert!(page.text("#rows").contains("<script>window.ran = 1</script>"), "shown as text");
    page.assert_quiet();
}

#[test]
fn nothing_of_a_hostile_session_runs_or_loads_on_the_page_of_inspect() {
    let Some(page) = Page::of(&["inspect"], &hostile()) else { return };
    assert_eq!(page.ask("return window.ran ?? null"), serde_json::Value::Null);
    assert_eq!(page.number("return document.querySelectorAll('main img, main a, main style').length"), 0);
    assert!(page.text("main").contains("<script>window.ran = 1</script>"), "shown as text");
    page.assert_quiet();
}

#[test]
fn a_script_that_slipped_into_the_page_would_not_run() {
    let Some(page) = Page::of(&["inspect"], &hostile()) else { return };
    page.ask(
        "const script = document.createElement('script');
         script.textContent = 'window.ran = 7';
         document.body.append(script);
         document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 8\">');",
    );
    assert_eq!(page.ask("return window.ran ?? null"), serde_json::Value::Null);
    let console = page.browser.console().join("\n");
    assert!(console.contains("Content Security Policy"), "{console}");
}

//! What a reader opens and presses, and what happens without a reload.

use crate::agent::request;
use crate::support::Stage;

/// A window in which an epoch is opened every ten steps or so.
const WINDOW: usize = 12_000;

#[test]
fn a_newcomer_is_told_what_to_type() {
    let Some(stage) = Stage::set(WINDOW) else { return };
    stage.enter();
    stage.until("return document.querySelector('.newcomer') !== null");
    let text = stage.text(".newcomer");
    assert!(text.contains("enfold run -- claude") && text.contains(&stage.url), "{text}");
    assert_eq!(stage.ask("return location.hash"), "#/", "the token is not left in the address");
    stage.assert_fits("dashboard-empty");
    stage.assert_quiet();
}

#[test]
fn the_token_is_asked_for_and_stays_out_of_every_address() {
    let Some(stage) = Stage::set(WINDOW) else { return };
    stage.browser.go(&stage.url);
    stage.until("return document.activeElement?.type === 'password'");
    stage.assert_fits("dashboard-token");
    stage.browser.type_in("wrong\n");
    stage.until("return document.querySelector('.error')?.textContent.includes('not the token') === true");
    let refused = stage.browser.console();
    assert!(refused.iter().all(|line| line.contains("401")), "{refused:?}");
    stage.browser.type_in(&format!("{}\n", stage.token));
    stage.until("return document.querySelector('.newcomer') !== null");
    stage.assert_quiet();
}

/// The list was made anew with every event: a press that an event fell into opened nothing.
#[test]
fn a_session_opens_although_the_list_changes_under_the_pointer() {
    let Some(stage) = Stage::set(WINDOW) else { return };
    stage.enter();
    stage.send("s1", request(4));
    stage.until("return document.querySelector('a.session') !== null");
    stage.browser.press_slowly("a.session", || {
        stage.send("s1", request(6));
        stage.until("return document.querySelector('a.session').textContent.includes('2answers')");
    });
    stage.until("return location.hash.startsWith('#/s/')");
    stage.until("return document.querySelectorAll('#rows details').length === 14");
    stage.assert_quiet();
}

#[test]
fn gauge_strip_and_events_follow_a_session_that_runs() {
    let Some(stage) = Stage::set(WINDOW) else { return };
    stage.enter();
    stage.until("return document.querySelector('#link').textContent === 'live'");
    stage.send("s1", request(4));
    stage.until("return document.querySelector('a.session') !== null");
    let row = stage.text("a.session");
    assert!(row.contains("claude-code") && row.contains("claude-sonnet-4-5"), "{row}");
    // By keyboard.
    stage.ask("document.querySelector('a.session').focus(); window.mark = 1");
    stage.browser.type_in("\n");
    stage.until("return document.querySelectorAll('#rows details').length === 10");
    let gauge = "return document.querySelector('.gauge').ariaValueNow * 1 || document.querySelector('.gauge').getAttribute('aria-valuenow') * 1";
    let (tokens, width) =
        (stage.number(gauge), stage.number("return document.querySelectorAll('#strip rect').length"));
    assert!(tokens > 1_000 && width >= 1, "{tokens} {width}");
    for steps in 5..=8 {
        stage.send("s1", request(steps));
    }
    stage.until("return document.querySelectorAll('#rows details').length === 18");
    assert!(stage.number(gauge) > tokens, "the gauge rose");
    for steps in [12, 15, 20] {
        stage.send("s1", request(steps));
    }
    stage.until("return document.querySelectorAll('.epochs u').length > 0");
    stage.until("return document.querySelectorAll('#rows details').length === 44");
    let fates = stage.ask("return [...new Set([...document.querySelectorAll('#strip rect')].map((rect) => rect.getAttribute('class')))].sort()");
    assert!(fates.as_array().unwrap().len() >= 2, "kept and something else: {fates}");
    let heard = stage.text(".events");
    for name in ["compaction:start", "compaction:complete", "fold", "usage"] {
        assert!(heard.contains(name), "{name}: {heard}");
    }
    assert_eq!(stage.number("return window.mark"), 1, "without a reload");
    stage.until("return document.querySelector('#money').textContent.includes('$')");
    assert!(stage.text("#ledger").contains("Make the parser accept tabs"));
    assert!(stage.text("#ledger").contains("src/part1.rs"));
    assert!(stage.text("#explain").contains("folds that stand"));
    for steps in [26, 33, 41, 48] {
        stage.send("s1", request(steps));
    }
    stage.until("return document.querySelectorAll('#rows details').length === 100");
    stage.until("return document.querySelector('header .state').textContent === 'idle' && document.querySelector('#main .cards').textContent.includes('12answers')");
    stage.assert_fits("dashboard-session");
    stage.assert_quiet();
    stage.ask("location.hash = '#/'");
    stage.until("return document.querySelector('a.session') !== null");
    stage.send("s2", request(3));
    stage.until("return document.querySelectorAll('a.session').length === 2");
    stage.assert_fits("dashboard-sessions");
    stage.assert_quiet();
}

#[test]
fn an_original_opens_beside_the_view_and_by_its_handle() {
    let Some(stage) = Stage::set(WINDOW) else { return };
    for steps in [4, 12, 20] {
        stage.send("s1", request(steps));
    }
    stage.enter();
    stage.until("return document.querySelector('a.session') !== null");
    stage.browser.press("a.session");
    stage.until("return document.querySelector('#rows details.changed') !== null");
    stage.until("return document.querySelectorAll('.events li').length > 3");
    // Rows get their height when they come into sight: what is pressed must stand still first.
    let place = "const row = document.querySelector('#rows details.changed summary'); row.scrollIntoView({ block: 'center' });
                 const top = row.getBoundingClientRect().top; const stands = window.top_before === top; window.top_before = top; return stands";
    stage.until(place);
    stage.browser.press("#rows details.changed summary");
    stage.until("return document.querySelector('#rows details[open] .two pre') !== null");
    stage.until("return document.querySelector('#rows details[open] .handle') !== null");
    let view = stage.text("#rows details[open] .two pre:last-child");
    stage.picture("dashboard-beside", "#rows details[open]");
    stage.browser.press("#rows details[open] .handle");
    stage.until("return document.querySelector('dialog[open] pre')?.textContent.length > 20");
    let original = stage.text("dialog pre");
    assert!(original.contains("src/part") || original.contains("rule_"), "{original}");
    assert!(!view.contains(&original), "the view does not hold it");
    stage.browser.strike("Escape");
    stage.until("return document.querySelector('dialog[open]') === null");
    // A search finds what the view no longer holds.
    stage.ask("document.querySelector('#rows').parentElement.querySelector('input[type=search]').focus()");
    stage.browser.type_in("value_1_7");
    stage.until("return document.querySelectorAll('.hits i').length === 1");
    assert_eq!(stage.number("return document.querySelectorAll('#rows details:not([hidden])').length"), 1);
    stage.assert_fits("dashboard-opened");
    stage.assert_quiet();
}

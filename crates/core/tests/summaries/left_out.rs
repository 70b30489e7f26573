//! The default policy: what it leaves out, it tells.

use enfold::Cache;
use enfold::session::EpochReason;

use crate::steps::{push_steps, session, texts};

#[test]
fn a_session_is_told_what_was_done_in_the_steps_that_it_does_not_see() {
    let mut session = session("balanced", 4_000);
    let mut told = 0;
    for request in 0..300 {
        push_steps(&mut session, request..request + 1);
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert!(prepared.tokens <= 4_000);
        if prepared.opened == Some(EpochReason::Overflow) {
            let shown = texts(&prepared.messages);
            let block: Vec<&String> = shown.iter().filter(|text| text.contains("<enfold-told>")).collect();
            let has_left = shown.len() < session.history().messages().len();
            assert_eq!(block.len(), usize::from(has_left), "one block: {shown:?}");
            if let [block] = block[..] {
                assert!(block.contains("make step_"), "it names commands: {block}");
                told += 1;
            }
        }
    }
    assert!(told >= 3, "{told}");
}

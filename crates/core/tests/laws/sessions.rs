//! The promises of a running session: views that only grow within an epoch, fit, and hide nothing for good.

use enfold::folding::policy::{POLICIES, Policy};
use enfold::history::History;
use enfold::history::{Item, Message, Slot};
use enfold::view::fold::HandleKey;
use enfold::{Cache, Session};

use crate::drawn::{drawn, runner};
use crate::support::folding::Prepared;
use crate::support::promises::{has_no_errors, new_errors};

/// Pushes the messages of a session one by one and looks at the view before each response.
fn goes_on(whole: &Prepared, policy: &str, limit: usize) {
    let wire = whole.document.wire;
    // Where ids are used again or results are missing, nobody can say which call a new result will answer.
    let is_in_order = has_no_errors(whole);
    let key = HandleKey::new(b"secret", "session");
    let mut session = Session::new(wire, Policy::named(policy).unwrap(), limit).with_handles(key);
    let (mut before, mut epoch) = (Vec::new(), 0);
    for (nth, message) in whole.history().message_ids().zip(whole.history().messages()) {
        match message.slot {
            Slot::List => session.push(message.raw.clone()).unwrap(),
            Slot::Head => session.push_head(message.raw.clone()).unwrap(),
        };
        // Now and then the provider has forgotten everything.
        let cache = if nth.index() % 7 == 6 { Cache::Cold } else { Cache::Warm };
        let Ok(prepared) = session.prepare(cache) else { continue };
        let name = format!("{policy} to {limit} after message {nth}");
        let (is_new, sent) = (prepared.opened.is_some(), prepared.messages.to_vec());
        assert!(prepared.tokens <= limit, "{name}: {} tokens", prepared.tokens);
        assert_eq!(prepared.epoch, epoch + u32::from(is_new), "{name}");
        epoch = prepared.epoch;
        assert!(is_new || sent.starts_with(&before), "{name}: what was sent changed within an epoch");
        assert!(
            before.starts_with(&sent[..prepared.unchanged]),
            "{name}: what is said to be unchanged is not"
        );
        let mut history = History::new();
        if let Some(head) = &prepared.head {
            history.push(head.clone(), wire.read_head(head).unwrap());
        }
        for raw in &sent {
            history.push(raw.clone(), wire.read_message(raw).unwrap());
        }
        let tokens = prepared.tokens;
        let view = whole.with_history(history);
        assert_eq!(view.tally.total(), tokens, "{name}: counted on the result");
        if is_in_order {
            let so_far = whole.with_history(session.history().clone());
            assert_eq!(new_errors(&so_far, &view), Vec::<String>::new(), "{name}");
        }
        for message in session.history().messages() {
            let is_shown = message.slot == Slot::Head || sent.contains(&message.raw);
            assert!(is_shown || opens(&session, message), "{name}: {} is nowhere", message.raw);
        }
        before = sent;
    }
}

/// Whether an original holds the message, or a part of it that the view shows otherwise.
fn opens(session: &Session, message: &Message) -> bool {
    session.originals().keys().any(|handle| {
        let original = session.original(*handle).unwrap();
        let is_part = |item: &Item| {
            message.raw[item.span.range()] == *original
                || item.texts.iter().any(|text| text.value == original)
        };
        original.contains(&*message.raw) || message.item_ids().any(|id| is_part(session.history().item(id)))
    })
}

#[test]
fn views_only_grow_within_an_epoch() {
    let held = runner().run(&drawn(), |drawn| {
        let Some(whole) = drawn.prepared() else { return Ok(()) };
        for (policy, _) in POLICIES {
            goes_on(&whole, policy, drawn.asked(&whole).limit);
        }
        Ok(())
    });
    if let Err(broken) = held {
        panic!("{broken}");
    }
}

//! Opening a handle of a view from the session file that the view was made of.

use bytestring::ByteString;
use enfold::file::document::Document;
use enfold::understand::facts::{Facts, Understanding};
use enfold::view::fold::Handle;
use enfold::view::search::{Search, search};
use enfold::wire;

use crate::failure::Failure;
use crate::folding::{handle_key, in_wire, usual_wire};
use crate::input::Input;
use crate::progress::Progress;

/// The original of a handle. Whatever format the view was written in: the one that `fold` writes unless told otherwise
/// is looked at first.
pub fn reopen(read: &Document, handle: Handle, file: &Input) -> Result<ByteString, Failure> {
    let usual = usual_wire(read);
    let others = wire::WIRES.iter().copied().filter(|wire| wire.name() != usual.name());
    let mut given_up = None;
    for wire in std::iter::once(usual).chain(others) {
        // What a format cannot say at all was no view either.
        let Ok((document, _)) = in_wire(read.clone(), wire, file) else { continue };
        let _progress = Progress::spinner("looking for the original");
        let mut facts = Facts::new(Understanding::default());
        facts.update(&document.history);
        match search(&document.history, facts.tracker(), &handle_key(&document), handle) {
            Search::Found(original) => {
                return original.read(&document.history).ok_or_else(|| unknown(handle, file, None));
            }
            Search::GivenUp(messages) => given_up = given_up.or(Some(messages)),
            Search::Nothing => {}
        }
    }
    Err(unknown(handle, file, given_up))
}

fn unknown(handle: Handle, file: &Input, given_up: Option<usize>) -> Failure {
    if let Some(messages) = given_up {
        let cause = format!(
            "it is no text of {file} and no run of up to {messages} messages; longer runs take too long"
        );
        let remedy = "fold with --blobs DIR, or take the session into a store: both keep originals at hand";
        return Failure::new(handle, cause, remedy);
    }
    let cause = format!("nothing in {file} has this handle");
    let remedy = "name the session file that was folded, not its view, with the same first message; a view that an agent or \
                  a store made opens with --store FILE, one made with --blobs DIR with that folder";
    Failure::new(handle, cause, remedy)
}

//! `enfold sessions export`.

use enfold_store::Transfer;

use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::stored::{self, failed};

/// Writes all of a session.
pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let store = stored::open(&args.store)?;
    let session = stored::find(&store, &args.id)?;
    let mut lines = Vec::new();
    {
        let _progress = Progress::spinner("reading the store");
        let portable = store.take_out(&session.session.id).map_err(failed)?;
        portable.write(&mut lines).expect("memory takes what is written");
    }
    let text = String::from_utf8(lines).expect("JSON is UTF-8");
    output::write(args.output.as_deref(), &text)
}

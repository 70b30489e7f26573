//! `enfold unfold`: what a fold hides, byte for byte.

use crate::args::UnfoldArgs;
use crate::failure::Failure;
use crate::{blobs, output};

/// Prints it.
pub fn run(args: UnfoldArgs) -> Result<(), Failure> {
    let folder = blobs::folder(args.blobs.blobs.as_ref())?;
    output::print_bytes(&blobs::open(folder, &args.handle)?)
}

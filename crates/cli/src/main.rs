//! The `enfold` command.
fn main() {}

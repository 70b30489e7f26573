//! Compiles the few lines of C that see what Rust's start-up hides: `src/closed_output.c`.

fn main() {
    println!("cargo:rerun-if-changed=src/closed_output.c");
    let is_unix = std::env::var_os("CARGO_CFG_UNIX").is_some();
    if is_unix {
        // Nothing refers to it by name, so all of it is taken.
        cc::Build::new()
            .file("src/closed_output.c")
            .link_lib_modifier("+whole-archive")
            .compile("closed_output");
    }
}

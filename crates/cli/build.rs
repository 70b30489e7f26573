//! Compiles the few lines of C that see what Rust's start-up hides: `src/closed_output.c`. Only the program has them: they
//! would change the environment of a host that carries the command as a library.

fn main() {
    println!("cargo:rerun-if-changed=src/closed_output.c");
    let is_unix = std::env::var_os("CARGO_CFG_UNIX").is_some();
    if is_unix {
        // As an object, not a library: nothing refers to it by name.
        for object in cc::Build::new().file("src/closed_output.c").compile_intermediates() {
            println!("cargo:rustc-link-arg-bins={}", object.display());
        }
    }
}

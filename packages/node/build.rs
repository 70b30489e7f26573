//! Tells the linker that Node brings the functions of N-API.

fn main() {
    napi_build::setup();
}

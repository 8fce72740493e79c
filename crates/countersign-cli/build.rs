//! Builds the crate again when a file of the built console comes or goes: the files are inside the binary.

fn main() {
    // Cargo reads this on standard output; nothing else is done here.
    #[allow(clippy::print_stdout, reason = "this is how a build script speaks to Cargo")]
    {
        println!("cargo:rerun-if-changed=../../console/dist");
        println!("cargo:rerun-if-changed=build.rs");
    }
}

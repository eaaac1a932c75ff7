use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use super::Transport;
use super::thread_io::{ThreadReader, ThreadWriter};

/// The connection over this process's standard input and output.
///
/// Both are taken away from everybody else: they move to descriptors that no child inherits;
/// descriptor 1 becomes another name of stderr, so that a stray print of a dependency or a child
/// cannot get between the lines, and descriptor 0 becomes empty.
///
/// # Errors
/// When the descriptors cannot be moved.
pub fn stdio() -> io::Result<Transport> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok(Transport::over(
        ThreadReader::of(File::from(input))?,
        ThreadWriter::of(File::from(output))?,
    ))
}

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Lines waiting for stderr; more are dropped.
const QUEUE: usize = 1024;
/// The most bytes of one.
const LINE_BYTES: usize = 16 * 1024;

/// A writer to stderr that never waits: when nobody reads stderr, or it is closed, lines are
/// dropped and the work goes on. Clones share it.
#[derive(Clone)]
pub struct Diagnostics {
    lines: SyncSender<Told>,
}

enum Told {
    Line(Vec<u8>),
    Drained(SyncSender<()>),
}

impl Diagnostics {
    /// Starts the thread that writes.
    pub fn to_stderr() -> Self {
        Self::over(io::stderr())
    }

    fn over(output: impl Write + Send + 'static) -> Self {
        let (lines, told) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new().name("diagnostics".to_owned());
        // Without the thread every line is dropped, and there is nobody to tell.
        let _ = thread.spawn(move || write(&told, output));
        Self { lines }
    }

    /// Waits until what was said is written, `patience` at most.
    pub fn drain(&self, patience: Duration) {
        let (drained, done) = sync_channel(1);
        if self.lines.try_send(Told::Drained(drained)).is_ok() {
            // Late is as good as lost: the process is ending.
            let _ = done.recv_timeout(patience);
        }
    }
}

fn write(told: &Receiver<Told>, mut output: impl Write) {
    while let Ok(told) = told.recv() {
        match told {
            // A stderr that cannot be written stops nobody.
            Told::Line(line) => drop(output.write_all(&line)),
            Told::Drained(drained) => drop(drained.try_send(())),
        }
    }
}

impl Write for Diagnostics {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let kept = &line[..line.len().min(LINE_BYTES)];
        // Full means that nobody reads: the line is dropped.
        let _ = self.lines.try_send(Told::Line(kept.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier, Mutex};

    use super::*;

    struct Stuck(Arc<Barrier>);

    impl Write for Stuck {
        fn write(&mut self, _line: &[u8]) -> io::Result<usize> {
            self.0.wait();
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(line);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_a_stderr_that_takes_nothing() {
        let mut diagnostics = Diagnostics::over(Stuck(Arc::new(Barrier::new(2))));
        for _ in 0..2 * QUEUE {
            diagnostics.write_all(b"line\n").unwrap();
        }
        diagnostics.drain(Duration::from_millis(1));
    }

    #[test]
    fn what_was_said_is_written_once_drained() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let mut diagnostics = Diagnostics::over(Kept(Arc::clone(&kept)));
        diagnostics.write_all(b"one\n").unwrap();
        diagnostics.write_all(b"two\n").unwrap();
        diagnostics.drain(Duration::from_secs(10));
        assert_eq!(*kept.lock().unwrap(), b"one\ntwo\n");
    }
}

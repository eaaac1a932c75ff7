//! Nothing outside the workspace is reached, whatever the path, the links or the moment.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use threadkeep::kernel::tool::EffectState;

use super::{Place, names};

/// Paths that lead outside, in a workspace prepared by [`with_links`].
fn leading_out(place: &Place) -> Vec<String> {
    let outside = place.outside().join("secret");
    let root = place.path("");
    let mut paths: Vec<String> = [
        "../outside/secret",
        "sub/../../outside/secret",
        "/etc/passwd",
        "/proc/self/cwd/Cargo.toml",
        "/proc/self/root/etc/passwd",
        "out_file",
        "out_dir/secret",
        "out_dir/new",
        "out_dangling",
        "out_absolute",
        "out_twice",
        "cwd/Cargo.toml",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.push(outside.to_str().unwrap().to_owned());
    paths.push(format!("{}../outside/secret", root.to_str().unwrap()));
    paths
}

fn with_links() -> Place {
    let place = Place::with(&[("inside", "text\n"), ("sub/file", "text\n")]);
    let secret = place.outside().join("secret");
    for (link, target) in [
        ("out_file", "../outside/secret"),
        ("out_dir", "../outside"),
        ("out_dangling", "../outside/new"),
        ("out_absolute", secret.to_str().unwrap()),
        ("out_twice", "out_dir/secret"),
        ("cwd", "/proc/self/cwd"),
        ("in_file", "sub/../inside"),
        ("in_dir", "./sub"),
        ("in_absolute", place.path("sub").to_str().unwrap()),
        ("in_dangling", "sub/new"),
    ] {
        symlink(target, place.path(link)).unwrap();
    }
    place
}

#[tokio::test]
async fn what_leads_outside_cannot_be_read() {
    let place = with_links();
    for path in leading_out(&place) {
        for (tool, args) in [
            ("read_file", json!({ "path": path })),
            ("list_dir", json!({ "path": path })),
            ("glob", json!({ "path": path, "pattern": "*" })),
            ("grep", json!({ "path": path, "pattern": "secret" })),
        ] {
            let said = place.refused(tool, args).await;
            assert!(said.contains("outside the workspace"), "{path}: {said}");
        }
    }
    assert_eq!(names(&place.outside()), ["secret"]);
}

#[tokio::test]
async fn a_link_that_stays_inside_is_read_through() {
    let place = with_links();
    let absolute = place.path("inside");
    for path in [
        "in_file",
        "in_dir/file",
        "in_absolute/file",
        "in_dir/../inside",
        absolute.to_str().unwrap(),
    ] {
        let text = place.call("read_file", json!({ "path": path })).await;
        assert_eq!(text.as_deref(), Ok("text\n"), "{path}");
    }
    assert_eq!(place.bytes("inside"), b"text\n");
}

#[tokio::test]
async fn what_leads_outside_cannot_be_written() {
    let place = with_links();
    for path in leading_out(&place) {
        for (tool, args) in [
            ("write_file", json!({ "path": path, "content": "x" })),
            (
                "edit_file",
                json!({ "path": path, "old_string": "secret", "new_string": "x" }),
            ),
        ] {
            let said = place.refused(tool, args).await;
            assert!(said.contains("outside the workspace"), "{path}: {said}");
        }
    }
    assert_eq!(names(&place.outside()), ["secret"]);
    let secret = fs::read(place.outside().join("secret")).unwrap();
    assert_eq!(secret, b"secret\n");
}

#[tokio::test]
async fn a_link_that_stays_inside_is_written_through_and_kept() {
    let place = with_links();
    for (link, target) in [
        ("in_file", "inside"),
        ("in_absolute/file", "sub/file"),
        ("in_dangling", "sub/new"),
        ("in_dir/new/file", "sub/new_dir/file"),
    ] {
        let link = link.replace("new/", "new_dir/");
        if !target.contains("new") {
            let read = place.call("read_file", json!({ "path": link })).await;
            assert!(read.is_ok(), "{link}");
        }
        let args = json!({ "path": link, "content": link });
        let (tool, plan) = place.plan("write_file", &args).await.unwrap();
        assert_eq!(plan.grant.scope, target);
        assert_eq!(plan.effects[0].target, target);
        assert!(!place.run((tool, plan)).await.is_error);
        assert_eq!(place.bytes(target), link.as_bytes());
    }
    for link in ["in_file", "in_dangling", "in_absolute", "in_dir"] {
        assert!(place.path(link).is_symlink(), "{link}");
    }
}

#[tokio::test]
async fn a_path_that_becomes_a_link_between_plan_and_run_is_refused() {
    let place = Place::with(&[("sub/file", "text\n"), ("file", "text\n")]);
    fs::write(place.outside().join("file"), "text\n").unwrap();
    let mut planned = Vec::new();
    for path in ["sub/file", "sub/new", "file", "new"] {
        if !path.ends_with("new") {
            let read = place.call("read_file", json!({ "path": path })).await;
            assert!(read.is_ok());
        }
        let args = json!({ "path": path, "content": "changed\n" });
        planned.push(place.plan("write_file", &args).await.unwrap());
    }
    fs::remove_dir_all(place.path("sub")).unwrap();
    symlink("../outside", place.path("sub")).unwrap();
    fs::remove_file(place.path("file")).unwrap();
    symlink("../outside/file", place.path("file")).unwrap();
    symlink("../outside/new", place.path("new")).unwrap();
    for planned in planned {
        let outcome = place.run(planned).await;
        assert!(outcome.is_error);
        let state = outcome.receipts[0].state;
        assert_eq!(state, EffectState::DidNotHappen, "{}", outcome.content);
    }
    assert_eq!(names(&place.outside()), ["file", "secret"]);
    assert_eq!(fs::read(place.outside().join("file")).unwrap(), b"text\n");
    assert_eq!(names(&place.path("")), ["file", "new", "sub"]);
}

/// Somebody swaps a directory for a link that leads outside, as fast as possible.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_swapped_for_a_link_all_the_time_never_leads_outside() {
    const WRITES: usize = 300;
    let place = Arc::new(Place::with(&[("sub/file", "text\n"), ("a", "")]));
    fs::write(place.outside().join("file"), "secret\n").unwrap();
    let (done, swaps) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let (sub, link) = (place.path("sub"), place.path("link"));
    symlink("../outside", &link).unwrap();
    let (stop, count) = (Arc::clone(&done), Arc::clone(&swaps));
    let swapper = std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (mut happened, mut refused) = (0, 0);
    // Each attempt fails when the link is there; enough must find the directory.
    for n in 0..WRITES * 100 {
        if happened >= WRITES && refused >= WRITES {
            break;
        }
        let path = format!("sub/new{}/file", n % 7);
        let args = json!({ "path": path, "content": "x\n" });
        let written = place.call("write_file", args).await;
        let seen = place.call("read_file", json!({ "path": "sub/file" })).await;
        for said in [&written, &seen] {
            match said {
                Ok(said) => {
                    assert!(!said.contains("secret"));
                    happened += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    done.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    assert!(
        happened >= WRITES && refused >= WRITES,
        "{happened} {refused}"
    );
    assert!(swaps.load(Ordering::Relaxed) > WRITES);
    assert_eq!(names(&place.outside()), ["file", "secret"]);
}

//! Nothing outside the workspace is reached, whatever the path, the links or the moment.

use std::os::unix::fs::symlink;

use serde_json::json;

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
        for tool in ["read_file", "list_dir"] {
            let said = place.refused(tool, json!({ "path": path })).await;
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

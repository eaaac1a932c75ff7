use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::tempdir;
use threadkeep::store::Store;
use threadkeep::store::proof::{KEY_FILE, Key, MAX_EVENTS, MAX_PAYLOAD_BYTES, PREDICATE_TYPE};

use super::ledger::Example;
use super::{block, text_of};

#[tokio::test]
async fn the_checkpoint_of_the_example_is_what_the_program_signs() {
    let page = text_of("docs/PROOFS.md");
    let dir = tempdir().unwrap();
    let database = Example::read().written(&dir).await;
    let path = dir.path().join(KEY_FILE);
    fs::write(&path, block(&page, "pem")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let key = Key::read(&path, Some("example.com/ledger".parse().unwrap())).unwrap();
    let store = Store::open_read_only(database.parent().unwrap())
        .await
        .unwrap();
    let signed = store.sign_checkpoint(&key, None).await.unwrap();
    assert_eq!(signed.note.to_string(), block(&page, "text"));
    assert_eq!(key.verifier().to_string(), block(&page, "vkey").trim());
}

#[test]
fn the_page_has_the_names_and_bounds_of_the_program() {
    let page = text_of("docs/PROOFS.md");
    let script = text_of("queries/audit/verify_evidence.py");
    let help = text_of("src/cli/evidence/export.rs");
    assert!(page.contains(PREDICATE_TYPE) && script.contains(PREDICATE_TYPE));
    assert_eq!((MAX_EVENTS, MAX_PAYLOAD_BYTES), (50_000, 32 << 20));
    assert!(page.contains("50,000 events and 32 MiB") && help.contains("50000 events and 32 MiB"));
}

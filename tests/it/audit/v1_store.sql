-- A store as the first schema version wrote it (sqlite3 .dump).
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE refinery_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));
INSERT INTO refinery_schema_history VALUES(1,'ledger','2026-12-01T04:42:20.83364444Z','1727670788856199664');
CREATE TABLE event (
    -- Commit order over the whole store.
    event_id        INTEGER PRIMARY KEY CHECK (event_id > 0),
    thread_id       TEXT    NOT NULL CHECK (length(thread_id) BETWEEN 1 AND 160),
    -- 1, 2, 3 … along the thread; a fork goes on counting from the event it forks at.
    event_seq       INTEGER NOT NULL CHECK (event_seq > 0),
    event_type      TEXT    NOT NULL CHECK (event_type GLOB '[a-z]*.[a-z]*' AND length(event_type) <= 64),
    turn_id         TEXT    CHECK (length(turn_id) BETWEEN 1 AND 160),
    item_id         TEXT    CHECK (length(item_id) BETWEEN 1 AND 160),
    tool_use_id     TEXT    CHECK (length(tool_use_id) BETWEEN 1 AND 160),
    approval_id     TEXT    CHECK (length(approval_id) BETWEEN 1 AND 160),
    trace_id        TEXT    CHECK (length(trace_id) BETWEEN 1 AND 160),
    parent_id       TEXT    CHECK (length(parent_id) BETWEEN 1 AND 160),
    idempotency_key TEXT    CHECK (length(idempotency_key) BETWEEN 1 AND 256),
    at              INTEGER NOT NULL CHECK (at >= 0),
    -- The exact bytes that were hashed; JSON. NULL once erased.
    payload         TEXT    CHECK (json_valid(payload)),
    -- Random bytes hashed before the payload, so that a digest cannot be guessed from a short
    -- payload. NULL once erased.
    salt            BLOB    CHECK (length(salt) = 16),
    payload_digest  BLOB    NOT NULL CHECK (length(payload_digest) = 32),
    prev_hash       BLOB    NOT NULL CHECK (length(prev_hash) = 32),
    hash            BLOB    NOT NULL CHECK (length(hash) = 32),
    CHECK ((payload IS NULL) = (salt IS NULL))
) STRICT;
INSERT INTO event VALUES(1,'docs',1,'thread.started',NULL,NULL,NULL,NULL,NULL,NULL,'docs',1796092940809,'{"title":"About docs","request":{"method":"thread/start","digest":"sha256:46b42b4229cd7a39c564e780bb665a8bde4fdf722007e8473f167fe53ed4b995"}}',X'a554a6d8b18a7aae5fe8367fcf2939c0',X'e96369ed074849d87aad34f1fb3edfdcff86a239461ef511667aedf74bf001cd',X'0000000000000000000000000000000000000000000000000000000000000000',X'c8d7d7f77e05c60aafa3ae28e8712063b81e8ea73379172d05ff8ab28fdad628');
INSERT INTO event VALUES(2,'docs',2,'turn.started','docs-1',NULL,NULL,NULL,NULL,NULL,'job-1',1796092944511,'{"ownerId":"01a22fe9-2f23-702f-9305-92cf41130960","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812","request":{"method":"turn/start","digest":"sha256:fdface228fc447af9bdcf1511dd921048bc4e307d681781dc823df348926aa5a"}}',X'a1d2f2d4661c7ba68ed4b071ace3d872',X'84b13c228c9c13bbd0ab39ac766e043124f7fd8f68c6a5a1d8b6cbbf5c1ff4e9',X'c8d7d7f77e05c60aafa3ae28e8712063b81e8ea73379172d05ff8ab28fdad628',X'd73d57cfb66bc3f34a98f4501c46d7474c10c30aad0835ef990f63f6cc99e106');
INSERT INTO event VALUES(3,'docs',3,'item.started','docs-1','01a22fe9-2f31-7291-bf64-993a9aee72a2',NULL,NULL,NULL,NULL,'01a22fe9-2f31-7291-bf64-993a9aee72a2/started',1796092944511,'{"kind":"user_message","status":"started"}',X'81b4f56728c8cbb64c83a690fd6a1639',X'67013b0d0e9e777806d3a419661b93fec7b75f231a9924e91fc9eb0fbb70adee',X'd73d57cfb66bc3f34a98f4501c46d7474c10c30aad0835ef990f63f6cc99e106',X'41e5b7656d09c03fa9d9f84482cd741208fd098757553ba74c15a0e3f33a39c6');
INSERT INTO event VALUES(4,'docs',4,'item.completed','docs-1','01a22fe9-2f31-7291-bf64-993a9aee72a2',NULL,NULL,NULL,NULL,'01a22fe9-2f31-7291-bf64-993a9aee72a2/completed',1796092944511,'{"kind":"user_message","status":"completed","content":{"text":"what is here?"}}',X'8ad968ac60eca01b46b1cd5714887b80',X'df29a59a9cbacdc3346e738c300e5807e0dda115c30db3c0523586fddcbd5313',X'41e5b7656d09c03fa9d9f84482cd741208fd098757553ba74c15a0e3f33a39c6',X'b6c43b326e58f45ed9726b079ed739482df832870fc7c82a787c67d2fc915771');
INSERT INTO event VALUES(5,'docs',5,'item.started','docs-1','01a22fe9-2f33-75e1-9ee3-05a3d0c26dc8',NULL,NULL,NULL,NULL,NULL,1796092945745,'{"kind":"assistant_message","status":"streaming"}',X'8f00a2bb2391cf1dff152140ca1d3cca',X'5bfa606ceb9e1cb46bb364ae5d966e957726ee3950a1d7d3b80fea87bce47860',X'b6c43b326e58f45ed9726b079ed739482df832870fc7c82a787c67d2fc915771',X'44b749a0b0d57b62f003b573fb76521718c5cf0c30c7b6a50a8e551d77369d98');
INSERT INTO event VALUES(6,'docs',6,'item.delta','docs-1','01a22fe9-2f33-75e1-9ee3-05a3d0c26dc8',NULL,NULL,NULL,NULL,NULL,1796092945745,'{"delta":{"type":"text_delta","text":"I will"}}',X'd8adfb36e38b605d53ad2d71261bb90b',X'f0fd3b5b2f95ff3e6f2ab0d010f7f5a1605699a18be763078c3839a0a0f888cc',X'44b749a0b0d57b62f003b573fb76521718c5cf0c30c7b6a50a8e551d77369d98',X'cbde2dab08af69911731a6abd652990a4370db52ffb20df81e382a0d7f9c68f8');
INSERT INTO event VALUES(7,'docs',7,'item.delta','docs-1','01a22fe9-2f33-75e1-9ee3-05a3d0c26dc8',NULL,NULL,NULL,NULL,NULL,1796092945745,'{"delta":{"type":"text_delta","text":" look."}}',X'db952b14baefedf0dc757db3f333c1d9',X'807533f1dde8181a6b332348af4c99ff8edc3dab45c291d833776a8134b6b753',X'cbde2dab08af69911731a6abd652990a4370db52ffb20df81e382a0d7f9c68f8',X'451472a66cba564709026322720914aae66f669d7c0e069828c9f8ffdee3cdcb');
INSERT INTO event VALUES(8,'docs',8,'item.completed','docs-1','01a22fe9-2f33-75e1-9ee3-05a3d0c26dc8',NULL,NULL,NULL,NULL,NULL,1796092945745,'{"kind":"assistant_message","status":"completed","content":{"text":"I will look."}}',X'4cc03c892174511def9fe621bac72d80',X'e2717e9dca03625ce213a391ebb109918bdcfa67719c35d6cc7497e0380a8996',X'451472a66cba564709026322720914aae66f669d7c0e069828c9f8ffdee3cdcb',X'aa8a77e3909207c125703834cad2f7ba80d42cdce5b15210ac91264580b42669');
INSERT INTO event VALUES(9,'docs',9,'item.started','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e',NULL,NULL,NULL,NULL,1796092946979,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f33-75e1-9ee3-05a56062b40e","callId":"call","tool":"shell","args":{"what":"ls"}}}',X'8eb3c4e0ecdb04c19a85c28145332044',X'95b64a5fcdc4ab29c2c047a4aaf03a9941f4ab44d8e2767f28cf56cdbbf6d334',X'aa8a77e3909207c125703834cad2f7ba80d42cdce5b15210ac91264580b42669',X'8ba51f971b63af3e82d1a94870626e97139cf6d8d7eeebf90391c8ccca318b68');
INSERT INTO event VALUES(10,'docs',10,'tool.requested','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e',NULL,NULL,NULL,NULL,1796092946979,'{"tool":"shell","args":{"what":"ls"}}',X'6387a0e60a03df753db35a5e59d1822a',X'70d619a999e11995d386f256d9f12be776b6512f907b00cca038251c096a942b',X'8ba51f971b63af3e82d1a94870626e97139cf6d8d7eeebf90391c8ccca318b68',X'779f160c3b8425634b9488c28ffe36f367d14d2106b42e4394d203f91e40390c');
INSERT INTO event VALUES(11,'docs',11,'approval.requested','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e','01a22fe9-2f33-75e1-9ee3-05a63a2e6a25',NULL,NULL,NULL,1796092946979,'{"request":{"id":"01a22fe9-2f33-75e1-9ee3-05a63a2e6a25","binding":{"threadId":"docs","turnId":"docs-1","itemId":"01a22fe9-2f33-75e1-9ee3-05a450caab00","operationDigest":"sha256:c7b68ac37f364473e922936708e7f43c293dd07b295171566c07ff5fe024fab9","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812","nonce":"01a22fe9-2f33-75e1-9ee3-05a63a2e6a25","expiresAt":"2030-01-02T03:04:05.678Z"},"operation":{"tool":"shell","what":"ls"},"risk":"high","reason":"it changes something"}}',X'89d528803e2e4d41a29c75273552bc45',X'400f84cb9e97104da5435b0d36e654fccdc5967efce878dd3311d885dc8a764c',X'779f160c3b8425634b9488c28ffe36f367d14d2106b42e4394d203f91e40390c',X'e96d39a4881e06aab8adccec3822ca163cfa8f173eda5aa8527a2aa6ed0c9e81');
INSERT INTO event VALUES(12,'docs',12,'approval.resolved','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e','01a22fe9-2f33-75e1-9ee3-05a63a2e6a25',NULL,NULL,NULL,1796092948213,'{"approved":true,"via":"host","decision":{"kind":"acceptOnce"}}',X'a8e76d4504724152cf7a9a5214514f54',X'c1f8055fa0c81c962087013a7d22c685feb572a26cb2fd2950a2d9476075a884',X'e96d39a4881e06aab8adccec3822ca163cfa8f173eda5aa8527a2aa6ed0c9e81',X'3f370ec8a2554f98ef5f171370cb860988b1441be5f4e7c0b6cff10dab6441a6');
INSERT INTO event VALUES(13,'docs',13,'effect.intended','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e',NULL,NULL,NULL,NULL,1796092949447,'{"effectId":"01a22fe9-2f33-75e1-9ee3-05a7dcafcec8","kind":"process.exec","target":"ls","argsDigest":"sha256:c7b68ac37f364473e922936708e7f43c293dd07b295171566c07ff5fe024fab9"}',X'6c22c4fad0ace679c596168d11600d92',X'3d0614904e7154287e162d1831727ee2fc6807790a0ed04647df55857006ab09',X'3f370ec8a2554f98ef5f171370cb860988b1441be5f4e7c0b6cff10dab6441a6',X'f389f1139e116b28c771b4c15f7fae86b9a1163b327c0c06b5cfd8471b5d404e');
INSERT INTO event VALUES(14,'docs',14,'effect.settled','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e',NULL,NULL,NULL,NULL,1796092950681,'{"effectId":"01a22fe9-2f33-75e1-9ee3-05a7dcafcec8","state":"happened","exitCode":0,"details":{"bytes":3}}',X'902c7358a3e5a2985cbf136b520b29d6',X'4b51375d53368f81f8311dde6655553c7932d48ba855257cc93c792659b876f4',X'f389f1139e116b28c771b4c15f7fae86b9a1163b327c0c06b5cfd8471b5d404e',X'64eb150a5a98d07b9134a94994ac20cc4aa43adf1649d3adb88c5473b4f7db97');
INSERT INTO event VALUES(15,'docs',15,'tool.result','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e',NULL,NULL,NULL,NULL,1796092951915,'{"tool":"shell","isError":false,"error":null,"result":"done","permissionDecision":"approved"}',X'17c835ddaee6205b83f48ba6274ab9c9',X'44e22f417e00ff79461ac85e3fa3bb025d2b7ae7dc8d2d932d377f53a449c42e',X'64eb150a5a98d07b9134a94994ac20cc4aa43adf1649d3adb88c5473b4f7db97',X'8bc6cbac2f533a8c884b5374d53cd25c231ec9f49c0a88f465f052951f555470');
INSERT INTO event VALUES(16,'docs',16,'item.completed','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e',NULL,NULL,NULL,NULL,1796092951915,'{"kind":"tool","status":"completed","content":{"toolUseId":"01a22fe9-2f33-75e1-9ee3-05a56062b40e","callId":"call","tool":"shell","args":{"what":"ls"},"result":"done","isError":false,"details":{"bytes":3}}}',X'c67a83c92bdf55d5ad81ea0df75b4627',X'573670f53d0869f3eed51fa0e53d57f6fed1a6c3c854b9a6ff6e7b613bd93f8f',X'8bc6cbac2f533a8c884b5374d53cd25c231ec9f49c0a88f465f052951f555470',X'7f14cd4aeb91cfc665bb1bfc63c943e036e80bdec6b00d3f7f9a67f5bc450b2b');
INSERT INTO event VALUES(17,'docs',17,'usage.recorded','docs-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092953149,'{"model":"rehearsal/default","inputTokens":70,"outputTokens":5,"stop":"end_turn","durationMs":40}',X'2b27554d8d36a31902d7d550edcd8f52',X'e15017e57419554e4ad8b38d5e3558353a1976df9fcf0ac2012aa7ac08cb2976',X'7f14cd4aeb91cfc665bb1bfc63c943e036e80bdec6b00d3f7f9a67f5bc450b2b',X'def348e45674932ef09e77bb85fcc0182e034709bb292d81fcb3029be311e02d');
INSERT INTO event VALUES(18,'docs',18,'turn.completed','docs-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092954383,'{"evidence":{"status":"succeeded","usage":{"inputTokens":70,"outputTokens":5}},"error":null}',X'aef6f16c15df98d522b0309f2eb0cebe',X'429631432435a785bbbcf8a9e651af6082ea71186bb288228aeed2b9813a1a41',X'def348e45674932ef09e77bb85fcc0182e034709bb292d81fcb3029be311e02d',X'45b286dec5f85d6db17f0562f445ee56bb7cdd95b1f98c1d41b0078e52743761');
INSERT INTO event VALUES(19,'docs',19,'turn.started','docs-2',NULL,NULL,NULL,NULL,NULL,NULL,1796092956851,'{"ownerId":"01a22fe9-2f23-702f-9305-92cf41130960","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"}',X'7822a5fe0020d021ab8398c28fe2ff1a',X'c4959cfef0fa7dcd99a401046be009ec78316b69c2da2a5e6d7dfef48506b5ab',X'45b286dec5f85d6db17f0562f445ee56bb7cdd95b1f98c1d41b0078e52743761',X'730f7b6422c4b8d0faa045535b09e6ea4b6addf2f33f992571249b3bf94922d6');
INSERT INTO event VALUES(20,'docs',20,'item.started','docs-2','01a22fe9-2f35-713f-bebb-945680474f4d',NULL,NULL,NULL,NULL,'01a22fe9-2f35-713f-bebb-945680474f4d/started',1796092956851,'{"kind":"user_message","status":"started"}',X'b00b3f1cbd6df362880ebf38dd073f80',X'46c599f8fabe8c58f3447e673972557845be4fd19823473a46cfde79914eacf2',X'730f7b6422c4b8d0faa045535b09e6ea4b6addf2f33f992571249b3bf94922d6',X'c7e351b4efb38d9b5dfc9f850efdcc0092978f250c7c59c5ecfac4379040f2a2');
INSERT INTO event VALUES(21,'docs',21,'item.completed','docs-2','01a22fe9-2f35-713f-bebb-945680474f4d',NULL,NULL,NULL,NULL,'01a22fe9-2f35-713f-bebb-945680474f4d/completed',1796092956851,'{"kind":"user_message","status":"completed","content":{"text":"write it down"}}',X'880074cc8cdfdae2315006678912b2b6',X'179552db77857f5c763904ca759907a2a947c7448b6b3db8cf902316d8baa229',X'c7e351b4efb38d9b5dfc9f850efdcc0092978f250c7c59c5ecfac4379040f2a2',X'96c8ec00c9bcb3110d20b790476b81945530e443d23637f9d7d37fd5fcc49a68');
INSERT INTO event VALUES(22,'docs',22,'item.started','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7',NULL,NULL,NULL,NULL,1796092958085,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f39-7028-90e1-e4aea18c98f7","callId":"call","tool":"write_file","args":{"what":"NOTES.md"}}}',X'99bfbe95e78acdd2c0a34d5f7753e1d7',X'623680da2dd77d238851dfc172748c6be9da6f98a123bed56b3bd8f2ca836c04',X'96c8ec00c9bcb3110d20b790476b81945530e443d23637f9d7d37fd5fcc49a68',X'fce0916ddc61ec38d532dbf48c11b3fdbdd3c6d5c3eb13c980995bcefc2815b6');
INSERT INTO event VALUES(23,'docs',23,'tool.requested','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7',NULL,NULL,NULL,NULL,1796092958085,'{"tool":"write_file","args":{"what":"NOTES.md"}}',X'46c57e19776ad301a452d74395788ee9',X'2971ab8faf507cf58b8bb2d65df583140275bacadcd07ac771e7de54a5ec476b',X'fce0916ddc61ec38d532dbf48c11b3fdbdd3c6d5c3eb13c980995bcefc2815b6',X'0fa9e46877109d6054d03954f2211cf7ca012eca8c17306ab0706759fc3dc1c6');
INSERT INTO event VALUES(24,'docs',24,'approval.requested','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7','01a22fe9-2f39-7028-90e1-e4af322eaf06',NULL,NULL,NULL,1796092958085,'{"request":{"id":"01a22fe9-2f39-7028-90e1-e4af322eaf06","binding":{"threadId":"docs","turnId":"docs-2","itemId":"01a22fe9-2f39-7028-90e1-e4ad15a633ab","operationDigest":"sha256:99745d225ce143b02ff42aa535dd47e4e0bdf87c7a4aec1578415704e3a329c4","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812","nonce":"01a22fe9-2f39-7028-90e1-e4af322eaf06","expiresAt":"2030-01-02T03:04:05.678Z"},"operation":{"tool":"write_file","what":"NOTES.md"},"risk":"high","reason":"it changes something"}}',X'4c5cdb2e858479a934ec10b89f435bfe',X'f3894629486872d16a9ffcf7a91a3ed8ebe65bafdd1eda293202270ed94e0e0e',X'0fa9e46877109d6054d03954f2211cf7ca012eca8c17306ab0706759fc3dc1c6',X'601b438c7c7081477eeb007fe2cf79fd29cbfa41f2d187f432dc4d7b91e33e38');
INSERT INTO event VALUES(25,'docs',25,'approval.resolved','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7','01a22fe9-2f39-7028-90e1-e4af322eaf06',NULL,NULL,NULL,1796092959319,'{"approved":true,"via":"host","decision":{"kind":"acceptForSession","permissions":[{"capability":"fs.write","scope":"NOTES.md"}]}}',X'a66c2507849d613b9da8088c12626fcf',X'bc0bc31cd8d7d33a716e735d25da2f0f8d166415877835c856c7acd0d2d56d07',X'601b438c7c7081477eeb007fe2cf79fd29cbfa41f2d187f432dc4d7b91e33e38',X'd65025e1c08bd117994fce67dd54b78d31929d1be4cea998d6eceb3d8e84f9a1');
INSERT INTO event VALUES(26,'docs',26,'effect.intended','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7',NULL,NULL,NULL,NULL,1796092960553,'{"effectId":"01a22fe9-2f39-7028-90e1-e4b04f825413","kind":"file.write","target":"NOTES.md","argsDigest":"sha256:99745d225ce143b02ff42aa535dd47e4e0bdf87c7a4aec1578415704e3a329c4","after":"sha256:f39592393ef0859cb196a52693d2cea00fb2df784b3c04ae54aa7cadb8e562f8"}',X'5293a450feabea920b69924a1b2ee2bb',X'aeb493634d66789f0705431a2fa4e1cc771b331a48a0f8eebd9282bfb994b21e',X'd65025e1c08bd117994fce67dd54b78d31929d1be4cea998d6eceb3d8e84f9a1',X'58a1d35522f235f7398b9d297f76b07609c97be5a2f87f10fe32fe8bcb28c9b2');
INSERT INTO event VALUES(27,'docs',27,'effect.settled','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7',NULL,NULL,NULL,NULL,1796092961787,'{"effectId":"01a22fe9-2f39-7028-90e1-e4b04f825413","state":"happened","details":{"bytes":3}}',X'b36d903be9afcbfcc1f5772a899049d3',X'119e7eeae149523d7d0448419165f58d914a0616c2102b0158765b3f1ee2d9e4',X'58a1d35522f235f7398b9d297f76b07609c97be5a2f87f10fe32fe8bcb28c9b2',X'59195f3cd64984cac6d2c05456ff52d9677afbe2db4560cb98408a5ae25fb226');
INSERT INTO event VALUES(28,'docs',28,'tool.result','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7',NULL,NULL,NULL,NULL,1796092963021,'{"tool":"write_file","isError":false,"error":null,"result":"done","permissionDecision":"granted"}',X'3202d604ac44964fc7492782481b8aa5',X'b1bdd92ee32a063666914f7dc2aad8902248385ca4a3a51f06f315e9af05ed67',X'59195f3cd64984cac6d2c05456ff52d9677afbe2db4560cb98408a5ae25fb226',X'de4046a170e8e20897bc07201e0c79e4916bda95d5acadd1ef53bac0fc7683e4');
INSERT INTO event VALUES(29,'docs',29,'item.completed','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7',NULL,NULL,NULL,NULL,1796092963021,'{"kind":"tool","status":"completed","content":{"toolUseId":"01a22fe9-2f39-7028-90e1-e4aea18c98f7","callId":"call","tool":"write_file","args":{"what":"NOTES.md"},"result":"done","isError":false,"details":{"bytes":3}}}',X'5c0258199601d7dc9fbcfc072c2868ae',X'77becf5fcdf4c23acf9195a4a298670e8a0a41099cba56f16b72fee805975169',X'de4046a170e8e20897bc07201e0c79e4916bda95d5acadd1ef53bac0fc7683e4',X'61edd0a049d1f8b8061fc99c904106cd44050303f600301802528894b5e403e9');
INSERT INTO event VALUES(30,'docs',30,'usage.recorded','docs-2',NULL,NULL,NULL,NULL,NULL,NULL,1796092964255,'{"model":"rehearsal/default","stop":"end_turn","durationMs":40}',X'c90beb86bf9c10f91efcd758abf38006',X'4479b971b944beb8166b365c31f22125c2d29aa337f381574171b30bb463a267',X'61edd0a049d1f8b8061fc99c904106cd44050303f600301802528894b5e403e9',X'30157f04c14465010ba14f5e289c8ea9e808419d4ebd1376a5380c3b8d8a1f45');
INSERT INTO event VALUES(31,'docs',31,'turn.completed','docs-2',NULL,NULL,NULL,NULL,NULL,NULL,1796092965489,'{"evidence":{"status":"succeeded","usage":{}},"error":null}',X'9d9bfdd9777244e6a35fb82047bb33bb',X'a9d74c067baafd19da23d92102354e7c5e311c321ccd731b0b4c717b0aeba5d6',X'30157f04c14465010ba14f5e289c8ea9e808419d4ebd1376a5380c3b8d8a1f45',X'2f60c71130d7b630a7a466bdc5f5cafbbaff0e8ddbc323813db335a402399bed');
INSERT INTO event VALUES(32,'docs',32,'turn.started','docs-3',NULL,NULL,NULL,NULL,NULL,NULL,1796092967957,'{"ownerId":"01a22fe9-2f23-702f-9305-92cf41130960","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"}',X'ec209d051e466331532b69c56fc6e3b4',X'914839edfd141bb8cfd7bb7f57b611dc85dba04a97a6c527355e8f307fbea108',X'2f60c71130d7b630a7a466bdc5f5cafbbaff0e8ddbc323813db335a402399bed',X'174e776084656977875325b2e5f8db414168f42ce512ab9e155bb3606c4e4f3f');
INSERT INTO event VALUES(33,'docs',33,'item.started','docs-3','01a22fe9-2f3b-7109-bb7d-b2f48e517df8',NULL,NULL,NULL,NULL,'01a22fe9-2f3b-7109-bb7d-b2f48e517df8/started',1796092967957,'{"kind":"user_message","status":"started"}',X'7ad15bd25735b7ed7866393996258323',X'f5974b8777639af3da8848241078b52042cff44ad6d396d50eedd66b190a7dc3',X'174e776084656977875325b2e5f8db414168f42ce512ab9e155bb3606c4e4f3f',X'8edb35c5b132e422969b00f4cfe6b04b993dcdea66533e03c6eff01b93862cac');
INSERT INTO event VALUES(34,'docs',34,'item.completed','docs-3','01a22fe9-2f3b-7109-bb7d-b2f48e517df8',NULL,NULL,NULL,NULL,'01a22fe9-2f3b-7109-bb7d-b2f48e517df8/completed',1796092967957,'{"kind":"user_message","status":"completed","content":{"text":"remove it all"}}',X'8ac68bbb277ace7f8718cb2fa70462bd',X'8ab817ca931a696eb833d0a96424bb1acba4e54917337e8136b479f2f700d812',X'8edb35c5b132e422969b00f4cfe6b04b993dcdea66533e03c6eff01b93862cac',X'db09efbf2ad729814c0fa5a7258da948a8d971b82231604efa8a004e6a0aae16');
INSERT INTO event VALUES(35,'docs',35,'item.started','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d',NULL,NULL,NULL,NULL,1796092969191,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f3d-73a7-bb58-29ce8a71857d","callId":"call","tool":"shell","args":{"what":"rm -rf ."}}}',X'46ce2974120557ff32f63b0adacba91f',X'590f4cbbb2ecd38e861751d4d4b0dac84db82df751c947d2f8897549bf292c97',X'db09efbf2ad729814c0fa5a7258da948a8d971b82231604efa8a004e6a0aae16',X'6dd5d6c73332580e30a35f0eac93806260cf6a9e88df0fc8295b60b7afd4c62e');
INSERT INTO event VALUES(36,'docs',36,'tool.requested','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d',NULL,NULL,NULL,NULL,1796092969191,'{"tool":"shell","args":{"what":"rm -rf ."}}',X'6108a8871f37fc472fcbfd29dd0f7a2a',X'd5abce39e856cd1cd7eee0a6b4e2549a89d6016385594f6c8103a93bd67f437c',X'6dd5d6c73332580e30a35f0eac93806260cf6a9e88df0fc8295b60b7afd4c62e',X'c29726c5fa0841d1beeb12992bf053098b98865fedcfdb176803a3f75f6883fb');
INSERT INTO event VALUES(37,'docs',37,'approval.requested','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d','01a22fe9-2f3d-73a7-bb58-29cfeb866402',NULL,NULL,NULL,1796092969191,'{"request":{"id":"01a22fe9-2f3d-73a7-bb58-29cfeb866402","binding":{"threadId":"docs","turnId":"docs-3","itemId":"01a22fe9-2f3d-73a7-bb58-29cd2b8e663b","operationDigest":"sha256:5d25a6463a321cd45b686b3ea41f3843077a7b3f941d201d4586037a1ffae85c","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812","nonce":"01a22fe9-2f3d-73a7-bb58-29cfeb866402","expiresAt":"2030-01-02T03:04:05.678Z"},"operation":{"tool":"shell","what":"rm -rf ."},"risk":"high","reason":"it changes something"}}',X'92c3683a57ad9f73831664384dd4b349',X'5884f6f1d35ea74f44a98badf51f36f5a23ac4705144158d2b0facd31cdce5ea',X'c29726c5fa0841d1beeb12992bf053098b98865fedcfdb176803a3f75f6883fb',X'8955fae85676e12e21da12bed89a9fce96c3ae7e2589d15077bc3a37798a7968');
INSERT INTO event VALUES(38,'docs',38,'approval.resolved','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d','01a22fe9-2f3d-73a7-bb58-29cfeb866402',NULL,NULL,NULL,1796092970425,'{"approved":false,"via":"host","decision":{"kind":"cancel","reason":"far too much"}}',X'ba3e4bc942b0086859ac687cfbf0ba7d',X'38887e0fca741a0ee1c4cd3893ce7eaa12d105ccaffcd41b149ae71897f88337',X'8955fae85676e12e21da12bed89a9fce96c3ae7e2589d15077bc3a37798a7968',X'85e5666d3bf32c97a9209326fee017dcb161f2cb40b5c61d095834943e095185');
INSERT INTO event VALUES(39,'docs',39,'tool.result','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d',NULL,NULL,NULL,NULL,1796092971659,'{"tool":"shell","isError":true,"error":"it failed","result":null,"permissionDecision":"refused"}',X'695e7cbf8d7eeafd29f34ae5457de161',X'37bd0fd8fb745c27bae1ec4cc0d9661e55288d2db4994035c63e6307ee500a19',X'85e5666d3bf32c97a9209326fee017dcb161f2cb40b5c61d095834943e095185',X'c29393b41cf0a28bce313f55014f21627c21b3cea707a4a29a190aee4c184d61');
INSERT INTO event VALUES(40,'docs',40,'item.completed','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d',NULL,NULL,NULL,NULL,1796092971659,'{"kind":"tool","status":"failed","content":{"toolUseId":"01a22fe9-2f3d-73a7-bb58-29ce8a71857d","callId":"call","tool":"shell","args":{"what":"rm -rf ."},"result":"done","isError":true,"details":{"bytes":3}}}',X'5b8748adeb051d2bfa3281fb99598d30',X'c04eae77e8e561c4824d9bf2122736372ff3763bcc690086a264d9a4e62b25a2',X'c29393b41cf0a28bce313f55014f21627c21b3cea707a4a29a190aee4c184d61',X'2ba95cb45b1d49b1053b318ae771d0088bc52ce66e1ba29af77718e569c3373b');
INSERT INTO event VALUES(41,'docs',41,'turn.failed','docs-3',NULL,NULL,NULL,NULL,NULL,NULL,1796092972893,'{"evidence":{"status":"blocked","usage":{}},"error":{"code":"approval_refused","message":"because of approval_refused"}}',X'67075b3ce858fcd0b7449d20cce12825',X'd1158ef1ddaa9dd8db18fdc763f40c602d731da83c255287d7286ecc1c8e6173',X'2ba95cb45b1d49b1053b318ae771d0088bc52ce66e1ba29af77718e569c3373b',X'7b227191a4a78568fba26a7e6c56cfa73ba9cb540c4be89eec71e87c93683dc1');
INSERT INTO event VALUES(42,'tests',1,'thread.started',NULL,NULL,NULL,NULL,NULL,NULL,'tests',1796092974127,'{"title":"About tests","request":{"method":"thread/start","digest":"sha256:59830ebc3a4184110566bf1a290d08473dfdcbd492ce498b14cd1a5e2fa2e441"}}',X'0e1196945425890d6a33b87f3e93f6f1',X'fb60bd66301685cf7c9a092a6c5a613a3746c094082a7b8cc897244e883fb1c6',X'0000000000000000000000000000000000000000000000000000000000000000',X'85a4d4a8d9c8c7256a053df26c78eb8111a08956c9e8a8fe759e3d288f507aef');
INSERT INTO event VALUES(43,'tests',2,'turn.started','tests-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092976595,'{"ownerId":"01a22fe9-2f23-702f-9305-92cf41130960","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"}',X'b53ff23da3181e8fc4be958e07ae95f2',X'bfef33440c11659ec265b82a69334cca34e0c349eb44d2fcb312551c76bb36ae',X'85a4d4a8d9c8c7256a053df26c78eb8111a08956c9e8a8fe759e3d288f507aef',X'12ccdcaeac86abf8ceab413a916c31bdc00a61d7ed84da752997d6c421529f91');
INSERT INTO event VALUES(44,'tests',3,'item.started','tests-1','01a22fe9-2f44-767c-9e87-5b825cdb2c64',NULL,NULL,NULL,NULL,'01a22fe9-2f44-767c-9e87-5b825cdb2c64/started',1796092976595,'{"kind":"user_message","status":"started"}',X'22a378c333a61f5d797580312c2a465b',X'17128dd6ceb2438175d5d436961eb320aa611960420e471a3b76f68bed28f70a',X'12ccdcaeac86abf8ceab413a916c31bdc00a61d7ed84da752997d6c421529f91',X'51b7a3f71f2826eee87a114b62ffc60903d4afe4b513c0ecb53e7677cbf13440');
INSERT INTO event VALUES(45,'tests',4,'item.completed','tests-1','01a22fe9-2f44-767c-9e87-5b825cdb2c64',NULL,NULL,NULL,NULL,'01a22fe9-2f44-767c-9e87-5b825cdb2c64/completed',1796092976595,'{"kind":"user_message","status":"completed","content":{"text":"run the tests"}}',X'fb23761ede2eb956eecaa3870448aae5',X'99766d6b499f196aeaaf4edb5cfcb25a7506616254855e6e15332dbf724a376a',X'51b7a3f71f2826eee87a114b62ffc60903d4afe4b513c0ecb53e7677cbf13440',X'ea42493911abeb8b27522239765672c8d811a67e2e877cbfb6b6da33adade64f');
INSERT INTO event VALUES(46,'tests',5,'item.started','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c',NULL,NULL,NULL,NULL,1796092977829,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f4d-7067-a2e7-073b9ade798c","callId":"call","tool":"shell","args":{"what":"cargo test"}}}',X'643814decbbeef5be2d74a16a7136c39',X'87a0596602632078f5dd6d179e817f6e282613c4cf5693461c97884ff6f8d282',X'ea42493911abeb8b27522239765672c8d811a67e2e877cbfb6b6da33adade64f',X'53354ed9982a2cd8a597bc4efeed47d576e99cea2f11c70a245f54eb207388d5');
INSERT INTO event VALUES(47,'tests',6,'tool.requested','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c',NULL,NULL,NULL,NULL,1796092977829,'{"tool":"shell","args":{"what":"cargo test"}}',X'b37593c52098d6dda99fdd16f5683e80',X'2b34b3f7ada05ef17f2687c38042abd06fdfe3b481362c3ea50fc5e1cdcf10f4',X'53354ed9982a2cd8a597bc4efeed47d576e99cea2f11c70a245f54eb207388d5',X'1c11ed6afafbf0450e71cbc111e001951dbf234410e79a88bb854f5be77269e1');
INSERT INTO event VALUES(48,'tests',7,'effect.intended','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c',NULL,NULL,NULL,NULL,1796092977829,'{"effectId":"01a22fe9-2f4d-7067-a2e7-073da4a93a97","kind":"process.exec","target":"cargo test","argsDigest":"sha256:0031fd18feb55b6b493544de1976b438eeac0b2d1278821b9e4e8eb07e8cf503"}',X'8522f90025f2d281b8608849940ea09d',X'77cf86e7241e1b8fc3d5e3fb75c345df7928b93a91811f6d2f1c63942f9194a4',X'1c11ed6afafbf0450e71cbc111e001951dbf234410e79a88bb854f5be77269e1',X'3a0157476dd6147a1bb6d65f6a29dc06fe7ca427c5b654dc5ff25e88cf40e7aa');
INSERT INTO event VALUES(49,'tests',8,'effect.settled','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c',NULL,NULL,NULL,NULL,1796092979063,'{"effectId":"01a22fe9-2f4d-7067-a2e7-073da4a93a97","state":"happened","exitCode":1,"details":{"bytes":3}}',X'd13a2eb54cb208490a2e66f55542beea',X'f709d258484471b3d9d4d0ccea60611a3c68d5b3d8acb77126da0f4a2da06662',X'3a0157476dd6147a1bb6d65f6a29dc06fe7ca427c5b654dc5ff25e88cf40e7aa',X'0a18bc0a125d6eea204dc63a1d404d4db69e41e945324b8a26a6e2c1c5c38fcf');
INSERT INTO event VALUES(50,'tests',9,'tool.result','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c',NULL,NULL,NULL,NULL,1796092980297,'{"tool":"shell","isError":true,"error":"it failed","result":null,"permissionDecision":"allowed"}',X'3e3c4f3b95e306b089e84e2039d249d8',X'4b99aaf9377275482b49004df66d23f1cbde8445b19fd5ad2797f04fa6ca1ce0',X'0a18bc0a125d6eea204dc63a1d404d4db69e41e945324b8a26a6e2c1c5c38fcf',X'a4c0b3996cd547f3460ef8fb3110ef1c862d211579cf070637597d0f38590490');
INSERT INTO event VALUES(51,'tests',10,'item.completed','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c',NULL,NULL,NULL,NULL,1796092980297,'{"kind":"tool","status":"failed","content":{"toolUseId":"01a22fe9-2f4d-7067-a2e7-073b9ade798c","callId":"call","tool":"shell","args":{"what":"cargo test"},"result":"done","isError":true,"details":{"bytes":3}}}',X'10c9c45ed30d060f62640fbdcf412a8d',X'ca839d6e0dc17ebac8a27845f7ce4363d23d748506488caeee457155547785ec',X'a4c0b3996cd547f3460ef8fb3110ef1c862d211579cf070637597d0f38590490',X'ea325467154770cbd592844c410c82ff3e7df2d8f3b6bd4de0dbbc5e5411968c');
INSERT INTO event VALUES(52,'tests',11,'turn.interrupted','tests-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092981531,'{"evidence":{"status":"cancelled","usage":{}},"error":{"code":"interrupted","message":"because of interrupted"}}',X'19b063e7fdd85f495c273f7535d26d6a',X'2d6fc6b5540e53b1372e3bd05c71c3941f588b16851391af20d0c9c54b3f11ed',X'ea325467154770cbd592844c410c82ff3e7df2d8f3b6bd4de0dbbc5e5411968c',X'26167ce8503a5093cec7ac1da6b3e7759f7e4921d004e63c6bb5459bd2c2ab63');
INSERT INTO event VALUES(53,'tests',12,'thread.archived',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1796092982765,'{}',X'6f9a958306e9aa6c1ad6d0fc5b11ecea',X'f9311329a57a94868589816a117b4193cb6545f60c53939c08046edeecc3a94b',X'26167ce8503a5093cec7ac1da6b3e7759f7e4921d004e63c6bb5459bd2c2ab63',X'595326b7aa05dde31318d3154e6966d96087e9f8f1fef55423a8577565f00098');
INSERT INTO event VALUES(54,'lost',1,'thread.started',NULL,NULL,NULL,NULL,NULL,NULL,'lost',1796092983999,'{"title":"About lost","request":{"method":"thread/start","digest":"sha256:76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9"}}',X'3b0218d4b53ca0aaa88507ffc5d0da9d',X'fe0f4393385635700e4f7390c77ac575831953ba7af64ef8ae3bfeaf38abbb11',X'0000000000000000000000000000000000000000000000000000000000000000',X'55f504fee1d799edb3841d84f5c77f5c1739a878ea1fd766e87ee996438b17c5');
INSERT INTO event VALUES(55,'lost',2,'turn.started','lost-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092987701,'{"ownerId":"01a22fe9-2f5a-73bd-bf05-e227843cfbaa","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"}',X'f9d562871fa05597d414e67781a7110b',X'f24d7153d5cc5708b2a504dbf07920ddea9c393bd11c160cc8024d79ecbe8c6d',X'55f504fee1d799edb3841d84f5c77f5c1739a878ea1fd766e87ee996438b17c5',X'74a86ebc624f7bc1082bca57ae5adf494db279301cbf0ab4f9ef61d2bf1957a5');
INSERT INTO event VALUES(56,'lost',3,'item.started','lost-1','01a22fe9-2f76-70df-8cfd-f8a5556a88bd',NULL,NULL,NULL,NULL,'01a22fe9-2f76-70df-8cfd-f8a5556a88bd/started',1796092987701,'{"kind":"user_message","status":"started"}',X'3a064586dc5e922b2ed6845edb9a943b',X'b6beb6251444b39c9430fbcaabf7c83d35b4a831f71cc276b399a000e8243bdf',X'74a86ebc624f7bc1082bca57ae5adf494db279301cbf0ab4f9ef61d2bf1957a5',X'1aa9af0ef532edfd1ec1db9213ef38a7c95063ee36f4580b5070e93addaf0bdc');
INSERT INTO event VALUES(57,'lost',4,'item.completed','lost-1','01a22fe9-2f76-70df-8cfd-f8a5556a88bd',NULL,NULL,NULL,NULL,'01a22fe9-2f76-70df-8cfd-f8a5556a88bd/completed',1796092987701,'{"kind":"user_message","status":"completed","content":{"text":"deploy it"}}',X'8444e82e9afe39f7e04534746ff14000',X'b6a68be1d715134bfc4f5a251019cfac6f7953ceea7f0427b5a7203d3c036005',X'1aa9af0ef532edfd1ec1db9213ef38a7c95063ee36f4580b5070e93addaf0bdc',X'1eb761268bf417e768539eb62fbfcad1e03137410dbefec714e95262e903bc6d');
INSERT INTO event VALUES(58,'lost',5,'item.started','lost-1','01a22fe9-2f77-7471-84fa-5ff10a6ad009',NULL,NULL,NULL,NULL,NULL,1796092988935,'{"kind":"assistant_message","status":"streaming"}',X'361dc5358d24140c094356ab9c657a3e',X'b025daab5b1092d0944ff603a6a20ba72f811d7853c65f0f82fe3b1d68ca69bb',X'1eb761268bf417e768539eb62fbfcad1e03137410dbefec714e95262e903bc6d',X'2876fb5df6cde2f1571de9a7ecb7814fce54bdfb40f7db925d2259ae0bc7de5e');
INSERT INTO event VALUES(59,'lost',6,'item.delta','lost-1','01a22fe9-2f77-7471-84fa-5ff10a6ad009',NULL,NULL,NULL,NULL,NULL,1796092988935,'{"delta":{"type":"text_delta","text":"Deplo"}}',X'f22758c56d1a9e83f9e9727f2b33213d',X'a5d2b603ec0e703c97aa2356425d7cb8607d9537eb71b8d514efb02689d37a6a',X'2876fb5df6cde2f1571de9a7ecb7814fce54bdfb40f7db925d2259ae0bc7de5e',X'd294f14dbeb7723c1151c3858af55fbc78aee3c1d817def6149e0ca3170eb21a');
INSERT INTO event VALUES(60,'lost',7,'item.delta','lost-1','01a22fe9-2f77-7471-84fa-5ff10a6ad009',NULL,NULL,NULL,NULL,NULL,1796092988935,'{"delta":{"type":"text_delta","text":"ying."}}',X'a753153b8ec0a4a94916d9b5829b4973',X'dc94de64eb29e59c7f4e10dcd00aac07b7a6886ee3901073e9d310f0279fc160',X'd294f14dbeb7723c1151c3858af55fbc78aee3c1d817def6149e0ca3170eb21a',X'04b8f888b56fe6c2be2b211ac87179e348b563ea1dbe4f874e63586b7ed0e9f6');
INSERT INTO event VALUES(61,'lost',8,'item.completed','lost-1','01a22fe9-2f77-7471-84fa-5ff10a6ad009',NULL,NULL,NULL,NULL,NULL,1796092988935,'{"kind":"assistant_message","status":"completed","content":{"text":"Deploying."}}',X'1c35f6864de26d6cf76dc40d4dad1b2a',X'aca801c0b42cd672b3abc18e4a74c3505afd931cfc2806a85a0b2dbe7aed6730',X'04b8f888b56fe6c2be2b211ac87179e348b563ea1dbe4f874e63586b7ed0e9f6',X'4ab494de06b5dd50886f3affa46fe1296894f044467fc7416fb6291476292b92');
INSERT INTO event VALUES(62,'lost',9,'item.started','lost-1','01a22fe9-2f78-75d4-96c2-92bd8fda8f3a',NULL,NULL,NULL,NULL,NULL,1796092990169,'{"kind":"assistant_message","status":"streaming"}',X'67094610aeba7dd6e907cc08b0af6a3a',X'7fbfc630ce6951f50b51e6f3f3fc33002ae1e69f1486b222a044be20a38a9a77',X'4ab494de06b5dd50886f3affa46fe1296894f044467fc7416fb6291476292b92',X'caef46db17e44a52e64fdeaae0eb3cb8ca654ca718227133f9015183f0aba665');
INSERT INTO event VALUES(63,'lost',10,'item.delta','lost-1','01a22fe9-2f78-75d4-96c2-92bd8fda8f3a',NULL,NULL,NULL,NULL,NULL,1796092990169,'{"delta":{"type":"text_delta","text":"half"}}',X'6de3433137cd081ff5492a2f48dc085d',X'ae242f76c25522912637fc3a93a336c2a2412c5390dd6338c1d04cdc660f455f',X'caef46db17e44a52e64fdeaae0eb3cb8ca654ca718227133f9015183f0aba665',X'876404575469dc1d2776bf9cd5f1e5cb9daf941e6c835932f5a3b614458481bc');
INSERT INTO event VALUES(64,'lost',11,'item.started','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',NULL,NULL,NULL,NULL,1796092991403,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9","callId":"call","tool":"shell","args":{"what":"make deploy"}}}',X'd468d7ee40275f052f234cf6a2489721',X'f8311ab46322c9ee75b49a29fea2af08e8de609d3a1bc98046275aafda07ed8f',X'876404575469dc1d2776bf9cd5f1e5cb9daf941e6c835932f5a3b614458481bc',X'17e6e8152bc13ed796db7e9d3dc90b6828f4b1ab13a9b6a60be8d24743eac8d1');
INSERT INTO event VALUES(65,'lost',12,'tool.requested','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',NULL,NULL,NULL,NULL,1796092991403,'{"tool":"shell","args":{"what":"make deploy"}}',X'0a219811579be2b6ac1891a479f4417f',X'03f35a166e35084fa167f9c8ae9514dfd90fa2a3d21101ce0d3b559f6d11f0b1',X'17e6e8152bc13ed796db7e9d3dc90b6828f4b1ab13a9b6a60be8d24743eac8d1',X'8abdac2d2ac95a61a1a47fe55be4bc77363c963a6637c5747f2645ab66448400');
INSERT INTO event VALUES(66,'lost',13,'effect.intended','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',NULL,NULL,NULL,NULL,1796092991403,'{"effectId":"01a22fe9-2f78-75d4-96c2-92c1c9f46965","kind":"process.exec","target":"make deploy","argsDigest":"sha256:c28716624ab42f2fdbc840b2e95f7541211a11a2513c53f6b4f89a724ba55c6b"}',X'aee165a8951a0e1e044fea9dddc1dd9b',X'ea22f96d4af48f0d19d04f4e018cb65b326bb295312226448110914189e60cfd',X'8abdac2d2ac95a61a1a47fe55be4bc77363c963a6637c5747f2645ab66448400',X'7c41895fde4b1320a679706dc8859525b8e004914c4473aeeb08378d09d408a0');
INSERT INTO event VALUES(67,'lost',14,'item.started','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877','01a22fe9-2f78-75d4-96c2-92c34d61b87a',NULL,NULL,NULL,NULL,1796092992637,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f78-75d4-96c2-92c34d61b87a","callId":"call","tool":"shell","args":{"what":"make check"}}}',X'9857187187e53ec2e32e44b98ff615ec',X'5ee4e27a60e6eb58d0df1d37528f1790e802315471f95b6fd3ee5bcfe5e7d02c',X'7c41895fde4b1320a679706dc8859525b8e004914c4473aeeb08378d09d408a0',X'bf77b86f298ac0f8383c7cfdd9e907d90c52f86bfb0014918792669d4bdecbbb');
INSERT INTO event VALUES(68,'lost',15,'tool.requested','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877','01a22fe9-2f78-75d4-96c2-92c34d61b87a',NULL,NULL,NULL,NULL,1796092992637,'{"tool":"shell","args":{"what":"make check"}}',X'83b2f9d9daaac4cc621db76e80d97342',X'e2e358befa66a7aa3e15993de5bef770965d47e79c52f477f344d5ab0df1b5b4',X'bf77b86f298ac0f8383c7cfdd9e907d90c52f86bfb0014918792669d4bdecbbb',X'a73dc3df9e0d21bbc7d88b63c96850d174832c3ea5798b7486a85715b731cd7a');
INSERT INTO event VALUES(69,'lost',16,'approval.requested','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877','01a22fe9-2f78-75d4-96c2-92c34d61b87a','01a22fe9-2f78-75d4-96c2-92c469ada7fd',NULL,NULL,NULL,1796092992637,'{"request":{"id":"01a22fe9-2f78-75d4-96c2-92c469ada7fd","binding":{"threadId":"lost","turnId":"lost-1","itemId":"01a22fe9-2f78-75d4-96c2-92c26ca4d877","operationDigest":"sha256:4a5b5cf7d4522d9fa9333a49af09b49b60b3cbcab91159faaa058aae59154d84","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812","nonce":"01a22fe9-2f78-75d4-96c2-92c469ada7fd","expiresAt":"2030-01-02T03:04:05.678Z"},"operation":{"tool":"shell","what":"make check"},"risk":"high","reason":"it changes something"}}',X'52f8127ef127e37236de571c39c00f38',X'1a4abc448ca58beef1a6a9f92ac06d173f3813c00266607d98247b8299e66f8a',X'a73dc3df9e0d21bbc7d88b63c96850d174832c3ea5798b7486a85715b731cd7a',X'b8510b3aa5219c0478a9940bda783b3cf534a097d422e3d7ec48fd6e3cb290e0');
INSERT INTO event VALUES(70,'lost',17,'effect.settled','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',NULL,NULL,NULL,'01a22fe9-2f78-75d4-96c2-92c1c9f46965/settled',1796092993871,'{"effectId":"01a22fe9-2f78-75d4-96c2-92c1c9f46965","state":"unknown","details":{"via":"recovery"}}',X'b80afa4e803f70607d91ef758fa434a5',X'09579768851fcd116c73b276e69ea5d41d91caacacb975db87c6e4f5e1e94962',X'b8510b3aa5219c0478a9940bda783b3cf534a097d422e3d7ec48fd6e3cb290e0',X'adfc8ce56b0716a6e8fac4a35f77b05a7e0841041dcfc9cdd53ff8a3f2f41312');
INSERT INTO event VALUES(71,'lost',18,'approval.resolved','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877',NULL,'01a22fe9-2f78-75d4-96c2-92c469ada7fd',NULL,NULL,'01a22fe9-2f78-75d4-96c2-92c469ada7fd/resolved',1796092993871,'{"approved":false,"via":"recovery"}',X'12e36d90f058aa4aa84bc1ec97086d8f',X'f533b6df2553116101c3b79c4be9132d1a6b9eead5d3c48b6a249b84d410b77c',X'adfc8ce56b0716a6e8fac4a35f77b05a7e0841041dcfc9cdd53ff8a3f2f41312',X'6093a6ac339672fac4864dce889027e9e37897e7548bd53eb12454fc96986d8f');
INSERT INTO event VALUES(72,'lost',19,'item.completed','lost-1','01a22fe9-2f78-75d4-96c2-92bd8fda8f3a',NULL,NULL,NULL,NULL,'01a22fe9-2f78-75d4-96c2-92bd8fda8f3a/completed',1796092993871,'{"kind":"assistant_message","status":"cancelled","content":{"text":"half"}}',X'5477364a027b8a1976258741631fb66d',X'a0d9cc17f2d076b2dbe6031989f3648ac318077b4be636dd1bff5eb7aaafd0b4',X'6093a6ac339672fac4864dce889027e9e37897e7548bd53eb12454fc96986d8f',X'ef1ec771f07cef9841b3cb611123db17b2e43c126f26d408c6f5c94e941295ff');
INSERT INTO event VALUES(73,'lost',20,'tool.result','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',NULL,NULL,NULL,'01a22fe9-2f78-75d4-96c2-92be85977beb/result',1796092993871,'{"tool":"shell","isError":true,"error":"outcome unknown: the process that ran it ended before it reported; it may have happened in whole or in part","result":null,"permissionDecision":null}',X'0f4f4499366a71401597731ac9924768',X'635d9bc9c102972592b25692ca5a28b26ee916a361705f0791be05972b20e25b',X'ef1ec771f07cef9841b3cb611123db17b2e43c126f26d408c6f5c94e941295ff',X'a7348ad437ac060895b208e2e19e65ea3101e0cb5b98728692a3292eacd9f405');
INSERT INTO event VALUES(74,'lost',21,'item.completed','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',NULL,NULL,NULL,'01a22fe9-2f78-75d4-96c2-92be85977beb/completed',1796092993871,'{"kind":"tool","status":"cancelled","content":{"toolUseId":"01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9","callId":"call","tool":"shell","args":{"what":"make deploy"},"result":"outcome unknown: the process that ran it ended before it reported; it may have happened in whole or in part","isError":true}}',X'a5705d99c512f9b7d9d1f4a65941f748',X'c992620ecb64068533a8ea14f937ee1cf4816c4b4c58391994219b338a93ea36',X'a7348ad437ac060895b208e2e19e65ea3101e0cb5b98728692a3292eacd9f405',X'd8bc5e2e69c79bf783535b4e6df48c90053e5ddcb8c68571657ca3aa7e3dadfa');
INSERT INTO event VALUES(75,'lost',22,'tool.result','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877','01a22fe9-2f78-75d4-96c2-92c34d61b87a',NULL,NULL,NULL,'01a22fe9-2f78-75d4-96c2-92c26ca4d877/result',1796092993871,'{"tool":"shell","isError":true,"error":"not run: the process that would have run it ended first","result":null,"permissionDecision":null}',X'41052532c94d4fe9ca58a64e4da8abd9',X'352d15cd062434b7f2a81bfca5131ade7384e36623fa4f8da329cd8c80fc7437',X'd8bc5e2e69c79bf783535b4e6df48c90053e5ddcb8c68571657ca3aa7e3dadfa',X'135b0ed1cdccb82af390a777063652809918443aab0444a7130955ac2f595961');
INSERT INTO event VALUES(76,'lost',23,'item.completed','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877','01a22fe9-2f78-75d4-96c2-92c34d61b87a',NULL,NULL,NULL,'01a22fe9-2f78-75d4-96c2-92c26ca4d877/completed',1796092993871,'{"kind":"tool","status":"cancelled","content":{"toolUseId":"01a22fe9-2f78-75d4-96c2-92c34d61b87a","callId":"call","tool":"shell","args":{"what":"make check"},"result":"not run: the process that would have run it ended first","isError":true}}',X'95258612117b023d7e6aae4316ea2daf',X'28a2863361eded83cdbac20d7119def216880100ddfa9d73f038595726066ecd',X'135b0ed1cdccb82af390a777063652809918443aab0444a7130955ac2f595961',X'963e68440c604c1bf3f9be694d5eab303e05230cd5dddf0496a9e7798f0b38b6');
INSERT INTO event VALUES(77,'lost',24,'turn.interrupted','lost-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092993871,'{"evidence":{"status":"partial","usage":{}},"error":{"code":"owner_died","message":"the process that ran this turn ended before the turn did"}}',X'0b6d2a464b76df5e0448d944623cd4db',X'82b16099b6fc76087ab64c85c19d9561a64d43826226cfee94a9160b7f3da2f4',X'963e68440c604c1bf3f9be694d5eab303e05230cd5dddf0496a9e7798f0b38b6',X'405f74c51180acea505726a0e8717ffe7d80d2c2dfb5ad54b1e8cc294500811b');
INSERT INTO event VALUES(78,'fork',7,'thread.forked',NULL,NULL,NULL,NULL,NULL,NULL,'fork-1',1796092995105,'{"title":"About docs","source":{"threadId":"docs","eventSeq":6,"eventId":6,"hash":"sha256:cbde2dab08af69911731a6abd652990a4370db52ffb20df81e382a0d7f9c68f8"},"request":{"method":"thread/fork","digest":"sha256:84cc2fece11fa196cde84a1b41d3882a9c3690425f3491f7fca6181528f1b506"}}',X'a42ffddaafca6c2f2e5fc0083882d02d',X'c8b959c65f15a099d0353010abad085d44d37263486aa5063eacf4c5e97b8513',X'cbde2dab08af69911731a6abd652990a4370db52ffb20df81e382a0d7f9c68f8',X'95a128c828540e87f4d47448a1c81e4fe0e04485ebbfcf015e1cfbb74f23e032');
INSERT INTO event VALUES(79,'fork',8,'turn.started','fork-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092997573,'{"ownerId":"01a22fe9-2f23-702f-9305-92cf41130960","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"}',X'6d54521ebfab7d8ec5190432724b720b',X'eb607b1bb4353cdeff3fcc5dbc6742737b5d9cc6792d4a6255a830295bbac2b2',X'95a128c828540e87f4d47448a1c81e4fe0e04485ebbfcf015e1cfbb74f23e032',X'3b36cc5fbe309caafd50d5beea65276451df2b2687fa81ebabeb1819d1af9d37');
INSERT INTO event VALUES(80,'fork',9,'item.started','fork-1','01a22fe9-2f7d-7430-87a3-0fd92e757ad4',NULL,NULL,NULL,NULL,'01a22fe9-2f7d-7430-87a3-0fd92e757ad4/started',1796092997573,'{"kind":"user_message","status":"started"}',X'08cda3ab34794d2054cab22c51237421',X'c305c39459d51a9222f2c444d31b654616517bbb4080027c5f4bab5c92786e0f',X'3b36cc5fbe309caafd50d5beea65276451df2b2687fa81ebabeb1819d1af9d37',X'403814e4aa31d8b9cc15d8d0e044a82ea05ae81d49be76de9b41bee3f398df80');
INSERT INTO event VALUES(81,'fork',10,'item.completed','fork-1','01a22fe9-2f7d-7430-87a3-0fd92e757ad4',NULL,NULL,NULL,NULL,'01a22fe9-2f7d-7430-87a3-0fd92e757ad4/completed',1796092997573,'{"kind":"user_message","status":"completed","content":{"text":"try another way"}}',X'a31238ac450ed0994f9f99b636672683',X'57666bb8c8d477a34b5a281bc19e3b07b7de84a0c226d2f805c4c65db9737c7a',X'403814e4aa31d8b9cc15d8d0e044a82ea05ae81d49be76de9b41bee3f398df80',X'1895594a97d80b98c6b7673712950e0987379f3cac0704c7713a24712a9439a1');
INSERT INTO event VALUES(82,'fork',11,'turn.completed','fork-1',NULL,NULL,NULL,NULL,NULL,NULL,1796092998807,'{"evidence":{"status":"succeeded","usage":{"inputTokens":0,"outputTokens":0}},"error":null}',X'ec70b379dc19f23e9442c3305dca6266',X'526160ef36ebcb9ac83614e9c6d6c5547abdb593654a7e6d38534e841ed814d0',X'1895594a97d80b98c6b7673712950e0987379f3cac0704c7713a24712a9439a1',X'31569ede7b156ee58e137fadab61f08e7e8f3f5bd615f557253c8f106c679ed8');
INSERT INTO event VALUES(83,'open',1,'thread.started',NULL,NULL,NULL,NULL,NULL,NULL,'open',1796093000041,'{"title":"About open","request":{"method":"thread/start","digest":"sha256:2348f998744212575d85959674f9607ab26f67708a917157472832386337c904"}}',X'cdc8536e5b60832faac6e292c9b89537',X'9ed698888186a3822c83a11ffd676daef78167483042d85bdc5edbffb6fdbd31',X'0000000000000000000000000000000000000000000000000000000000000000',X'ec9891b0225b5d37e49c7551707f30d0b46edc5469c88a9c52d3445d44594f42');
INSERT INTO event VALUES(84,'open',2,'turn.started','open-1',NULL,NULL,NULL,NULL,NULL,NULL,1796093002509,'{"ownerId":"01a22fe9-2f23-702f-9305-92cf41130960","epoch":1,"model":"rehearsal/default","workspace":"/project","workspaceDigest":"sha256:ea0135bca5e3bd815f5b7b8f8c83d86f584697bc29e0cc3b30937153abef2844","permissionMode":"default","policyDigest":"sha256:823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812"}',X'dacebb0f6c81fd2652e6603ff12cdf1f',X'5002fbacbfb267da77d821d3548037eacb9123ec8cd5830d6b2992def6158708',X'ec9891b0225b5d37e49c7551707f30d0b46edc5469c88a9c52d3445d44594f42',X'364af8485ccddc6297d77ef60a8c7102142957d477794d264d28ce4e5896398b');
INSERT INTO event VALUES(85,'open',3,'item.started','open-1','01a22fe9-2f87-76d8-a14a-7b7daf8d67c2',NULL,NULL,NULL,NULL,'01a22fe9-2f87-76d8-a14a-7b7daf8d67c2/started',1796093002509,'{"kind":"user_message","status":"started"}',X'f753c323637f6b32c0da87a0c9cf8990',X'8b5ff1bf0df39ab8bbd4ce8953623f293960816b678aeb8f820378d2fc83cb5c',X'364af8485ccddc6297d77ef60a8c7102142957d477794d264d28ce4e5896398b',X'1562d3cab609a2405c30113ca0c4d8c1d560ddb0d9e89fea43846e29a9dbf6a4');
INSERT INTO event VALUES(86,'open',4,'item.completed','open-1','01a22fe9-2f87-76d8-a14a-7b7daf8d67c2',NULL,NULL,NULL,NULL,'01a22fe9-2f87-76d8-a14a-7b7daf8d67c2/completed',1796093002509,'{"kind":"user_message","status":"completed","content":{"text":"take your time"}}',X'be93c8cba6b69fa9535f47c0554f6a91',X'1f1c58d33ded949db3a460b4ad7e55a4a8af8937a4ebb98b131ff9b1214345d9',X'1562d3cab609a2405c30113ca0c4d8c1d560ddb0d9e89fea43846e29a9dbf6a4',X'8eda1d1b115d1efed54ca5839b83d2ae138f642bd4020b10ed76297ccb738852');
INSERT INTO event VALUES(87,'open',5,'item.started','open-1','01a22fe9-2f88-7028-9d8b-3e5ac90204d0','01a22fe9-2f88-7028-9d8b-3e5b4382d6f6',NULL,NULL,NULL,NULL,1796093003743,'{"kind":"tool","status":"started","content":{"toolUseId":"01a22fe9-2f88-7028-9d8b-3e5b4382d6f6","callId":"call","tool":"shell","args":{"what":"sleep 60"}}}',X'20e6741089792049995e72d97c5a8218',X'522b063b5c2cd4c487f7d33c6a887e4a7f14bf92d36beca3ee7f58a6c21b03e8',X'8eda1d1b115d1efed54ca5839b83d2ae138f642bd4020b10ed76297ccb738852',X'50eaf3c3cdafeb1a3bf8c3e3e92983fe1cf9107e60ba2feca18b3ea77ed4992c');
INSERT INTO event VALUES(88,'open',6,'tool.requested','open-1','01a22fe9-2f88-7028-9d8b-3e5ac90204d0','01a22fe9-2f88-7028-9d8b-3e5b4382d6f6',NULL,NULL,NULL,NULL,1796093003743,'{"tool":"shell","args":{"what":"sleep 60"}}',X'28ab7fae7f90cfca9d09460f16091bcd',X'58ab4571edefa98a99580313c9bda8e83bab58d0a1da30e3c9079e63d1bd011d',X'50eaf3c3cdafeb1a3bf8c3e3e92983fe1cf9107e60ba2feca18b3ea77ed4992c',X'4455288b81efd01550d589c8fccd68b28749d31819f415de6661b4307c4e463d');
INSERT INTO event VALUES(89,'open',7,'effect.intended','open-1','01a22fe9-2f88-7028-9d8b-3e5ac90204d0','01a22fe9-2f88-7028-9d8b-3e5b4382d6f6',NULL,NULL,NULL,NULL,1796093003743,'{"effectId":"01a22fe9-2f88-7028-9d8b-3e5de2762830","kind":"process.exec","target":"sleep 60","argsDigest":"sha256:ad838639c1211ccf62b32c0977fa85147c84838d2d89ab510be585edfa95a573"}',X'39ca5776f584004c9a517ed043f842fe',X'156c688ec7442745b53e3e5f5c5c040b7934372bf83a7a55e8192a06beeae681',X'4455288b81efd01550d589c8fccd68b28749d31819f415de6661b4307c4e463d',X'fbc7cad31651b7512a217f33bc133a8cd60bfe0dbbead889c7d87aff851e42cf');
CREATE TABLE ledger_commit (
    commit_id      INTEGER PRIMARY KEY CHECK (commit_id > 0),
    at             INTEGER NOT NULL CHECK (at >= 0),
    first_event_id INTEGER NOT NULL,
    last_event_id  INTEGER NOT NULL CHECK (last_event_id >= first_event_id),
    -- RFC 6962 §2.1 Merkle tree hash over the event hashes of the transaction.
    root           BLOB    NOT NULL CHECK (length(root) = 32),
    prev_hash      BLOB    NOT NULL CHECK (length(prev_hash) = 32),
    hash           BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;
INSERT INTO ledger_commit VALUES(1,1796092940809,1,1,X'c217b7be08d468ad8ef7e43f31830419dde81dbfb142e534cb5e4d2839f94942',X'0000000000000000000000000000000000000000000000000000000000000000',X'e147231e0396c056428d2dc4e9ca225692f15603f3694acc3b91ed33fb80aeb3');
INSERT INTO ledger_commit VALUES(2,1796092944511,2,4,X'98e4e98dcc8236935ed1cd42bd2f09e5bf2bb34c0271b9e8af40e75f260d01d3',X'e147231e0396c056428d2dc4e9ca225692f15603f3694acc3b91ed33fb80aeb3',X'7356c9d0ea7834c8e3a6813a1a4d60abfe488ae3ef3cdc2eb08322888406e907');
INSERT INTO ledger_commit VALUES(3,1796092945745,5,8,X'35cd8b665dac7a0d28febb41ccccc9ab54c5244dcd8e448cc2ff5e6315f347d5',X'7356c9d0ea7834c8e3a6813a1a4d60abfe488ae3ef3cdc2eb08322888406e907',X'dbf142159580db9d7b6c88db58a3e4369b65f8da46483ebcf7de26b5d77b972c');
INSERT INTO ledger_commit VALUES(4,1796092946979,9,11,X'e6be8fcb00339a63120f3c7a02276cfb6e98e395f116b1686a5ff7b7a8f09688',X'dbf142159580db9d7b6c88db58a3e4369b65f8da46483ebcf7de26b5d77b972c',X'beb4cb4b19904ab5758c57ffbf4b98b31b50594da454caa3e1da14d3ebad4ac0');
INSERT INTO ledger_commit VALUES(5,1796092948213,12,12,X'da9a27c07ad4011cf6227c52f5f0e64b37cdbb1f60b77b229b2f97f0a3241d2a',X'beb4cb4b19904ab5758c57ffbf4b98b31b50594da454caa3e1da14d3ebad4ac0',X'2fc7b89eace54bf86eb424969143c354758c3c12c1b1f32fed897936b1986e84');
INSERT INTO ledger_commit VALUES(6,1796092949447,13,13,X'578773b75c5f486a6b02537293b623ce8ae69197bf77b8f0301573e6301594fb',X'2fc7b89eace54bf86eb424969143c354758c3c12c1b1f32fed897936b1986e84',X'0e497eb56ef4e5b5a3529f92d8fce044ac27dcc5545244397642034216f17679');
INSERT INTO ledger_commit VALUES(7,1796092950681,14,14,X'70ae8d7940a1b2555244b0b575348fd05512af4789df36120c0b4f56e771ca4b',X'0e497eb56ef4e5b5a3529f92d8fce044ac27dcc5545244397642034216f17679',X'6096362f289989d3828027443f4dac3c2115c2c03ac1b91d00baf78d81fb32a2');
INSERT INTO ledger_commit VALUES(8,1796092951915,15,16,X'f8f956a7d969fcd879d333c2b20f361ac946ffee2a14e1c514381dca9d1509f0',X'6096362f289989d3828027443f4dac3c2115c2c03ac1b91d00baf78d81fb32a2',X'966c227d121b2a68807eda357c48f31562e1232c382783acb9f1b171644ce25b');
INSERT INTO ledger_commit VALUES(9,1796092953149,17,17,X'555300049ad41170f13a3c59b8861404dc3982884cbd53fa91b4c1357811bffe',X'966c227d121b2a68807eda357c48f31562e1232c382783acb9f1b171644ce25b',X'e50cbcb2ce85381e712f4b7c1cf394e174bb9010d8a6ed5e0dadc885d8cf3a13');
INSERT INTO ledger_commit VALUES(10,1796092954383,18,18,X'd4803f0742d593f446e514a7b4726a9e7d2d005b2741929c4a2a71900db32504',X'e50cbcb2ce85381e712f4b7c1cf394e174bb9010d8a6ed5e0dadc885d8cf3a13',X'27409c6e24df77d1e4829ed386e16269d2460cc94da4fbcc8ec3c6cb106a9401');
INSERT INTO ledger_commit VALUES(11,1796092956851,19,21,X'cca2c54009a8c6ae959920cc9dd24624052bf64ff43c333387006619c707db35',X'27409c6e24df77d1e4829ed386e16269d2460cc94da4fbcc8ec3c6cb106a9401',X'2360292f59ae5e8adf9dd391035119614c751b87ffc0cac3cd0a750706f2bc04');
INSERT INTO ledger_commit VALUES(12,1796092958085,22,24,X'ffd8e86d87635cb17fa51377ff177ca76177e5450060e09c46d2cc5600e38b32',X'2360292f59ae5e8adf9dd391035119614c751b87ffc0cac3cd0a750706f2bc04',X'11958143326bcc910c4958bf2dfb202cd86c93307b49432823e93cc126a297ef');
INSERT INTO ledger_commit VALUES(13,1796092959319,25,25,X'c4b8f7f83faddf51a013c6fdc79d222a8f641f791e9eb731a08bfeb70927a479',X'11958143326bcc910c4958bf2dfb202cd86c93307b49432823e93cc126a297ef',X'0a0565cee77837c6a9909b94aa6f6ab4610c79483ed2b17bb4457012b2b1bdca');
INSERT INTO ledger_commit VALUES(14,1796092960553,26,26,X'08ee0f77f8cb12e2067b80f333d3e079a831054279c2475705495c1f629f55ec',X'0a0565cee77837c6a9909b94aa6f6ab4610c79483ed2b17bb4457012b2b1bdca',X'91b8adda852e09c3339aab101f4877a449f248e54948e5b729628c2cac873fde');
INSERT INTO ledger_commit VALUES(15,1796092961787,27,27,X'a2c82518e958f07a81a364128a31094ddc4d3df4c58421c152e1b83aede64c70',X'91b8adda852e09c3339aab101f4877a449f248e54948e5b729628c2cac873fde',X'ee22d83b308897664ef50148961254daffb416966e3a738d99df2df868bcd49d');
INSERT INTO ledger_commit VALUES(16,1796092963021,28,29,X'2003382db6b6d771abc2a3c05e16accc3490047c4152b6ff09fa722d2be31f39',X'ee22d83b308897664ef50148961254daffb416966e3a738d99df2df868bcd49d',X'bb9bdc78daf2d84d616a923a900c2f987cd6f3207c97f89fc1135bc3c786c787');
INSERT INTO ledger_commit VALUES(17,1796092964255,30,30,X'a677a32724ebbe797098a70f03d010261aafb8e92e50b19b281b69e90f63ad43',X'bb9bdc78daf2d84d616a923a900c2f987cd6f3207c97f89fc1135bc3c786c787',X'04d72724d507aee5c686938b980dcb8f8a210ff922b792c107afc98fe4c69ae3');
INSERT INTO ledger_commit VALUES(18,1796092965489,31,31,X'3a93bee80b03d9ab4d0a61985a819d19000e32437969f63c76aba415658785b6',X'04d72724d507aee5c686938b980dcb8f8a210ff922b792c107afc98fe4c69ae3',X'e59146b2e593b5a361d05488355e39455e9612c5f38dcc347430654b704ca266');
INSERT INTO ledger_commit VALUES(19,1796092967957,32,34,X'1e994f45deecac522cf851afe7070e7901b60aadf87a712403fac63f2fbc4bbc',X'e59146b2e593b5a361d05488355e39455e9612c5f38dcc347430654b704ca266',X'f22b6afb7039444fc7019e91b0b5ca4fc7931ac1eb4c50406a52e16cae280b16');
INSERT INTO ledger_commit VALUES(20,1796092969191,35,37,X'51bf845f18a1610a662f0ce98db498bfee539233311a5974f9ec43ac49d7c47b',X'f22b6afb7039444fc7019e91b0b5ca4fc7931ac1eb4c50406a52e16cae280b16',X'3bcea9fddd1c1d6f284a219c45cf378cfc03a913ff93792fa6892942f081491f');
INSERT INTO ledger_commit VALUES(21,1796092970425,38,38,X'604103c89649f4f7a14a47cb954a514660487ef452c16303bb583b6f76fa9a9e',X'3bcea9fddd1c1d6f284a219c45cf378cfc03a913ff93792fa6892942f081491f',X'8d409124612fad9bcf9b2f62c1443dfc7f7217a783154bd28e571da04218ca81');
INSERT INTO ledger_commit VALUES(22,1796092971659,39,40,X'520feb3c63244f270e81f80ca67bda691e733dc363ead857f7c30ff980dad69f',X'8d409124612fad9bcf9b2f62c1443dfc7f7217a783154bd28e571da04218ca81',X'24c2373ad9a71bb050c25bf95edc8c39dda5e444ed71680e38caf3db458c566f');
INSERT INTO ledger_commit VALUES(23,1796092972893,41,41,X'67ce93c04adf73fd72273776e5d4b2e42c1610379c41dff7476d7dedab141f3f',X'24c2373ad9a71bb050c25bf95edc8c39dda5e444ed71680e38caf3db458c566f',X'4a4b319166e5a2ce7551ea57dd5b22b64039b390c09bcc40e589d1f6adc71fba');
INSERT INTO ledger_commit VALUES(24,1796092974127,42,42,X'99506727ba048d6520eb68f60ab8878bd71fd0169ccec3f178357477cc37c5c7',X'4a4b319166e5a2ce7551ea57dd5b22b64039b390c09bcc40e589d1f6adc71fba',X'20803f0f654382f25b2e65ebf2319627898593ab454d8b969c1a82c5613c5910');
INSERT INTO ledger_commit VALUES(25,1796092976595,43,45,X'e214f6df22db2394c193e1760f2af161df3bbe0ad8d533ed7e6e13907f715198',X'20803f0f654382f25b2e65ebf2319627898593ab454d8b969c1a82c5613c5910',X'efe224d4bceaddbae22aebad1bdae3488784296627c16afbc1b46808c21abe1f');
INSERT INTO ledger_commit VALUES(26,1796092977829,46,48,X'f0a8cbf6b8d5aa3db640a6a9b6520babdf515be49fdaed41ad758ee1cf2c3dc2',X'efe224d4bceaddbae22aebad1bdae3488784296627c16afbc1b46808c21abe1f',X'2bc483d7fa9181fa3476bd9985e30de6cac271d876e43564041656a2b6ca9f5b');
INSERT INTO ledger_commit VALUES(27,1796092979063,49,49,X'b055e1e641887035b066c7d4eaf420651aa08eb63884c203de083065e2783a49',X'2bc483d7fa9181fa3476bd9985e30de6cac271d876e43564041656a2b6ca9f5b',X'e8a32cd035d2fbe9eba67105fd33b8ab269169c595bfa3becb4dd47d40ebb1c2');
INSERT INTO ledger_commit VALUES(28,1796092980297,50,51,X'4fe69560993ab7259fd670a41c9971f3bc558ad81dfde75b3ca71eebc54d1e2c',X'e8a32cd035d2fbe9eba67105fd33b8ab269169c595bfa3becb4dd47d40ebb1c2',X'ab1059e9dcd757e4eb3577e1ef4abb8c9852597d3b9d18e9bd813787d4c42ea3');
INSERT INTO ledger_commit VALUES(29,1796092981531,52,52,X'4875271c0cbe3db233d33beab3f3bca6a81adb497d1bcd0cae9d6826fbad89a0',X'ab1059e9dcd757e4eb3577e1ef4abb8c9852597d3b9d18e9bd813787d4c42ea3',X'00880ed7d6a062f85835d0933b033d0f9577467b8f129b8fc8ba706bc0d0d997');
INSERT INTO ledger_commit VALUES(30,1796092982765,53,53,X'ac33b022b696aa18a13fdf707f589df9d8c23fe83212c497bee6283537882574',X'00880ed7d6a062f85835d0933b033d0f9577467b8f129b8fc8ba706bc0d0d997',X'0c82961f22681ba0f3b955617966632f79dd480b70c00f6e287ffbb478370936');
INSERT INTO ledger_commit VALUES(31,1796092983999,54,54,X'7367567af333457f3bd45bafa2038ffeb7edafbc340f5f6939b5a729631c5020',X'0c82961f22681ba0f3b955617966632f79dd480b70c00f6e287ffbb478370936',X'9a42689aa64e34507b76284b1f54cf90fd2b1cf9e6c11ae4d4e57a2be6d47b1e');
INSERT INTO ledger_commit VALUES(32,1796092987701,55,57,X'b1038b682df9feea6e10ecb08144eeed63ce578580c7c2fa5dfd474ae9f0d6ed',X'9a42689aa64e34507b76284b1f54cf90fd2b1cf9e6c11ae4d4e57a2be6d47b1e',X'fe0bd4ebb44e9b70911982307773941ec8c4fff0cbe592e7c096098d70d7fc79');
INSERT INTO ledger_commit VALUES(33,1796092988935,58,61,X'0b83a4e2256aa166dfe4066b887dc779804b7cb4ca7c2f0954a1b97f4a037ee4',X'fe0bd4ebb44e9b70911982307773941ec8c4fff0cbe592e7c096098d70d7fc79',X'edcc7c22dad4b62055196ec87d8a9b3d819debd22b26e74bdbab6a37b5625b78');
INSERT INTO ledger_commit VALUES(34,1796092990169,62,63,X'd6eaceb8649ace2a2ef7479ed6a3876789fa47f2a5fc7a25ecefd7890c982cfb',X'edcc7c22dad4b62055196ec87d8a9b3d819debd22b26e74bdbab6a37b5625b78',X'79e927dd49d7540377b83526e9ed40d1ade19c5c3f7356bd3d91e6f11e8ff32a');
INSERT INTO ledger_commit VALUES(35,1796092991403,64,66,X'4a6edeb29fe7109e172c36b186248a8fb8aefddae1981b612ade83b0fe0dfcac',X'79e927dd49d7540377b83526e9ed40d1ade19c5c3f7356bd3d91e6f11e8ff32a',X'12eeebdc29195fe83d30954affe373a6233bfb61f14c955090938e59a16507a6');
INSERT INTO ledger_commit VALUES(36,1796092992637,67,69,X'81164ccc2b3315927cc272950008392f1fb3f6c4c138736a84b41d6120b3afce',X'12eeebdc29195fe83d30954affe373a6233bfb61f14c955090938e59a16507a6',X'652a67e195f1c398ce8693045ea7a07edfef96f4473a3d6349fc6218aad33997');
INSERT INTO ledger_commit VALUES(37,1796092993871,70,77,X'059328d8566c40db767624d315e39e7ca5bfd577cdb5833186bdac7e948b4af7',X'652a67e195f1c398ce8693045ea7a07edfef96f4473a3d6349fc6218aad33997',X'96be5086bfe05236332b7eb252d73c73ff1558b9426ea26aa381fe15e34dd557');
INSERT INTO ledger_commit VALUES(38,1796092995105,78,78,X'1d7803de00c1a5c8abfb967648214d88a2bd6843a3bde10212a5f103ae8e35d4',X'96be5086bfe05236332b7eb252d73c73ff1558b9426ea26aa381fe15e34dd557',X'f5369c93e17ae2be31c3b7db3799899a2dcba6e9262c690a6309aad1016d388e');
INSERT INTO ledger_commit VALUES(39,1796092997573,79,81,X'b94def09c986c450d625e31173b1f65b4b2402c59a3de18cc9ae0fdf39f67da8',X'f5369c93e17ae2be31c3b7db3799899a2dcba6e9262c690a6309aad1016d388e',X'5d70c0a04cdf6fe6fee1f98a5ce638bee1a0c1b1a21b69711a56c4117243af63');
INSERT INTO ledger_commit VALUES(40,1796092998807,82,82,X'1d403f8747bf30cee6c084e6f71b4750908b8e916b0885722928cc333f3ca88f',X'5d70c0a04cdf6fe6fee1f98a5ce638bee1a0c1b1a21b69711a56c4117243af63',X'21260bf8a3a4139217539b52dd787fa48b5fc52cfa0cf06c104871eb27d9d7db');
INSERT INTO ledger_commit VALUES(41,1796093000041,83,83,X'd617768aaa14707dd21d31c286d0045b21b3c0eee3268d1885c4b0bcbb429539',X'21260bf8a3a4139217539b52dd787fa48b5fc52cfa0cf06c104871eb27d9d7db',X'db2d9aa3ea8897c92ef6783ec43040f8f76a9a6e10fa438bdfe524bb92e6567b');
INSERT INTO ledger_commit VALUES(42,1796093002509,84,86,X'fd9f27c58067a247a466e8562cf433b5cdb71c6e97538b99f6c9398bf9596f78',X'db2d9aa3ea8897c92ef6783ec43040f8f76a9a6e10fa438bdfe524bb92e6567b',X'fff3763640027203918c7f3cac5f66c31ffccc60fe759acb351233f7ff1f210d');
INSERT INTO ledger_commit VALUES(43,1796093003743,87,89,X'7445653a6f35b6d1605fb5583f382b876c2fe376752cc2dfb2098dffbce75b45',X'fff3763640027203918c7f3cac5f66c31ffccc60fe759acb351233f7ff1f210d',X'fa7957b02fd50861bc7bce760a6135ada2e7c3edb50ead3c3d3b43e514482204');
CREATE TABLE thread (
    thread_id        TEXT    PRIMARY KEY NOT NULL,
    -- active while a turn runs, idle, archived
    status           TEXT    NOT NULL CHECK (status IN ('active', 'idle', 'archived')),
    title            TEXT    CHECK (length(title) <= 512),
    metadata         TEXT    NOT NULL CHECK (json_type(metadata) = 'object'),
    -- The turn that runs now.
    active_turn_id   TEXT,
    -- For a fork: the thread it continues and the last event they share.
    parent_thread_id TEXT,
    fork_event_seq   INTEGER,
    created_at       INTEGER NOT NULL,
    -- The last change of status; deltas do not move it.
    updated_at       INTEGER NOT NULL,
    event_id         INTEGER NOT NULL,
    event_hash       BLOB    NOT NULL,
    CHECK ((status = 'active') = (active_turn_id IS NOT NULL)),
    CHECK ((parent_thread_id IS NULL) = (fork_event_seq IS NULL))
) STRICT;
INSERT INTO thread VALUES('docs','idle','About docs','{}',NULL,NULL,NULL,1796092940809,1796092972893,41,X'7b227191a4a78568fba26a7e6c56cfa73ba9cb540c4be89eec71e87c93683dc1');
INSERT INTO thread VALUES('tests','archived','About tests','{}',NULL,NULL,NULL,1796092974127,1796092982765,53,X'595326b7aa05dde31318d3154e6966d96087e9f8f1fef55423a8577565f00098');
INSERT INTO thread VALUES('lost','idle','About lost','{}',NULL,NULL,NULL,1796092983999,1796092993871,77,X'405f74c51180acea505726a0e8717ffe7d80d2c2dfb5ad54b1e8cc294500811b');
INSERT INTO thread VALUES('fork','idle','About docs','{}',NULL,'docs',6,1796092995105,1796092998807,82,X'31569ede7b156ee58e137fadab61f08e7e8f3f5bd615f557253c8f106c679ed8');
INSERT INTO thread VALUES('open','active','About open','{}','open-1',NULL,NULL,1796093000041,1796093002509,84,X'364af8485ccddc6297d77ef60a8c7102142957d477794d264d28ce4e5896398b');
CREATE TABLE turn (
    turn_id         TEXT    PRIMARY KEY NOT NULL,
    thread_id       TEXT    NOT NULL,
    status          TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'waiting_approval',
                        'waiting_input', 'completed', 'failed', 'interrupted')),
    -- The process that runs it, and which of its runs this is: a write under another owner or
    -- epoch is refused.
    owner_id        TEXT    NOT NULL,
    epoch           INTEGER NOT NULL CHECK (epoch > 0),
    model           TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER,
    -- NULL when it ended without an error, or has not ended.
    error_code      TEXT,
    error_message   TEXT    CHECK (length(error_message) <= 4096),
    -- event_seq of its first event, and of the event that last wrote this row.
    first_event_seq INTEGER NOT NULL,
    revision        INTEGER NOT NULL,
    event_id        INTEGER NOT NULL,
    event_hash      BLOB    NOT NULL,
    CHECK ((status IN ('completed', 'failed', 'interrupted')) = (completed_at IS NOT NULL))
) STRICT;
INSERT INTO turn VALUES('docs-1','docs','completed','01a22fe9-2f23-702f-9305-92cf41130960',1,'rehearsal/default',1796092944511,1796092954383,NULL,NULL,2,18,18,X'45b286dec5f85d6db17f0562f445ee56bb7cdd95b1f98c1d41b0078e52743761');
INSERT INTO turn VALUES('docs-2','docs','completed','01a22fe9-2f23-702f-9305-92cf41130960',1,'rehearsal/default',1796092956851,1796092965489,NULL,NULL,19,31,31,X'2f60c71130d7b630a7a466bdc5f5cafbbaff0e8ddbc323813db335a402399bed');
INSERT INTO turn VALUES('docs-3','docs','failed','01a22fe9-2f23-702f-9305-92cf41130960',1,'rehearsal/default',1796092967957,1796092972893,'approval_refused','because of approval_refused',32,41,41,X'7b227191a4a78568fba26a7e6c56cfa73ba9cb540c4be89eec71e87c93683dc1');
INSERT INTO turn VALUES('tests-1','tests','interrupted','01a22fe9-2f23-702f-9305-92cf41130960',1,'rehearsal/default',1796092976595,1796092981531,'interrupted','because of interrupted',2,11,52,X'26167ce8503a5093cec7ac1da6b3e7759f7e4921d004e63c6bb5459bd2c2ab63');
INSERT INTO turn VALUES('lost-1','lost','interrupted','01a22fe9-2f5a-73bd-bf05-e227843cfbaa',1,'rehearsal/default',1796092987701,1796092993871,'owner_died','the process that ran this turn ended before the turn did',2,24,77,X'405f74c51180acea505726a0e8717ffe7d80d2c2dfb5ad54b1e8cc294500811b');
INSERT INTO turn VALUES('fork-1','fork','completed','01a22fe9-2f23-702f-9305-92cf41130960',1,'rehearsal/default',1796092997573,1796092998807,NULL,NULL,8,11,82,X'31569ede7b156ee58e137fadab61f08e7e8f3f5bd615f557253c8f106c679ed8');
INSERT INTO turn VALUES('open-1','open','running','01a22fe9-2f23-702f-9305-92cf41130960',1,'rehearsal/default',1796093002509,NULL,NULL,NULL,2,2,84,X'364af8485ccddc6297d77ef60a8c7102142957d477794d264d28ce4e5896398b');
CREATE TABLE item (
    item_id         TEXT    PRIMARY KEY NOT NULL,
    thread_id       TEXT    NOT NULL,
    turn_id         TEXT    NOT NULL,
    kind            TEXT    NOT NULL CHECK (kind IN ('user_message', 'assistant_message', 'reasoning',
                        'tool', 'approval', 'plan', 'subagent', 'artifact', 'error')),
    status          TEXT    NOT NULL CHECK (status IN ('started', 'streaming', 'completed', 'failed',
                        'cancelled')),
    parent_id       TEXT,
    tool_use_id     TEXT,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER,
    first_event_seq INTEGER NOT NULL,
    event_id        INTEGER NOT NULL,
    event_hash      BLOB    NOT NULL,
    CHECK ((status IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL))
) STRICT;
INSERT INTO item VALUES('01a22fe9-2f31-7291-bf64-993a9aee72a2','docs','docs-1','user_message','completed',NULL,NULL,1796092944511,1796092944511,3,4,X'b6c43b326e58f45ed9726b079ed739482df832870fc7c82a787c67d2fc915771');
INSERT INTO item VALUES('01a22fe9-2f33-75e1-9ee3-05a3d0c26dc8','docs','docs-1','assistant_message','completed',NULL,NULL,1796092945745,1796092945745,5,8,X'aa8a77e3909207c125703834cad2f7ba80d42cdce5b15210ac91264580b42669');
INSERT INTO item VALUES('01a22fe9-2f33-75e1-9ee3-05a450caab00','docs','docs-1','tool','completed',NULL,'01a22fe9-2f33-75e1-9ee3-05a56062b40e',1796092946979,1796092951915,9,16,X'7f14cd4aeb91cfc665bb1bfc63c943e036e80bdec6b00d3f7f9a67f5bc450b2b');
INSERT INTO item VALUES('01a22fe9-2f35-713f-bebb-945680474f4d','docs','docs-2','user_message','completed',NULL,NULL,1796092956851,1796092956851,20,21,X'96c8ec00c9bcb3110d20b790476b81945530e443d23637f9d7d37fd5fcc49a68');
INSERT INTO item VALUES('01a22fe9-2f39-7028-90e1-e4ad15a633ab','docs','docs-2','tool','completed',NULL,'01a22fe9-2f39-7028-90e1-e4aea18c98f7',1796092958085,1796092963021,22,29,X'61edd0a049d1f8b8061fc99c904106cd44050303f600301802528894b5e403e9');
INSERT INTO item VALUES('01a22fe9-2f3b-7109-bb7d-b2f48e517df8','docs','docs-3','user_message','completed',NULL,NULL,1796092967957,1796092967957,33,34,X'db09efbf2ad729814c0fa5a7258da948a8d971b82231604efa8a004e6a0aae16');
INSERT INTO item VALUES('01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','docs','docs-3','tool','failed',NULL,'01a22fe9-2f3d-73a7-bb58-29ce8a71857d',1796092969191,1796092971659,35,40,X'2ba95cb45b1d49b1053b318ae771d0088bc52ce66e1ba29af77718e569c3373b');
INSERT INTO item VALUES('01a22fe9-2f44-767c-9e87-5b825cdb2c64','tests','tests-1','user_message','completed',NULL,NULL,1796092976595,1796092976595,3,45,X'ea42493911abeb8b27522239765672c8d811a67e2e877cbfb6b6da33adade64f');
INSERT INTO item VALUES('01a22fe9-2f4d-7067-a2e7-073a628f43e2','tests','tests-1','tool','failed',NULL,'01a22fe9-2f4d-7067-a2e7-073b9ade798c',1796092977829,1796092980297,5,51,X'ea325467154770cbd592844c410c82ff3e7df2d8f3b6bd4de0dbbc5e5411968c');
INSERT INTO item VALUES('01a22fe9-2f76-70df-8cfd-f8a5556a88bd','lost','lost-1','user_message','completed',NULL,NULL,1796092987701,1796092987701,3,57,X'1eb761268bf417e768539eb62fbfcad1e03137410dbefec714e95262e903bc6d');
INSERT INTO item VALUES('01a22fe9-2f77-7471-84fa-5ff10a6ad009','lost','lost-1','assistant_message','completed',NULL,NULL,1796092988935,1796092988935,5,61,X'4ab494de06b5dd50886f3affa46fe1296894f044467fc7416fb6291476292b92');
INSERT INTO item VALUES('01a22fe9-2f78-75d4-96c2-92bd8fda8f3a','lost','lost-1','assistant_message','cancelled',NULL,NULL,1796092990169,1796092993871,9,72,X'ef1ec771f07cef9841b3cb611123db17b2e43c126f26d408c6f5c94e941295ff');
INSERT INTO item VALUES('01a22fe9-2f78-75d4-96c2-92be85977beb','lost','lost-1','tool','cancelled',NULL,'01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9',1796092991403,1796092993871,11,74,X'd8bc5e2e69c79bf783535b4e6df48c90053e5ddcb8c68571657ca3aa7e3dadfa');
INSERT INTO item VALUES('01a22fe9-2f78-75d4-96c2-92c26ca4d877','lost','lost-1','tool','cancelled',NULL,'01a22fe9-2f78-75d4-96c2-92c34d61b87a',1796092992637,1796092993871,14,76,X'963e68440c604c1bf3f9be694d5eab303e05230cd5dddf0496a9e7798f0b38b6');
INSERT INTO item VALUES('01a22fe9-2f7d-7430-87a3-0fd92e757ad4','fork','fork-1','user_message','completed',NULL,NULL,1796092997573,1796092997573,9,81,X'1895594a97d80b98c6b7673712950e0987379f3cac0704c7713a24712a9439a1');
INSERT INTO item VALUES('01a22fe9-2f87-76d8-a14a-7b7daf8d67c2','open','open-1','user_message','completed',NULL,NULL,1796093002509,1796093002509,3,86,X'8eda1d1b115d1efed54ca5839b83d2ae138f642bd4020b10ed76297ccb738852');
INSERT INTO item VALUES('01a22fe9-2f88-7028-9d8b-3e5ac90204d0','open','open-1','tool','started',NULL,'01a22fe9-2f88-7028-9d8b-3e5b4382d6f6',1796093003743,NULL,5,87,X'50eaf3c3cdafeb1a3bf8c3e3e92983fe1cf9107e60ba2feca18b3ea77ed4992c');
CREATE TABLE approval (
    approval_id        TEXT    PRIMARY KEY NOT NULL,
    thread_id          TEXT    NOT NULL,
    turn_id            TEXT    NOT NULL,
    item_id            TEXT    NOT NULL,
    tool_use_id        TEXT,
    status             TEXT    NOT NULL CHECK (status IN ('pending', 'approved', 'refused')),
    -- NULL when nobody decided.
    decision           TEXT    CHECK (decision IN ('acceptOnce', 'acceptForTurn', 'acceptForSession',
                           'decline', 'cancel')),
    -- Who or what settled it: host, rule, expiry, recovery …
    via                TEXT,
    operation_digest   BLOB    NOT NULL CHECK (length(operation_digest) = 32),
    policy_digest      BLOB    NOT NULL CHECK (length(policy_digest) = 32),
    nonce              TEXT    NOT NULL UNIQUE,
    expires_at         INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    resolved_at        INTEGER,
    requested_event_id INTEGER NOT NULL,
    event_id           INTEGER NOT NULL,
    event_hash         BLOB    NOT NULL,
    CHECK ((status = 'pending') = (resolved_at IS NULL))
) STRICT;
INSERT INTO approval VALUES('01a22fe9-2f33-75e1-9ee3-05a63a2e6a25','docs','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e','approved','acceptOnce','host',X'c7b68ac37f364473e922936708e7f43c293dd07b295171566c07ff5fe024fab9',X'823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812','01a22fe9-2f33-75e1-9ee3-05a63a2e6a25',1893553445678,1796092946979,1796092948213,11,12,X'3f370ec8a2554f98ef5f171370cb860988b1441be5f4e7c0b6cff10dab6441a6');
INSERT INTO approval VALUES('01a22fe9-2f39-7028-90e1-e4af322eaf06','docs','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7','approved','acceptForSession','host',X'99745d225ce143b02ff42aa535dd47e4e0bdf87c7a4aec1578415704e3a329c4',X'823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812','01a22fe9-2f39-7028-90e1-e4af322eaf06',1893553445678,1796092958085,1796092959319,24,25,X'd65025e1c08bd117994fce67dd54b78d31929d1be4cea998d6eceb3d8e84f9a1');
INSERT INTO approval VALUES('01a22fe9-2f3d-73a7-bb58-29cfeb866402','docs','docs-3','01a22fe9-2f3d-73a7-bb58-29cd2b8e663b','01a22fe9-2f3d-73a7-bb58-29ce8a71857d','refused','cancel','host',X'5d25a6463a321cd45b686b3ea41f3843077a7b3f941d201d4586037a1ffae85c',X'823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812','01a22fe9-2f3d-73a7-bb58-29cfeb866402',1893553445678,1796092969191,1796092970425,37,38,X'85e5666d3bf32c97a9209326fee017dcb161f2cb40b5c61d095834943e095185');
INSERT INTO approval VALUES('01a22fe9-2f78-75d4-96c2-92c469ada7fd','lost','lost-1','01a22fe9-2f78-75d4-96c2-92c26ca4d877','01a22fe9-2f78-75d4-96c2-92c34d61b87a','refused',NULL,'recovery',X'4a5b5cf7d4522d9fa9333a49af09b49b60b3cbcab91159faaa058aae59154d84',X'823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812','01a22fe9-2f78-75d4-96c2-92c469ada7fd',1893553445678,1796092992637,1796092993871,69,71,X'6093a6ac339672fac4864dce889027e9e37897e7548bd53eb12454fc96986d8f');
CREATE TABLE effect (
    effect_id     TEXT    PRIMARY KEY NOT NULL,
    thread_id     TEXT    NOT NULL,
    turn_id       TEXT    NOT NULL,
    item_id       TEXT    NOT NULL,
    tool_use_id   TEXT    NOT NULL,
    -- file.write, process.exec …
    kind          TEXT    NOT NULL,
    target        TEXT    NOT NULL,
    -- intended: about to act, no receipt yet. unknown: some of it may have happened.
    state         TEXT    NOT NULL CHECK (state IN ('intended', 'happened', 'did_not_happen', 'unknown')),
    -- Content before and after, for files.
    before_digest BLOB    CHECK (length(before_digest) = 32),
    after_digest  BLOB    CHECK (length(after_digest) = 32),
    exit_code     INTEGER,
    created_at    INTEGER NOT NULL,
    settled_at    INTEGER,
    event_id      INTEGER NOT NULL,
    event_hash    BLOB    NOT NULL,
    CHECK ((state = 'intended') = (settled_at IS NULL))
) STRICT;
INSERT INTO effect VALUES('01a22fe9-2f33-75e1-9ee3-05a7dcafcec8','docs','docs-1','01a22fe9-2f33-75e1-9ee3-05a450caab00','01a22fe9-2f33-75e1-9ee3-05a56062b40e','process.exec','ls','happened',NULL,NULL,0,1796092949447,1796092950681,14,X'64eb150a5a98d07b9134a94994ac20cc4aa43adf1649d3adb88c5473b4f7db97');
INSERT INTO effect VALUES('01a22fe9-2f39-7028-90e1-e4b04f825413','docs','docs-2','01a22fe9-2f39-7028-90e1-e4ad15a633ab','01a22fe9-2f39-7028-90e1-e4aea18c98f7','file.write','NOTES.md','happened',NULL,X'f39592393ef0859cb196a52693d2cea00fb2df784b3c04ae54aa7cadb8e562f8',NULL,1796092960553,1796092961787,27,X'59195f3cd64984cac6d2c05456ff52d9677afbe2db4560cb98408a5ae25fb226');
INSERT INTO effect VALUES('01a22fe9-2f4d-7067-a2e7-073da4a93a97','tests','tests-1','01a22fe9-2f4d-7067-a2e7-073a628f43e2','01a22fe9-2f4d-7067-a2e7-073b9ade798c','process.exec','cargo test','happened',NULL,NULL,1,1796092977829,1796092979063,49,X'0a18bc0a125d6eea204dc63a1d404d4db69e41e945324b8a26a6e2c1c5c38fcf');
INSERT INTO effect VALUES('01a22fe9-2f78-75d4-96c2-92c1c9f46965','lost','lost-1','01a22fe9-2f78-75d4-96c2-92be85977beb','01a22fe9-2f78-75d4-96c2-92bf3e0ba0b9','process.exec','make deploy','unknown',NULL,NULL,NULL,1796092991403,1796092993871,70,X'adfc8ce56b0716a6e8fac4a35f77b05a7e0841041dcfc9cdd53ff8a3f2f41312');
INSERT INTO effect VALUES('01a22fe9-2f88-7028-9d8b-3e5de2762830','open','open-1','01a22fe9-2f88-7028-9d8b-3e5ac90204d0','01a22fe9-2f88-7028-9d8b-3e5b4382d6f6','process.exec','sleep 60','intended',NULL,NULL,NULL,1796093003743,NULL,89,X'fbc7cad31651b7512a217f33bc133a8cd60bfe0dbbead889c7d87aff851e42cf');
CREATE TABLE terminal_evidence (
    turn_id          TEXT    PRIMARY KEY NOT NULL,
    thread_id        TEXT    NOT NULL,
    status           TEXT    NOT NULL CHECK (status IN ('succeeded', 'failed', 'partial', 'cancelled',
                         'blocked', 'budget_exhausted')),
    -- Hash of the terminal event: through the chain it covers every event before it.
    event_digest     BLOB    NOT NULL CHECK (length(event_digest) = 32),
    -- SHA-256 of the text of the turn's last assistant message; NULL when it has none.
    output_digest    BLOB    CHECK (length(output_digest) = 32),
    first_event_seq  INTEGER NOT NULL,
    last_event_seq   INTEGER NOT NULL,
    artifact_ids     TEXT    NOT NULL CHECK (json_type(artifact_ids) = 'array'),
    workspace_commit TEXT,
    test_receipt_ids TEXT    NOT NULL CHECK (json_type(test_receipt_ids) = 'array'),
    -- Tokens over the turn; NULL when any answer's count is unknown.
    input_tokens     INTEGER,
    output_tokens    INTEGER,
    event_id         INTEGER NOT NULL,
    event_hash       BLOB    NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO terminal_evidence VALUES('docs-1','docs','succeeded',X'45b286dec5f85d6db17f0562f445ee56bb7cdd95b1f98c1d41b0078e52743761',NULL,2,18,'[]',NULL,'[]',70,5,18,X'45b286dec5f85d6db17f0562f445ee56bb7cdd95b1f98c1d41b0078e52743761');
INSERT INTO terminal_evidence VALUES('docs-2','docs','succeeded',X'2f60c71130d7b630a7a466bdc5f5cafbbaff0e8ddbc323813db335a402399bed',NULL,19,31,'[]',NULL,'[]',NULL,NULL,31,X'2f60c71130d7b630a7a466bdc5f5cafbbaff0e8ddbc323813db335a402399bed');
INSERT INTO terminal_evidence VALUES('docs-3','docs','blocked',X'7b227191a4a78568fba26a7e6c56cfa73ba9cb540c4be89eec71e87c93683dc1',NULL,32,41,'[]',NULL,'[]',NULL,NULL,41,X'7b227191a4a78568fba26a7e6c56cfa73ba9cb540c4be89eec71e87c93683dc1');
INSERT INTO terminal_evidence VALUES('fork-1','fork','succeeded',X'31569ede7b156ee58e137fadab61f08e7e8f3f5bd615f557253c8f106c679ed8',NULL,8,11,'[]',NULL,'[]',0,0,82,X'31569ede7b156ee58e137fadab61f08e7e8f3f5bd615f557253c8f106c679ed8');
INSERT INTO terminal_evidence VALUES('lost-1','lost','partial',X'405f74c51180acea505726a0e8717ffe7d80d2c2dfb5ad54b1e8cc294500811b',NULL,2,24,'[]',NULL,'[]',NULL,NULL,77,X'405f74c51180acea505726a0e8717ffe7d80d2c2dfb5ad54b1e8cc294500811b');
INSERT INTO terminal_evidence VALUES('tests-1','tests','cancelled',X'26167ce8503a5093cec7ac1da6b3e7759f7e4921d004e63c6bb5459bd2c2ab63',NULL,2,11,'[]',NULL,'[]',NULL,NULL,52,X'26167ce8503a5093cec7ac1da6b3e7759f7e4921d004e63c6bb5459bd2c2ab63');
CREATE TABLE idempotency (
    method         TEXT    NOT NULL,
    key            TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 256),
    request_digest BLOB    NOT NULL CHECK (length(request_digest) = 32),
    thread_id      TEXT    NOT NULL,
    turn_id        TEXT,
    created_at     INTEGER NOT NULL,
    event_id       INTEGER NOT NULL,
    event_hash     BLOB    NOT NULL,
    PRIMARY KEY (method, key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency VALUES('thread/fork','fork-1',X'84cc2fece11fa196cde84a1b41d3882a9c3690425f3491f7fca6181528f1b506','fork',NULL,1796092995105,78,X'95a128c828540e87f4d47448a1c81e4fe0e04485ebbfcf015e1cfbb74f23e032');
INSERT INTO idempotency VALUES('thread/start','docs',X'46b42b4229cd7a39c564e780bb665a8bde4fdf722007e8473f167fe53ed4b995','docs',NULL,1796092940809,1,X'c8d7d7f77e05c60aafa3ae28e8712063b81e8ea73379172d05ff8ab28fdad628');
INSERT INTO idempotency VALUES('thread/start','lost',X'76f75e6129fe30135bd44d80ab7cc46fdba81907758dc808f3e2517beef2b1e9','lost',NULL,1796092983999,54,X'55f504fee1d799edb3841d84f5c77f5c1739a878ea1fd766e87ee996438b17c5');
INSERT INTO idempotency VALUES('thread/start','open',X'2348f998744212575d85959674f9607ab26f67708a917157472832386337c904','open',NULL,1796093000041,83,X'ec9891b0225b5d37e49c7551707f30d0b46edc5469c88a9c52d3445d44594f42');
INSERT INTO idempotency VALUES('thread/start','tests',X'59830ebc3a4184110566bf1a290d08473dfdcbd492ce498b14cd1a5e2fa2e441','tests',NULL,1796092974127,42,X'85a4d4a8d9c8c7256a053df26c78eb8111a08956c9e8a8fe759e3d288f507aef');
INSERT INTO idempotency VALUES('turn/start','job-1',X'fdface228fc447af9bdcf1511dd921048bc4e307d681781dc823df348926aa5a','docs','docs-1',1796092944511,2,X'd73d57cfb66bc3f34a98f4501c46d7474c10c30aad0835ef990f63f6cc99e106');
CREATE TABLE content (
    digest     BLOB    PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
    bytes      INTEGER NOT NULL CHECK (bytes >= 0),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE content_chunk (
    digest   BLOB    NOT NULL CHECK (length(digest) = 32),
    position INTEGER NOT NULL CHECK (position >= 0),
    bytes    BLOB    NOT NULL,
    UNIQUE (digest, position)
) STRICT;
CREATE UNIQUE INDEX event_by_thread ON event (thread_id, event_seq);
CREATE INDEX event_of_usage ON event (event_id) WHERE event_type = 'usage.recorded';
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: an event cannot be deleted');
END;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
WHEN NEW.payload IS NOT NULL OR NEW.salt IS NOT NULL
    OR (NEW.event_id, NEW.thread_id, NEW.event_seq, NEW.event_type, NEW.turn_id, NEW.item_id,
        NEW.tool_use_id, NEW.approval_id, NEW.trace_id, NEW.parent_id, NEW.idempotency_key, NEW.at,
        NEW.payload_digest, NEW.prev_hash, NEW.hash)
    IS NOT
       (OLD.event_id, OLD.thread_id, OLD.event_seq, OLD.event_type, OLD.turn_id, OLD.item_id,
        OLD.tool_use_id, OLD.approval_id, OLD.trace_id, OLD.parent_id, OLD.idempotency_key, OLD.at,
        OLD.payload_digest, OLD.prev_hash, OLD.hash)
BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: only the payload and salt of an event can be erased');
END;
CREATE TRIGGER ledger_commit_is_never_deleted BEFORE DELETE ON ledger_commit BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: a commit cannot be deleted');
END;
CREATE TRIGGER ledger_commit_is_never_changed BEFORE UPDATE ON ledger_commit BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: a commit cannot be changed');
END;
CREATE INDEX thread_by_update ON thread (updated_at);
CREATE INDEX thread_of_parent ON thread (parent_thread_id) WHERE parent_thread_id IS NOT NULL;
CREATE INDEX turn_by_thread ON turn (thread_id, first_event_seq);
CREATE INDEX turn_unfinished ON turn (event_id) WHERE completed_at IS NULL;
CREATE INDEX item_by_turn ON item (turn_id, first_event_seq);
CREATE INDEX approval_by_turn ON approval (turn_id);
CREATE INDEX effect_by_turn ON effect (turn_id);
CREATE INDEX effect_unsettled ON effect (state) WHERE state IN ('intended', 'unknown');
CREATE TRIGGER terminal_evidence_is_never_changed BEFORE UPDATE ON terminal_evidence BEGIN
    SELECT raise(ABORT, 'terminal evidence is written once');
END;
CREATE TRIGGER terminal_evidence_is_never_deleted BEFORE DELETE ON terminal_evidence BEGIN
    SELECT raise(ABORT, 'terminal evidence is written once');
END;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE TRIGGER turn_ends_once BEFORE UPDATE ON turn WHEN OLD.completed_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'a turn ends once');
END;
CREATE TRIGGER item_ends_once BEFORE UPDATE ON item WHEN OLD.completed_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'an item ends once');
END;
CREATE TRIGGER approval_is_settled_once BEFORE UPDATE ON approval WHEN OLD.resolved_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'an approval is settled once');
END;
CREATE TRIGGER event_is_projected AFTER INSERT ON event WHEN NEW.event_type <> 'item.delta' BEGIN
    INSERT INTO thread (thread_id, status, title, metadata, parent_thread_id, fork_event_seq,
        created_at, updated_at, event_id, event_hash)
    SELECT NEW.thread_id, 'idle', NEW.payload ->> '$.title', coalesce(NEW.payload -> '$.metadata', '{}'),
        NEW.payload ->> '$.source.threadId', NEW.payload ->> '$.source.eventSeq',
        NEW.at, NEW.at, NEW.event_id, NEW.hash
    WHERE NEW.event_type IN ('thread.started', 'thread.forked');

    UPDATE thread
    SET status = 'archived', updated_at = NEW.at, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'thread.archived' AND thread_id = NEW.thread_id;

    INSERT INTO turn (turn_id, thread_id, status, owner_id, epoch, model, created_at,
        first_event_seq, revision, event_id, event_hash)
    SELECT NEW.turn_id, NEW.thread_id, 'running', NEW.payload ->> '$.ownerId', NEW.payload ->> '$.epoch',
        NEW.payload ->> '$.model', NEW.at, NEW.event_seq, NEW.event_seq, NEW.event_id, NEW.hash
    WHERE NEW.event_type = 'turn.started';

    UPDATE thread
    SET status = 'active', active_turn_id = NEW.turn_id, updated_at = NEW.at,
        event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'turn.started' AND thread_id = NEW.thread_id;

    INSERT INTO item (item_id, thread_id, turn_id, kind, status, parent_id, tool_use_id, created_at,
        completed_at, first_event_seq, event_id, event_hash)
    SELECT NEW.item_id, NEW.thread_id, NEW.turn_id, NEW.payload ->> '$.kind', NEW.payload ->> '$.status',
        NEW.parent_id, NEW.tool_use_id, NEW.at, iif(NEW.event_type = 'item.completed', NEW.at, NULL),
        NEW.event_seq, NEW.event_id, NEW.hash
    WHERE NEW.event_type IN ('item.started', 'item.completed')
    ON CONFLICT (item_id) DO UPDATE
    SET status = excluded.status, completed_at = excluded.completed_at,
        event_id = excluded.event_id, event_hash = excluded.event_hash;

    INSERT INTO approval (approval_id, thread_id, turn_id, item_id, tool_use_id, status,
        operation_digest, policy_digest, nonce, expires_at, created_at, requested_event_id, event_id,
        event_hash)
    SELECT NEW.approval_id, NEW.thread_id, NEW.turn_id, NEW.item_id, NEW.tool_use_id, 'pending',
        unhex(substr(NEW.payload ->> '$.request.binding.operationDigest', 8)),
        unhex(substr(NEW.payload ->> '$.request.binding.policyDigest', 8)),
        NEW.payload ->> '$.request.binding.nonce',
        CAST(round(unixepoch(NEW.payload ->> '$.request.binding.expiresAt', 'subsec') * 1000) AS INTEGER),
        NEW.at, NEW.event_id, NEW.event_id, NEW.hash
    WHERE NEW.event_type = 'approval.requested';

    UPDATE approval
    SET status = iif(NEW.payload ->> '$.approved', 'approved', 'refused'),
        decision = NEW.payload ->> '$.decision.kind', via = NEW.payload ->> '$.via',
        resolved_at = NEW.at, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'approval.resolved' AND approval_id = NEW.approval_id;

    UPDATE turn
    SET status = iif(EXISTS (SELECT 1 FROM approval WHERE turn_id = NEW.turn_id AND status = 'pending'),
            'waiting_approval', 'running'),
        revision = NEW.event_seq, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type IN ('approval.requested', 'approval.resolved') AND turn_id = NEW.turn_id;

    INSERT INTO effect (effect_id, thread_id, turn_id, item_id, tool_use_id, kind, target, state,
        before_digest, after_digest, created_at, event_id, event_hash)
    SELECT NEW.payload ->> '$.effectId', NEW.thread_id, NEW.turn_id, NEW.item_id, NEW.tool_use_id,
        NEW.payload ->> '$.kind', NEW.payload ->> '$.target', 'intended',
        unhex(substr(NEW.payload ->> '$.before', 8)), unhex(substr(NEW.payload ->> '$.after', 8)),
        NEW.at, NEW.event_id, NEW.hash
    WHERE NEW.event_type = 'effect.intended';

    UPDATE effect
    SET state = NEW.payload ->> '$.state',
        after_digest = coalesce(unhex(substr(NEW.payload ->> '$.after', 8)), after_digest),
        exit_code = NEW.payload ->> '$.exitCode', settled_at = NEW.at,
        event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'effect.settled' AND effect_id = NEW.payload ->> '$.effectId';

    UPDATE turn
    SET status = substr(NEW.event_type, 6), completed_at = NEW.at,
        error_code = NEW.payload ->> '$.error.code', error_message = NEW.payload ->> '$.error.message',
        revision = NEW.event_seq, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type IN ('turn.completed', 'turn.failed', 'turn.interrupted')
        AND turn_id = NEW.turn_id;

    INSERT INTO terminal_evidence (turn_id, thread_id, status, event_digest, output_digest,
        first_event_seq, last_event_seq, artifact_ids, workspace_commit, test_receipt_ids,
        input_tokens, output_tokens, event_id, event_hash)
    SELECT turn.turn_id, turn.thread_id, NEW.payload ->> '$.evidence.status', NEW.hash,
        unhex(substr(NEW.payload ->> '$.evidence.outputDigest', 8)),
        turn.first_event_seq, NEW.event_seq,
        coalesce(NEW.payload -> '$.evidence.artifactIds', '[]'), NEW.payload ->> '$.evidence.commit',
        coalesce(NEW.payload -> '$.evidence.testReceiptIds', '[]'),
        NEW.payload ->> '$.evidence.usage.inputTokens', NEW.payload ->> '$.evidence.usage.outputTokens',
        NEW.event_id, NEW.hash
    FROM turn
    WHERE NEW.event_type IN ('turn.completed', 'turn.failed', 'turn.interrupted')
        AND turn.turn_id = NEW.turn_id;

    UPDATE thread
    SET status = 'idle', active_turn_id = NULL, updated_at = NEW.at,
        event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type IN ('turn.completed', 'turn.failed', 'turn.interrupted')
        AND thread_id = NEW.thread_id AND active_turn_id = NEW.turn_id;

    INSERT INTO idempotency (method, key, request_digest, thread_id, turn_id, created_at, event_id,
        event_hash)
    SELECT NEW.payload ->> '$.request.method', NEW.idempotency_key,
        unhex(substr(NEW.payload ->> '$.request.digest', 8)), NEW.thread_id, NEW.turn_id, NEW.at,
        NEW.event_id, NEW.hash
    WHERE NEW.event_type IN ('thread.started', 'thread.forked', 'thread.archived', 'turn.started')
        AND NEW.payload ->> '$.request.digest' IS NOT NULL;
END;
COMMIT;
PRAGMA application_id = 1953000304;
PRAGMA user_version = 1;

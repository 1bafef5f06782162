BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE answer (
	id INTEGER NOT NULL,
	submission VARCHAR(64) NOT NULL,
	assignment INTEGER NOT NULL,
	version INTEGER NOT NULL,
	answer TEXT NOT NULL,
	skip TEXT DEFAULT '' NOT NULL,
	comment TEXT DEFAULT '' NOT NULL,
	milliseconds INTEGER NOT NULL,
	trail TEXT DEFAULT '' NOT NULL,
	status VARCHAR(8) NOT NULL,
	at FLOAT NOT NULL,
	PRIMARY KEY (id),
	CONSTRAINT one_of_each_version UNIQUE (assignment, version),
	UNIQUE (submission),
	FOREIGN KEY(assignment) REFERENCES assignment (id)
);
INSERT INTO "answer" VALUES(1,'s1',1,1,'{"judgment": "error"}','','',0,'','saved',1000000.0);
INSERT INTO "answer" VALUES(2,'s2',2,1,'{"judgment": "ok"}','','',0,'','saved',1000010.0);
INSERT INTO "answer" VALUES(3,'s3',3,1,'{"judgment": "error"}','','',0,'','saved',1000020.0);
INSERT INTO "answer" VALUES(4,'s4',4,1,'{"judgment": "ok"}','','',0,'','saved',1000030.0);
INSERT INTO "answer" VALUES(5,'s5',5,1,'{"judgment": "error"}','','',0,'','saved',1000040.0);
INSERT INTO "answer" VALUES(6,'s6',6,1,'{"judgment": "ok"}','','',0,'','saved',1000050.0);
INSERT INTO "answer" VALUES(7,'s7',7,1,'{"judgment": "error"}','','',0,'','saved',1000060.0);
INSERT INTO "answer" VALUES(8,'s8',8,1,'{"judgment": "ok"}','','',0,'','saved',1000070.0);
INSERT INTO "answer" VALUES(9,'s9',9,1,'{"judgment": "error"}','','',0,'','saved',1000080.0);
INSERT INTO "answer" VALUES(10,'s10',10,1,'null','unclear','',0,'','saved',1000080.0);
INSERT INTO "answer" VALUES(11,'s11',13,1,'{"judgment": "error"}','','',0,'','saved',1007280.0);
INSERT INTO "answer" VALUES(12,'s12',14,1,'{"judgment": "error"}','','',0,'','saved',1007280.0);
CREATE TABLE assignment (
	id INTEGER NOT NULL,
	token VARCHAR(32) NOT NULL,
	item INTEGER NOT NULL,
	rater INTEGER NOT NULL,
	round VARCHAR(8) NOT NULL,
	seq INTEGER NOT NULL,
	answered INTEGER,
	reversed INTEGER NOT NULL,
	state VARCHAR(8) NOT NULL,
	version INTEGER DEFAULT '0' NOT NULL,
	lease_until FLOAT NOT NULL,
	stands_for BIGINT,
	PRIMARY KEY (id),
	CONSTRAINT never_twice UNIQUE (item, rater, round),
	CONSTRAINT one_order UNIQUE (rater, seq),
	UNIQUE (token),
	FOREIGN KEY(item) REFERENCES item (id),
	FOREIGN KEY(rater) REFERENCES rater (id)
);
INSERT INTO "assignment" VALUES(1,'f69e9379d95f52d40eee4062',3,1,'main',1,1,0,'done',1,1003600.0,NULL);
INSERT INTO "assignment" VALUES(2,'01396893ef89e3d6e674fd9d',1,1,'main',2,2,0,'done',1,1003610.0,NULL);
INSERT INTO "assignment" VALUES(3,'9c80c099623076620607833d',2,1,'main',3,3,0,'done',1,1003620.0,NULL);
INSERT INTO "assignment" VALUES(4,'333a4cce6911d1ec7713fa33',8,1,'main',4,4,0,'done',1,1003630.0,NULL);
INSERT INTO "assignment" VALUES(5,'2bd8ff4e42f28509a28ad7a8',9,1,'main',5,5,0,'done',1,1003640.0,NULL);
INSERT INTO "assignment" VALUES(6,'c2527cabebe703d6f2dcaf15',6,1,'main',6,6,0,'done',1,1003650.0,NULL);
INSERT INTO "assignment" VALUES(7,'2c472195df72a551ecf6987f',5,1,'main',7,7,0,'done',1,1003660.0,NULL);
INSERT INTO "assignment" VALUES(8,'b31912ced0fd5269b153a9d4',4,1,'main',8,8,0,'done',1,1003670.0,NULL);
INSERT INTO "assignment" VALUES(9,'fcf1e24fbf862933f4dfb0cc',7,2,'main',1,1,0,'done',1,1003680.0,NULL);
INSERT INTO "assignment" VALUES(10,'2d1158bd90cac171d79f6cd5',8,2,'main',2,2,0,'skipped',1,1003680.0,NULL);
INSERT INTO "assignment" VALUES(11,'a120bef8a5e10633ca499ad2',3,2,'main',3,NULL,0,'expired',0,1003680.0,NULL);
INSERT INTO "assignment" VALUES(12,'ff03855196543de0fb4075bf',1,2,'main',4,NULL,0,'expired',0,1003680.0,NULL);
INSERT INTO "assignment" VALUES(13,'0b2559076b4c782cc0ff02e4',3,3,'main',1,1,0,'aside',1,1010880.0,NULL);
INSERT INTO "assignment" VALUES(14,'c0aa6cf36935c96dd051e4f4',1,3,'main',2,2,0,'aside',1,1010880.0,NULL);
INSERT INTO "assignment" VALUES(15,'81782b06f7233488a14a0337',12,3,'main',3,NULL,0,'expired',0,1010880.0,2);
INSERT INTO "assignment" VALUES(16,'0e0f75729723e46ef3fdfa9e',3,4,'main',1,NULL,0,'open',0,1010880.0,NULL);
INSERT INTO "assignment" VALUES(17,'8b308fa1805ef24ef0690b89',4,4,'main',2,NULL,0,'open',0,1010880.0,NULL);
CREATE TABLE event (
	id INTEGER NOT NULL,
	at FLOAT NOT NULL,
	kind VARCHAR(32) NOT NULL,
	rater INTEGER,
	assignment INTEGER,
	submission VARCHAR(64),
	data TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (submission)
);
INSERT INTO "event" VALUES(1,1000000.0,'rules',NULL,NULL,NULL,'{"raters_per_item": 2, "items_per_rater": 8, "page": 10, "lease_minutes": 60, "gold_per_page": 1, "quiz": 0, "quiz_pass": 0.7, "policy": "none", "policy_share": 0.7, "policy_gold": 10, "repeats": 0.0, "pay": "", "consent": "", "eligibility": [], "language": "en", "direction": "auto", "stop": ""}');
INSERT INTO "event" VALUES(2,1000000.0,'items',NULL,NULL,NULL,'{"added": 13}');
INSERT INTO "event" VALUES(3,1000000.0,'claimed',1,1,NULL,'');
INSERT INTO "event" VALUES(4,1000000.0,'answered',1,1,'s1','{"receipt": {"id": "s1", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(5,1000010.0,'claimed',1,2,NULL,'');
INSERT INTO "event" VALUES(6,1000010.0,'answered',1,2,'s2','{"receipt": {"id": "s2", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(7,1000020.0,'claimed',1,3,NULL,'');
INSERT INTO "event" VALUES(8,1000020.0,'answered',1,3,'s3','{"receipt": {"id": "s3", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(9,1000030.0,'claimed',1,4,NULL,'');
INSERT INTO "event" VALUES(10,1000030.0,'answered',1,4,'s4','{"receipt": {"id": "s4", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(11,1000040.0,'claimed',1,5,NULL,'');
INSERT INTO "event" VALUES(12,1000040.0,'answered',1,5,'s5','{"receipt": {"id": "s5", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(13,1000050.0,'claimed',1,6,NULL,'');
INSERT INTO "event" VALUES(14,1000050.0,'answered',1,6,'s6','{"receipt": {"id": "s6", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(15,1000060.0,'claimed',1,7,NULL,'');
INSERT INTO "event" VALUES(16,1000060.0,'answered',1,7,'s7','{"receipt": {"id": "s7", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(17,1000070.0,'claimed',1,8,NULL,'');
INSERT INTO "event" VALUES(18,1000070.0,'answered',1,8,'s8','{"receipt": {"id": "s8", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(19,1000080.0,'code',1,NULL,NULL,'{"judged": 8}');
INSERT INTO "event" VALUES(20,1000080.0,'claimed',2,9,NULL,'');
INSERT INTO "event" VALUES(21,1000080.0,'claimed',2,10,NULL,'');
INSERT INTO "event" VALUES(22,1000080.0,'claimed',2,11,NULL,'');
INSERT INTO "event" VALUES(23,1000080.0,'claimed',2,12,NULL,'');
INSERT INTO "event" VALUES(24,1000080.0,'answered',2,9,'s9','{"receipt": {"id": "s9", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(25,1000080.0,'answered',2,10,'s10','{"receipt": {"id": "s10", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "skipped"}');
INSERT INTO "event" VALUES(26,1007280.0,'expired',2,11,NULL,'');
INSERT INTO "event" VALUES(27,1007280.0,'expired',2,12,NULL,'');
INSERT INTO "event" VALUES(28,1007280.0,'claimed',3,13,NULL,'');
INSERT INTO "event" VALUES(29,1007280.0,'claimed',3,14,NULL,'');
INSERT INTO "event" VALUES(30,1007280.0,'claimed',3,15,NULL,'');
INSERT INTO "event" VALUES(31,1007280.0,'answered',3,13,'s11','{"receipt": {"id": "s11", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(32,1007280.0,'answered',3,14,'s12','{"receipt": {"id": "s12", "status": "saved", "version": 1, "stored": null, "why": "", "feedback": null}, "state": "done"}');
INSERT INTO "event" VALUES(33,1007280.0,'excluded',3,NULL,NULL,'too fast');
INSERT INTO "event" VALUES(34,1007280.0,'expired',3,15,NULL,'');
INSERT INTO "event" VALUES(35,1007280.0,'aside',3,13,NULL,'');
INSERT INTO "event" VALUES(36,1007280.0,'aside',3,14,NULL,'');
INSERT INTO "event" VALUES(37,1007280.0,'claimed',4,16,NULL,'');
INSERT INTO "event" VALUES(38,1007280.0,'claimed',4,17,NULL,'');
INSERT INTO "event" VALUES(39,1007280.0,'stopped',NULL,NULL,NULL,'{"item": "w8", "reason": "a typo"}');
CREATE TABLE exclusion (
	id INTEGER NOT NULL,
	rater INTEGER NOT NULL,
	reason TEXT NOT NULL,
	"by" VARCHAR(64) NOT NULL,
	since FLOAT NOT NULL,
	until FLOAT,
	undone_by VARCHAR(64),
	PRIMARY KEY (id),
	FOREIGN KEY(rater) REFERENCES rater (id)
);
INSERT INTO "exclusion" VALUES(1,3,'too fast','manager',1007280.0,NULL,NULL);
CREATE TABLE free (
	taken INTEGER NOT NULL,
	block INTEGER NOT NULL,
	bits BIGINT NOT NULL,
	PRIMARY KEY (taken, block)
);
INSERT INTO "free" VALUES(0,0,0);
INSERT INTO "free" VALUES(1,0,366);
INSERT INTO "free" VALUES(2,0,129);
CREATE TABLE had (
	rater INTEGER NOT NULL,
	block INTEGER NOT NULL,
	bits BIGINT NOT NULL,
	PRIMARY KEY (rater, block),
	FOREIGN KEY(rater) REFERENCES rater (id)
);
INSERT INTO "had" VALUES(1,0,255);
INSERT INTO "had" VALUES(2,0,264);
INSERT INTO "had" VALUES(3,0,3);
INSERT INTO "had" VALUES(4,0,129);
CREATE TABLE invite (
	id INTEGER NOT NULL,
	token_hash VARCHAR(64) NOT NULL,
	kind VARCHAR(16) NOT NULL,
	label VARCHAR(128) NOT NULL,
	made FLOAT NOT NULL,
	expires FLOAT,
	revoked FLOAT,
	uses INTEGER DEFAULT '0' NOT NULL,
	most_uses INTEGER,
	PRIMARY KEY (id),
	UNIQUE (token_hash)
);
CREATE TABLE item (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	kind VARCHAR(8) NOT NULL,
	gold_class TEXT DEFAULT '' NOT NULL,
	payload TEXT NOT NULL,
	text_hash VARCHAR(16) NOT NULL,
	place INTEGER,
	taken INTEGER DEFAULT '0' NOT NULL,
	stopped TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (id),
	CONSTRAINT taken_not_negative CHECK (taken >= 0),
	UNIQUE (name),
	UNIQUE (place)
);
INSERT INTO "item" VALUES(1,'w0','work','','{"name": "w0", "text": "This is the sentence of w0 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','fd6430b54916129a',1,1,'');
INSERT INTO "item" VALUES(2,'w1','work','','{"name": "w1", "text": "This is the sentence of w1 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','a19422a64fd4d6be',2,1,'');
INSERT INTO "item" VALUES(3,'w2','work','','{"name": "w2", "text": "This is the sentence of w2 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','46be7df2fdeff68c',0,2,'');
INSERT INTO "item" VALUES(4,'w3','work','','{"name": "w3", "text": "This is the sentence of w3 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','15984c675ab73764',7,2,'');
INSERT INTO "item" VALUES(5,'w4','work','','{"name": "w4", "text": "This is the sentence of w4 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','e4bab9dbcf1849c9',6,1,'');
INSERT INTO "item" VALUES(6,'w5','work','','{"name": "w5", "text": "This is the sentence of w5 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','83b831005b6ea08e',5,1,'');
INSERT INTO "item" VALUES(7,'w6','work','','{"name": "w6", "text": "This is the sentence of w6 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','7bf8309159e1930f',8,1,'');
INSERT INTO "item" VALUES(8,'w7','work','','{"name": "w7", "text": "This is the sentence of w7 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','2cdb33b7b688c94d',3,1,'');
INSERT INTO "item" VALUES(9,'w8','work','','{"name": "w8", "text": "This is the sentence of w8 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "work", "answers": [], "explanation": "", "hidden": {}}','6ff256d2cac461e0',4,1,'a typo');
INSERT INTO "item" VALUES(10,'g0','gold','error','{"name": "g0", "text": "This is the sentence of g0 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "gold", "answers": ["error"], "explanation": "Because.", "hidden": {}}','3eabaab1e4e2f0c8',NULL,0,'');
INSERT INTO "item" VALUES(11,'g1','gold','ok','{"name": "g1", "text": "This is the sentence of g1 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "gold", "answers": ["ok"], "explanation": "Because.", "hidden": {}}','33e8f3b88ba92120',NULL,0,'');
INSERT INTO "item" VALUES(12,'g2','gold','error','{"name": "g2", "text": "This is the sentence of g2 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "gold", "answers": ["error"], "explanation": "Because.", "hidden": {}}','7d32669b9be7d927',NULL,0,'');
INSERT INTO "item" VALUES(13,'g3','gold','ok','{"name": "g3", "text": "This is the sentence of g3 .", "span": [0, 4], "before": "", "candidates": [], "names": [], "kind": "gold", "answers": ["ok"], "explanation": "Because.", "hidden": {}}','c039e7c8b7663c65',NULL,0,'');
CREATE TABLE rater (
	id INTEGER NOT NULL,
	name VARCHAR(128) NOT NULL,
	participant VARCHAR(256) NOT NULL,
	invite INTEGER,
	seed INTEGER NOT NULL,
	status VARCHAR(16) NOT NULL,
	quiz VARCHAR(16) DEFAULT 'due' NOT NULL,
	claims INTEGER DEFAULT '0' NOT NULL,
	answered INTEGER DEFAULT '0' NOT NULL,
	judged INTEGER DEFAULT '0' NOT NULL,
	joined FLOAT NOT NULL,
	agreed TEXT DEFAULT '{}' NOT NULL,
	code VARCHAR(32),
	code_used FLOAT,
	code_for INTEGER,
	volume BIGINT DEFAULT '0' NOT NULL,
	gold TEXT DEFAULT '[]',
	due TEXT,
	PRIMARY KEY (id),
	UNIQUE (name),
	UNIQUE (participant),
	FOREIGN KEY(invite) REFERENCES invite (id),
	UNIQUE (code)
);
INSERT INTO "rater" VALUES(1,'r1','p1',NULL,1,'active','due',8,8,8,0.0,'{}','BCFD-EJD3-2VWX',NULL,8,4372,'[]','[11]');
INSERT INTO "rater" VALUES(2,'r2','p2',NULL,2,'active','due',4,2,1,0.0,'{}',NULL,NULL,NULL,1086,'[]','[10]');
INSERT INTO "rater" VALUES(3,'r3','p3',NULL,3,'excluded','due',3,2,2,0.0,'{}',NULL,NULL,NULL,1096,'[]','[]');
INSERT INTO "rater" VALUES(4,'r4','p4',NULL,4,'active','due',2,0,0,0.0,'{}',NULL,NULL,NULL,0,'[]','[13]');
CREATE TABLE session (
	token_hash VARCHAR(64) NOT NULL,
	rater INTEGER,
	made FLOAT NOT NULL,
	expires FLOAT NOT NULL,
	PRIMARY KEY (token_hash),
	FOREIGN KEY(rater) REFERENCES rater (id)
);
CREATE TABLE study (
	name VARCHAR(64) NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
);
INSERT INTO "study" VALUES('rules','{"raters_per_item": 2, "items_per_rater": 8, "page": 10, "lease_minutes": 60, "gold_per_page": 1, "quiz": 0, "quiz_pass": 0.7, "policy": "none", "policy_share": 0.7, "policy_gold": 10, "repeats": 0.0, "pay": "", "consent": "", "eligibility": [], "language": "en", "direction": "auto", "stop": ""}');
INSERT INTO "study" VALUES('scheme','{"name": "error-ok", "title": "Error or OK", "version": 1, "source": "Madnani, Tetreault, Chodorow & Rozovskaya 2011, They Can Help: Using Crowdsourcing to Improve the Evaluation of Grammatical Error Detection Systems, ACL, sections 2-3", "shows": "span", "main": "judgment", "questions": [{"id": "judgment", "kind": "one", "ask": "Is the marked place an error?", "options": [{"value": "error", "label": "Error", "key": "e", "help": "wrong English here", "abstains": false}, {"value": "ok", "label": "OK", "key": "o", "help": "it can stand as it is", "abstains": false}, {"value": "unknown", "label": "Unknown", "key": "u", "help": "one cannot tell", "abstains": true}], "required": true, "when": {}, "most": 1, "key": "", "help": "", "step": 1, "proposed": "", "nothing": ""}], "guidelines": "# Is the marked place an error?\n\nRead the whole sentence. Look at the marked place only: is what stands there wrong English?\n\n* **Error**: a careful native writer would not write it here.\n* **OK**: it can stand as it is, even if the rest of the sentence has other errors, and even if you would write it another way.\n* **Unknown**: the sentence is too unclear to tell. Do not use it for items that are merely hard.", "context_words": 0, "reversible": false, "headings": []}');
CREATE INDEX assignment_answered ON assignment (rater, answered);
CREATE INDEX assignment_leases ON assignment (state, lease_until);
CREATE INDEX assignment_of_rater ON assignment (rater, state);
CREATE INDEX free_some ON free (taken, block) WHERE bits != 0;
CREATE INDEX item_gold ON item (kind, gold_class);
COMMIT;

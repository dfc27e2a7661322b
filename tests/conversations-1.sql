BEGIN TRANSACTION;
CREATE TABLE chat (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,                -- as renamed, else empty: the first question stands for it
        created REAL NOT NULL,
        updated REAL NOT NULL,
        deleted REAL                        -- when; it is gone for good some time later
    );
INSERT INTO "chat" VALUES('dMLwCjTK0kwM','',1.79608632549444937709e+09,1.79608632549454402924e+09,NULL);
CREATE TABLE cited (
        turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
        abstract TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (turn, abstract)
    ) WITHOUT ROWID;
INSERT INTO "cited" VALUES(1,'pmid:3300001',1);
CREATE TABLE opinion (
        turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
        abstract TEXT NOT NULL,             -- of one citation; empty: of the answer
        good INTEGER,
        comment TEXT NOT NULL,
        given REAL NOT NULL,
        PRIMARY KEY (turn, abstract)
    ) WITHOUT ROWID;
CREATE TABLE turn (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat TEXT NOT NULL REFERENCES chat ON DELETE CASCADE,
        question TEXT NOT NULL,
        wish TEXT NOT NULL,                 -- JSON
        asked REAL NOT NULL,
        state TEXT NOT NULL,
        owner TEXT NOT NULL,                -- the process that answers
        stop INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL DEFAULT 0,
        text TEXT NOT NULL DEFAULT '',
        withdrawn TEXT NOT NULL DEFAULT '',
        answer TEXT,                        -- JSON, schema 1
        failure TEXT,                       -- JSON
        abstracts TEXT NOT NULL DEFAULT '{}', -- JSON by id
        aside INTEGER REFERENCES turn ON DELETE SET NULL -- the turn that took its place
    );
INSERT INTO "turn" VALUES(1,'dMLwCjTK0kwM','By how much did IL-6 rise without sleep?','{"filters": {}, "top_k": null, "style": null, "model": null}',1.79608632549454402924e+09,'done','4086-4bdf3f21',0,2,'IL-6 rises after a night without sleep [1]. IL-6 rose by 31% and fell back after one night of rest [1].','','{"schema": 1, "id": "", "question": "By how much did IL-6 rise without sleep?", "standalone_question": "By how much did IL-6 rise without sleep?", "status": "answered", "mode": "quotes", "answer": "IL-6 rises after a night without sleep [1]. IL-6 rose by 31% and fell back after one night of rest [1].", "reason": null, "detail": null, "input": {}, "filters": {}, "top_k": 8, "model": null, "sentences": [{"text": "IL-6 rises after a night without sleep.", "citations": [1], "verdict": "supported", "p_supported": 1.0, "evidence": [{"id": "pmid:3300001", "start": 0, "end": 39, "quote": "IL-6 rises after a night without sleep.", "text_sha": "2e3e5e9cd17d"}], "suggested": [], "opposed": []}, {"text": "IL-6 rose by 31% and fell back after one night of rest.", "citations": [1], "verdict": "supported", "p_supported": 1.0, "evidence": [{"id": "pmid:3300001", "start": 84, "end": 139, "quote": "IL-6 rose by 31% and fell back after one night of rest.", "text_sha": "2e3e5e9cd17d"}], "suggested": [], "opposed": []}], "citations": [{"number": 1, "id": "pmid:3300001", "title": "Interleukin 6 and sleep", "authors": ["Ada Lum"], "year": 2023, "url": "https://pubmed.ncbi.nlm.nih.gov/3300001", "source": "/home/ada/papers.jsonl:3", "sources": ["/home/ada/papers.jsonl:3"], "label": "Interleukin 6 and sleep"}], "hits": [{"id": "pmid:3300001", "title": "Interleukin 6 and sleep", "score": 5.566510423019028, "ranks": {"dense": 1, "lexical": 1}, "sent": true}, {"id": "doi:10.1000/heron", "title": "Heron: pruning retrieval heads", "score": -2.052882922138946, "ranks": {"dense": 2, "lexical": null}, "sent": true}, {"id": "arxiv:1901.00001", "title": "Soil moisture from satellite radar", "score": -3.5136275008800824, "ranks": {"dense": 3, "lexical": null}, "sent": true}], "left_out": [], "dropped_citations": 0, "repaired": false, "usage": {"prompt_tokens": null, "completion_tokens": null, "cost_usd": null}, "seconds": {"total": 0.1024, "retrieve": 0.0891, "llm": null, "verify": null}, "settings": "5c3dcbd55177", "index": "hashing+whole+sentences"}',NULL,'{"pmid:3300001": {"id": "pmid:3300001", "text": "IL-6 rises after a night without sleep. We measured 64 volunteers over five nights. IL-6 rose by 31% and fell back after one night of rest. Blood pressure did not change.", "raw": "IL-6 rises after a night without sleep. We measured 64 volunteers over five nights. IL-6 rose by 31% and fell back after one night of rest. Blood pressure did not change.", "title": "Interleukin 6 and sleep", "authors": ["Ada Lum"], "year": 2023, "venue": null, "url": "https://pubmed.ncbi.nlm.nih.gov/3300001", "keywords": [], "language": null, "retracted": null, "aliases": ["sha-2e3e5e9cd17d"], "sources": ["/home/ada/papers.jsonl:3"]}}',NULL);
CREATE INDEX chat_updated ON chat (updated);
CREATE INDEX turn_chat ON turn (chat, id);
CREATE INDEX turn_open ON turn (state) WHERE state IN ('waiting', 'running');
CREATE INDEX cited_abstract ON cited (abstract);
COMMIT;
PRAGMA user_version = 1;

/** Raise it when the tables or what is put into them change: an index of another version is thrown away and made again. */
export const KNOWLEDGE_VERSION = 1

export const tables = `
  CREATE TABLE files (
    number INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,
    path TEXT NOT NULL,
    mark TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (folder, path)
  );
  CREATE TABLE passages (number INTEGER PRIMARY KEY, file INTEGER NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX passages_file ON passages (file);
  CREATE VIRTUAL TABLE words USING fts5 (text, headings, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2");
`

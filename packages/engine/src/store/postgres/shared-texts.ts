import type { SharedTexts } from '../template-uses-port.ts'
import type { Ask } from './auxiliary-tables.ts'
import type { Connection, Database } from './database.ts'

/** Templates as the texts of files, by name. */
export const templateTexts = `
  CREATE TABLE template_texts (name text COLLATE "C" PRIMARY KEY, text text NOT NULL);`

export const sharedTexts = (database: Database, ask: Ask): SharedTexts => ({
  all: () => ask(() => textsIn(database)),
  change: async (work) => {
    const changed = await ask(() =>
      database.transaction(async (connection) => {
        await connection.run('LOCK TABLE template_texts IN EXCLUSIVE MODE')
        const before = await textsIn(connection)
        const texts = new Map(before)
        const done = await work(texts)
        if (done.ok) await store(connection, before, texts)
        return done
      }),
    )
    return changed.ok ? changed.value : changed
  },
})

async function textsIn({ rows }: Pick<Connection, 'rows'>): Promise<Map<string, string>> {
  const found = await rows('SELECT name, text FROM template_texts ORDER BY name')
  return new Map(found.map(({ name, text }) => [String(name), String(text)]))
}

async function store(
  { run }: Connection,
  before: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const gone = [...before.keys()].filter((name) => !texts.has(name))
  if (gone.length > 0) await run('DELETE FROM template_texts WHERE name = ANY($1)', [gone])
  const changed = [...texts].filter(([name, text]) => before.get(name) !== text)
  if (changed.length > 0)
    await run(
      `INSERT INTO template_texts SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (name) DO UPDATE SET text = excluded.text`,
      [changed.map(([name]) => name), changed.map(([, text]) => text)],
    )
}

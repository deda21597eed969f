import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoreLab } from '../conformance/lab.ts'
import { openSqliteStore } from '../index.ts'
import type { EventStore } from '../port.ts'

async function openIn(file: string): Promise<EventStore> {
  const opened = await openSqliteStore(file)
  if (!opened.ok) throw new Error(opened.message)
  return opened.value
}

const fileIn = (folder: string): string => join(folder, 'ledger.db')

/** Tells the conformance suite how to get at a store in a SQLite file. */
const lab: StoreLab<string> = {
  open: async () => {
    const place = mkdtempSync(join(tmpdir(), 'panoptes-store-'))
    return { place, store: await openIn(fileIn(place)) }
  },
  reopen: (place) => openIn(fileIn(place)),
  destroy: async (place) => rmSync(place, { recursive: true, force: true }),
  backupFile: (place) => join(place, 'copies', `${randomUUID()}.db`),
  restore: openIn,
  spoil: async (place) => {
    const db = new DatabaseSync(fileIn(place))
    db.exec(`UPDATE projection_rows SET doc = json_set(doc, '$.events', 7) WHERE name = 'counters'`)
    db.exec(`DELETE FROM projection_rows WHERE name = 'agents' AND key IN
      (SELECT key FROM projection_rows WHERE name = 'agents' LIMIT 3)`)
    db.close()
  },
}

export const sqliteLab = lab as StoreLab

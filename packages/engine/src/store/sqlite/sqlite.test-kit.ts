import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
const newFolder = (): string => mkdtempSync(join(tmpdir(), 'panoptes-store-'))

/** The file of an empty store. Tests open copies of it, because a new store waits for the disk at every migration. */
let emptyFile: Promise<Buffer> | undefined

async function createEmptyFile(): Promise<Buffer> {
  const folder = newFolder()
  try {
    await (await openIn(fileIn(folder))).close()
    return readFileSync(fileIn(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Tells the conformance suite how to get at a store in a SQLite file. */
const lab: StoreLab<string> = {
  open: async () => {
    emptyFile ??= createEmptyFile()
    const place = newFolder()
    writeFileSync(fileIn(place), await emptyFile)
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

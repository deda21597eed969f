import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { LedgerLab } from '../conformance/lab.ts'
import { openSqliteLedger } from '../index.ts'
import type { Ledger } from '../port.ts'

async function openIn(file: string): Promise<Ledger> {
  const opened = await openSqliteLedger(file)
  if (!opened.ok) throw new Error(opened.message)
  return opened.value
}

const fileIn = (folder: string): string => join(folder, 'ledger.db')

/** How the conformance suite gets at a ledger in a SQLite file. */
const lab: LedgerLab<string> = {
  open: async () => {
    const place = mkdtempSync(join(tmpdir(), 'panoptes-ledger-'))
    return { place, ledger: await openIn(fileIn(place)) }
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

export const sqliteLab = lab as LedgerLab

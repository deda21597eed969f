import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteLedger } from '@panoptes/engine/ledger'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faultsOf, type Log, type Promised } from './crash-check.ts'
import { Stream } from './crash-stream.ts'

describe('the check after a kill', () => {
  let folder = ''
  let file = ''
  let log: Log = []
  let promised: Promised[] = []

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panoptes-check-'))
    file = join(folder, 'ledger.db')
    log = []
    promised = [1, 2].map((seed) => ({ stream: new Stream(seed), acknowledged: 50, sent: 60 }))
    const ledger = await openSqliteLedger(file)
    if (!ledger.ok) throw new Error(ledger.message)
    for (const { stream, acknowledged } of promised) await ledger.value.append(stream.slice(0, acknowledged))
    await ledger.value.close()
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const change = (sql: string): void => {
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
  }

  it('finds nothing wrong with a whole ledger, and learns what it holds', async () => {
    expect(await faultsOf(file, log, promised)).toEqual([])
    expect(log).toHaveLength(100)
  })

  it('takes what retention dropped before it was looked at for dropped, not for lost', async () => {
    const ledger = await openSqliteLedger(file)
    if (!ledger.ok) throw new Error(ledger.message)
    const before = promised[0]?.stream.slice(30, 31)[0]?.ts
    const gone = await ledger.value.retain({ before })
    await ledger.value.close()
    expect(gone.ok && gone.value).toBeGreaterThan(0)
    expect(await faultsOf(file, log, promised)).toEqual([])
    change('DELETE FROM events WHERE seq > 95')
    expect((await faultsOf(file, [], promised)).join()).toContain('5 that were acknowledged are not there')
  })

  it('sees each thing that may not happen', async () => {
    const wrongs: readonly (readonly [string, RegExp])[] = [
      ['DELETE FROM events WHERE seq = 40', /rows for 1 to 100/],
      ["UPDATE events SET body = json_set(body, '$.key', 'other') WHERE seq = 40", /other was never sent/],
      ["UPDATE events SET body = json_set(body, '$.host', 'elsewhere') WHERE seq = 40", /not what was sent/],
      [
        "UPDATE projection_rows SET doc = json_set(doc, '$.events', 7) WHERE name = 'counters'",
        /differ|counters/,
      ],
      ['DELETE FROM events WHERE seq > 90', /10 that were acknowledged are not there/],
    ]
    for (const [sql, says] of wrongs) {
      const copy = join(folder, 'before.db')
      rmSync(copy, { force: true })
      change(`VACUUM INTO '${copy}'`)
      change(sql)
      const faults = await faultsOf(file, [], promised)
      expect(faults.join('; '), sql).toMatch(says)
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
      const db = new DatabaseSync(copy)
      db.exec(`VACUUM INTO '${file}'`)
      db.close()
    }
  })

  it('sees a log that is not the one it knew', async () => {
    expect((await faultsOf(file, ['something else'], promised))[0]).toContain('seq 1 was something else')
    expect(await faultsOf(file, Array(101).fill('x'), promised)).toEqual(['had 101 events, has 100'])
  })
})

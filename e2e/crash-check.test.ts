import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '@panoptes/engine/store'
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
    const store = await openSqliteStore(file)
    if (!store.ok) throw new Error(store.message)
    for (const { stream, acknowledged } of promised) await store.value.append(stream.slice(0, acknowledged))
    await store.value.close()
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const change = (sql: string): void => {
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
  }

  it('finds no fault in an intact store, and learns its content', async () => {
    expect(await faultsOf(file, log, promised)).toEqual([])
    expect(log).toHaveLength(100)
  })

  it('counts events as dropped, not lost, that retention removed before the check', async () => {
    const store = await openSqliteStore(file)
    if (!store.ok) throw new Error(store.message)
    const before = promised[0]?.stream.slice(30, 31)[0]?.ts
    const gone = await store.value.retain({ before })
    await store.value.close()
    expect(gone.ok && gone.value).toBeGreaterThan(0)
    expect(await faultsOf(file, log, promised)).toEqual([])
    change('DELETE FROM events WHERE seq > 95')
    expect((await faultsOf(file, [], promised)).join()).toContain('5 that were acknowledged are not there')
  })

  it('detects each possible fault', async () => {
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

  it('detects a log that differs from the earlier one', async () => {
    expect((await faultsOf(file, ['something else'], promised))[0]).toContain('seq 1 was something else')
    expect(await faultsOf(file, Array(101).fill('x'), promised)).toEqual(['had 101 events, has 100'])
  })
})

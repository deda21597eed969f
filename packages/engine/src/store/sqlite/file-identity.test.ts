import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { events } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import { type EventStore, openSqliteStore } from '../index.ts'

let folder = ''
let home = ''
let store: EventStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-gone-'))
  home = join(folder, 'home')
  mkdirSync(home)
  store = value(await openSqliteStore(join(home, 'ledger.db')))
  value(await store.append(events(10)))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const GONE = { ok: false, code: 'gone', message: expect.stringContaining('panoptes up') }

describe('store whose files are removed while it is open', () => {
  it.each([
    ['the folder is deleted', () => rmSync(home, { recursive: true })],
    ['the folder is moved', () => renameSync(home, `${home}-moved`)],
    [
      'the folder is replaced by an empty one',
      () => {
        renameSync(home, `${home}-moved`)
        mkdirSync(home)
      },
    ],
    [
      'the file is replaced by a copy',
      () => {
        copyFileSync(join(home, 'ledger.db'), join(folder, 'copy'))
        renameSync(join(folder, 'copy'), join(home, 'ledger.db'))
      },
    ],
    ['the write-ahead log is deleted', () => rmSync(join(home, 'ledger.db-wal'))],
    ['the index of that log is deleted', () => rmSync(join(home, 'ledger.db-shm'))],
    ['the lock is deleted', () => rmSync(join(home, 'ledger.db.lock'))],
  ])('refuses every change when %s', async (_, takeAway) => {
    expect(await store.checkWritable()).toEqual({ ok: true, value: null })
    takeAway()
    expect(await store.append(events(3, 'more'))).toMatchObject(GONE)
    expect(await store.append([], { mark: 'x' })).toMatchObject(GONE)
    expect(await store.checkWritable()).toMatchObject(GONE)
    expect(await store.annotations.saveFilter('mine', {})).toMatchObject(GONE)
    expect(await store.retain({ maxBytes: 1 })).toMatchObject(GONE)
    expect(await store.rebuild({ check: false })).toMatchObject(GONE)
    expect(value(await store.head()).last).toBe(10)
  })

  it('creates no file in a folder that took the place of its own', async () => {
    renameSync(home, `${home}-moved`)
    mkdirSync(home)
    expect(await store.verify()).toMatchObject({ ok: false })
    expect(existsSync(join(home, 'ledger.db'))).toBe(false)
  })

  it('continues without loss when the same folder is put back', async () => {
    renameSync(home, `${home}-moved`)
    expect(await store.append(events(3, 'more'))).toMatchObject(GONE)
    renameSync(`${home}-moved`, home)
    expect(value(await store.checkWritable())).toBeNull()
    expect(value(await store.append(events(3, 'more')))).toMatchObject({ accepted: 3, last: 13 })
    expect(value(await store.verify())).toEqual([])
  })
})

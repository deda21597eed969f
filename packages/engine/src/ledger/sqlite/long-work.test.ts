import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { events } from '../conformance/kit.ts'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openSqliteLedger } from './ledger.ts'

let home = ''
let ledger: Ledger

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-copies-'))
  ledger = value(await openSqliteLedger(join(home, 'ledger.db')))
})

afterEach(async () => {
  await ledger.close()
  rmSync(home, { recursive: true, force: true })
})

/** On a busy machine the word to stop may come when all is done: then it is tried again. */
async function untilRefused(attempt: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
  for (let tries = 1; tries < 10; tries += 1) {
    const told = await attempt()
    if (!told.ok) return told
  }
  return attempt()
}

describe('a copy', () => {
  it('is for its owner alone', async () => {
    value(await ledger.append(events(10)))
    value(await ledger.backup(join(home, 'copies', 'copy.db')))
    expect(statSync(join(home, 'copies', 'copy.db')).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'copies')).mode & 0o777).toBe(0o700)
  })

  it('to a place that cannot be is refused by its own name, and the ledger goes on', async () => {
    writeFileSync(join(home, 'plain'), '')
    for (const target of [join(home, 'plain', 'copy.db'), '/proc/x/y/copy.db', '/dev/null/copy.db']) {
      const told = await ledger.backup(target)
      expect(told).toMatchObject({ ok: false, message: expect.stringContaining(target) })
      expect(value(await ledger.info()).head.last).toBe(0)
    }
  })

  it('under way when the ledger closes is stopped and leaves no trace', async () => {
    for (let n = 0; n < 8; n += 1) value(await ledger.append(events(5_000, `b${n}-`)))
    const copy = join(home, 'copies', 'copy.db')
    const told = await untilRefused(async () => {
      rmSync(copy, { force: true })
      let close: Promise<void> | undefined
      const onProgress = () => {
        close ??= ledger.close()
      }
      const copied = await ledger.backup(copy, { onProgress })
      await close
      ledger = value(await openSqliteLedger(join(home, 'ledger.db')))
      return copied
    })
    expect(told).toMatchObject({ ok: false, code: 'stopped' })
    expect(readdirSync(join(home, 'copies'))).toEqual([])
  })
})

describe('the check of a copy', () => {
  it('says how far it is, and leaves no trace when it is stopped', async () => {
    for (let n = 0; n < 4; n += 1) value(await ledger.append(events(5_000, `b${n}-`)))
    const copy = join(home, 'copies', 'copy.db')
    const checked: number[] = []
    const told = await untilRefused(() => {
      rmSync(copy, { force: true })
      const stop = new AbortController()
      const onProgress = (done: number, total: number) => {
        if (done < total / 2) return
        checked.push(done / total)
        stop.abort()
      }
      return ledger.backup(copy, { onProgress, signal: stop.signal })
    })
    expect(told).toMatchObject({ ok: false, code: 'stopped' })
    expect(checked[0]).toBe(0.5)
    expect(readdirSync(join(home, 'copies'))).toEqual([])
  })
})

describe('a rebuild', () => {
  it('under way when the ledger closes is stopped, so that closing takes no longer than a slice', async () => {
    for (let n = 0; n < 4; n += 1) value(await ledger.append(events(5_000, `b${n}-`)))
    const told = await untilRefused(async () => {
      let close: Promise<void> | undefined
      const onProgress = () => {
        close ??= ledger.close()
      }
      const rebuilt = await ledger.rebuild({ check: false, onProgress })
      await close
      ledger = value(await openSqliteLedger(join(home, 'ledger.db')))
      return rebuilt
    })
    expect(told).toMatchObject({ ok: false, code: 'stopped' })
    expect(value(await ledger.rebuild({ check: true }))).toMatchObject({ events: 20_000, differences: 0 })
  })
})

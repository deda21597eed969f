import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { events } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { openSqliteStore } from './sqlite-store.ts'

let home = ''
let store: EventStore

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-copies-'))
  store = value(await openSqliteStore(join(home, 'ledger.db')))
})

afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true, force: true })
})

/** On a busy machine the stop may arrive after the work is done; then the attempt is repeated. */
async function untilRefused(attempt: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
  for (let tries = 1; tries < 10; tries += 1) {
    const result = await attempt()
    if (!result.ok) return result
  }
  return attempt()
}

describe('backup file', () => {
  it('is readable only by its owner', async () => {
    value(await store.append(events(10)))
    value(await store.backup(join(home, 'copies', 'copy.db')))
    expect(statSync(join(home, 'copies', 'copy.db')).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'copies')).mode & 0o777).toBe(0o700)
  })

  it('names its own path when the place is unusable, and the store keeps working', async () => {
    writeFileSync(join(home, 'plain'), '')
    for (const target of [join(home, 'plain', 'copy.db'), '/proc/x/y/copy.db', '/dev/null/copy.db']) {
      const result = await store.backup(target)
      expect(result).toMatchObject({ ok: false, message: expect.stringContaining(target) })
      expect(value(await store.info()).head.last).toBe(0)
    }
  })

  it('is stopped without a trace when the store closes', async () => {
    for (let n = 0; n < 8; n += 1) value(await store.append(events(5_000, `b${n}-`)))
    const copy = join(home, 'copies', 'copy.db')
    const result = await untilRefused(async () => {
      rmSync(copy, { force: true })
      let close: Promise<void> | undefined
      const onProgress = () => {
        close ??= store.close()
      }
      const copied = await store.backup(copy, { onProgress })
      await close
      store = value(await openSqliteStore(join(home, 'ledger.db')))
      return copied
    })
    expect(result).toMatchObject({ ok: false, code: 'stopped' })
    expect(readdirSync(join(home, 'copies'))).toEqual([])
  })
})

describe('check of a backup', () => {
  it('reports progress, and leaves no trace when it is stopped', async () => {
    for (let n = 0; n < 4; n += 1) value(await store.append(events(5_000, `b${n}-`)))
    const copy = join(home, 'copies', 'copy.db')
    const checked: number[] = []
    const result = await untilRefused(() => {
      rmSync(copy, { force: true })
      const stop = new AbortController()
      const onProgress = (done: number, total: number) => {
        if (done < total / 2) return
        checked.push(done / total)
        stop.abort()
      }
      return store.backup(copy, { onProgress, signal: stop.signal })
    })
    expect(result).toMatchObject({ ok: false, code: 'stopped' })
    // The copy is the first half of the work. How far the check was at its first report depends on the machine.
    expect(checked[0]).toBeGreaterThanOrEqual(0.5)
    expect(checked[0]).toBeLessThan(1)
    expect(readdirSync(join(home, 'copies'))).toEqual([])
  })
})

describe('rebuild', () => {
  it('is stopped when the store closes, so that closing takes no longer than a slice', async () => {
    for (let n = 0; n < 4; n += 1) value(await store.append(events(5_000, `b${n}-`)))
    const result = await untilRefused(async () => {
      let close: Promise<void> | undefined
      const onProgress = () => {
        close ??= store.close()
      }
      const rebuilt = await store.rebuild({ check: false, onProgress })
      await close
      store = value(await openSqliteStore(join(home, 'ledger.db')))
      return rebuilt
    })
    expect(result).toMatchObject({ ok: false, code: 'stopped' })
    expect(value(await store.rebuild({ check: true }))).toMatchObject({ events: 20_000, differences: 0 })
  })
})

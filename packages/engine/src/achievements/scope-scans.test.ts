import type { AchievementStore, ContributionRow } from '@panoptes/engine/store'
import { failure, success } from '@panoptes/schema/result'
import { describe, expect, it } from 'vitest'
import type { HistorySpec } from './history.ts'
import type { Scanner } from './scanner.ts'
import { ScopeScans } from './scope-scans.ts'

const SPEC: HistorySpec = { kind: 'hermes', scope: 'hermes /a', path: '/a' }
const TOTALS = { rescanned: 1, reused: 0, messages: 0, failed: 0, skipped: [] }
const never = new AbortController().signal
const ignore = () => undefined

/** A worker that answers on command, and an event store with this many sessions. */
function lab(sessions = 0) {
  const ended: ((stopped: boolean) => void)[] = []
  const scans: boolean[] = []
  const known: number[] = []
  const call = (method: string, args: readonly unknown[], work?: { readonly signal?: AbortSignal }) => {
    if (method === 'know') known.push((args[2] as readonly unknown[]).length)
    if (method !== 'scan') return Promise.resolve(success(null))
    scans.push(args[1] === true)
    return new Promise((resolve) => {
      const end = (stopped: boolean) => resolve(stopped ? failure('stopped', 'Stopped.') : success(TOTALS))
      ended.push(end)
      work?.signal?.addEventListener('abort', () => end(true))
    })
  }
  const rows = Array.from({ length: sessions }, (_, n) => ({ id: String(n).padStart(6, '0') }))
  const achievementStore = {
    contributions: async (_scope: string, after: string, limit: number) =>
      success(rows.filter(({ id }) => id > after).slice(0, limit) as unknown as ContributionRow[]),
    drop: async () => success(0),
  } as unknown as AchievementStore
  const scanner = { call } as unknown as Scanner
  const scopes = new ScopeScans({ scanner, achievementStore, older: () => [], changed: ignore })
  const begun = async (count: number) => {
    await expect.poll(() => scans.length).toBe(count)
  }
  return { scopes, ended, scans, known, begun, achievementStore }
}

describe('scans of a scope', () => {
  it('are shared by all callers', async () => {
    const { scopes, ended, scans, begun, known } = lab(12_000)
    const asked = Array.from({ length: 5 }, () => scopes.scan(SPEC, false, ignore, never))
    await begun(1)
    ended[0]?.(false)
    expect(await Promise.all(asked)).toEqual(asked.map(() => success(TOTALS)))
    expect(scans).toEqual([false])
    expect(known).toEqual([5_000, 5_000, 2_000])
  })

  it('read everything in a scan of their own if requested', async () => {
    const { scopes, ended, scans, begun } = lab()
    const some = scopes.scan(SPEC, false, ignore, never)
    const all = [scopes.scan(SPEC, true, ignore, never), scopes.scan(SPEC, true, ignore, never)]
    await begun(1)
    ended[0]?.(false)
    await some
    await begun(2)
    ended[1]?.(false)
    await Promise.all(all)
    expect(scans).toEqual([false, true])
  })

  it('are joined by a partial scan if they read everything', async () => {
    const { scopes, ended, scans, begun } = lab()
    const asked = [true, false].map((full) => scopes.scan(SPEC, full, ignore, never))
    await begun(1)
    ended[0]?.(false)
    expect(await Promise.all(asked)).toEqual(asked.map(() => success(TOTALS)))
    expect(scans).toEqual([true])
  })

  it('stop when nobody needs them any more, and not before', async () => {
    const { scopes, begun } = lab()
    const [one, two] = [new AbortController(), new AbortController()]
    const asked = [one, two].map(({ signal }) => scopes.scan(SPEC, false, ignore, signal))
    await begun(1)
    one.abort()
    await expect(Promise.race([asked[1], Promise.resolve('goes on')])).resolves.toBe('goes on')
    two.abort()
    expect(await asked[1]).toMatchObject({ ok: false, code: 'stopped' })
  })

  it('reload the stored rows after they were unloaded, and after a failure', async () => {
    const { scopes, known, achievementStore } = lab(3)
    expect(await scopes.know(SPEC)).toBeUndefined()
    expect(await scopes.know(SPEC)).toBeUndefined()
    expect(await scopes.unload(SPEC.scope)).toBeUndefined()
    const read = achievementStore.contributions
    achievementStore.contributions = () => Promise.reject(new Error('of no kind'))
    expect(await scopes.know(SPEC)).toMatchObject({
      ok: false,
      message: expect.stringContaining('of no kind'),
    })
    achievementStore.contributions = read
    expect(await scopes.know(SPEC)).toBeUndefined()
    expect(known).toEqual([3, 3])
  })

  it('wait for exclusive work', async () => {
    const { scopes, ended, scans, begun } = lab()
    const work = Promise.withResolvers<string>()
    const alone = scopes.alone(
      async () => undefined,
      () => work.promise,
    )
    const stopped = new AbortController()
    const given = scopes.scan(SPEC, false, ignore, stopped.signal)
    const waiting = scopes.scan(SPEC, false, ignore, never)
    stopped.abort()
    expect(await given).toMatchObject({ ok: false, code: 'stopped' })
    expect(scans).toEqual([])
    work.resolve('done')
    expect(await alone).toBe('done')
    await begun(1)
    ended[0]?.(false)
    expect(await waiting).toEqual(success(TOTALS))
  })
})

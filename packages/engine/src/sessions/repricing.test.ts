import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openSessions, type SessionsOptions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-kept-'))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs Panoptes with these settings and returns what it reads and shows. */
async function run(options: Partial<SessionsOptions>) {
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env, ...options }))
  try {
    unwrap(await sessions.refresh())
    const read = sessions.status().reduce((sum, { total }) => sum + total, 0)
    const list = unwrap(await sessions.list({ limit: 10 }))
    const of = (title: string) => list.find((each) => each.title === title)?.spent
    return { read, list, of }
  } finally {
    await sessions.close()
  }
}

describe('changed prices', () => {
  it('re-read and reprice only the sessions with affected models', async () => {
    const first = await run({})
    expect(first.read).toBe(4)
    expect((await run({})).read).toBe(0)
    // Only one of the four sessions has Haiku agents.
    const haiku = await run({ prices: { 'claude-haiku-4-5-20251001': { input: 0, output: 0 } } })
    expect(haiku.read).toBe(1)
    expect(haiku.of('RUN:failure')).toEqual(first.of('RUN:failure'))
    expect(haiku.of('RUN:parallel')?.cost_micro_usd).toBeLessThan(
      first.of('RUN:parallel')?.cost_micro_usd ?? 0,
    )
    const opus = { 'claude-opus-4-8': { input: 1, output: 2, cache_read: 3, cache_write: 4 } }
    const own = await run({ prices: opus })
    expect(own.read).toBe(4)
    expect(own.of('RUN:failure')?.cost_micro_usd).toBe(303 * 1 + 126 * 2 + 150 * 3 + 21 * 4)
    expect((await run({ prices: opus })).read).toBe(0)
    expect((await run({})).list.map(({ spent }) => spent)).toEqual(first.list.map(({ spent }) => spent))
  })
})

describe('expired sessions', () => {
  it('are dropped, not read repeatedly, and return when the limit allows', async () => {
    const days = (count: number) => ({ maxAgeDays: count })
    expect((await run(days(36_500))).list).toHaveLength(4)
    const aged = await run(days(0.000_001))
    expect(aged).toMatchObject({ read: 0, list: [] })
    expect(await run(days(0.000_001))).toMatchObject({ read: 0, list: [] })
    expect(await run({})).toMatchObject({ read: 4, list: { length: 4 } })
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HERMES, hermesOf, openHome, readFile, settle, tempHome, unwrap } from './achievements.test-kit.ts'
import type { View } from './view.ts'

describe('a scan', () => {
  it('is one for two hundred who ask at once, and for both views', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const { achievements } = await openHome(home)
    const views = Array.from({ length: 200 }, (_, at): View => ({ source: at % 2 === 0 ? 'all' : 'hermes' }))
    const replies = await Promise.all(views.map((view) => achievements.get(view, { wait: true })))
    for (const reply of replies) expect(unwrap(reply).scan_meta.sessions_total).toBe(1)
    for (const source of ['all', 'hermes'] as const)
      expect(achievements.status({ source })).toMatchObject({ run_count: 1, state: 'idle' })
    await achievements.get(HERMES, { wait: true })
    expect(achievements.status(HERMES)).toMatchObject({ run_count: 1, ttl_seconds: 120 })
  })

  it('is made again when the snapshot is older than its time, behind the answer', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('a', ['error'])
    const first = await openHome(home)
    await settle(first.achievements)
    await first.close()
    const file = join(home.files, 'scan_snapshot.json')
    writeFileSync(file, JSON.stringify({ ...readFile(file), generated_at: Date.now() / 1_000 - 121 }))
    const { achievements } = await openHome(home)
    db.add('b', ['error'])
    const old = unwrap(await achievements.get(HERMES, { wait: true }))
    expect(old).toMatchObject({
      is_stale: true,
      scan_meta: { sessions_total: 1, status: { state: 'running' } },
    })
    await achievements.settled(HERMES)
    const now = unwrap(await achievements.get(HERMES, { wait: true }))
    expect(now).toMatchObject({ is_stale: false, scan_meta: { sessions_total: 2, sessions_rescanned: 1 } })
    expect(JSON.stringify(now)).not.toContain('tool_call_count')
  })

  it('is waited for only so long', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const { achievements } = await openHome(home, { waitMs: 1 })
    const reply = unwrap(await achievements.get(HERMES, { wait: true }))
    expect(reply).toMatchObject({ total_count: 60, scan_meta: { status: { run_count: 1 } } })
  })

  it('goes on where it was stopped', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    const text = 'nothing of note '.repeat(400)
    for (let n = 0; n < 300; n += 1)
      db.add(
        `s${n}`,
        Array.from({ length: 30 }, () => text),
      )
    const first = await openHome(home)
    first.achievements.rescan(HERMES, { full: false })
    const { achievements: scanning } = first
    // A scan that is over before anybody looks has no progress any more.
    const hasBegun = () => {
      const { state, progress } = scanning.status(HERMES)
      return state !== 'running' || (progress?.done ?? 0) > 0
    }
    await expect.poll(hasBegun, { interval: 1 }).toBe(true)
    await first.close()
    const { ledger, achievements } = await openHome(home)
    const scope = `hermes ${db.path}`
    const kept = unwrap(await ledger.achieved.contributions(scope, '', 1_000)).length
    const { scan_meta } = await settle(achievements)
    expect(kept).toBeGreaterThan(0)
    expect(scan_meta).toMatchObject({
      sessions_reused: kept,
      sessions_rescanned: 300 - kept,
      sessions_total: 300,
    })
  })

  it('that runs while everything is reset leaves nothing behind', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    for (let n = 0; n < 200; n += 1) db.add(`s${n}`, ['error'], { model: 'ollama/a' })
    const { achievements, ledger } = await openHome(home)
    achievements.rescan(HERMES, { full: false })
    achievements.rescan({ source: 'all' }, { full: false })
    unwrap(await achievements.reset(HERMES))
    expect(unwrap(await ledger.achieved.unlocks('hermes'))).toEqual([])
    expect((await settle(achievements)).scan_meta).toMatchObject({ sessions_total: 200, mode: 'full' })
  })

  it('that is to read everything comes after one that does not', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const { achievements } = await openHome(home)
    await settle(achievements)
    const soon = achievements.rescan(HERMES, { full: false })
    const full = achievements.rescan(HERMES, { full: true })
    expect(full.run_id).not.toBe(soon.run_id)
    await achievements.settled(HERMES)
    expect(achievements.status(HERMES)).toMatchObject({ run_id: full.run_id, run_count: 3 })
    expect(unwrap(await achievements.get(HERMES, { wait: true })).scan_meta.sessions_rescanned).toBe(1)
  })

  it('tells what it unlocked, unless it is the first to look', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('a', ['error'], { model: 'ollama/a' })
    const { achievements } = await openHome(home)
    const told: string[] = []
    achievements.onUnlocked((items) => told.push(...items.map(({ id, tier }) => `${id} ${tier}`)))
    await settle(achievements)
    expect(told).toEqual([])
    db.add('b', ['error'], { model: 'ollama/b' })
    db.add('c', ['error'], { model: 'ollama/c' })
    await settle(achievements)
    await settle(achievements)
    expect(told).toEqual(['open_weights_pilgrim Silver'])
  })
})

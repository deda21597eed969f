import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HERMES, hermesOf, openHome, readFile, settle, tempHome, unwrap } from './achievements.test-kit.ts'
import type { View } from './view.ts'

describe('scan of sessions', () => {
  it('is shared by two hundred concurrent callers of both views', async () => {
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

  it('runs in the background while a stale snapshot is returned', async () => {
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

  it('makes a caller wait no longer than its limit', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const { achievements } = await openHome(home, { waitMs: 1 })
    const reply = unwrap(await achievements.get(HERMES, { wait: true }))
    expect(reply).toMatchObject({ total_count: 60, scan_meta: { status: { run_count: 1 } } })
  })

  it('resumes after a shutdown and reuses the sessions it had counted', async () => {
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
    // A scan may end before the first poll, and then reports no progress.
    const hasBegun = () => {
      const { state, progress } = scanning.status(HERMES)
      return state !== 'running' || (progress?.done ?? 0) > 0
    }
    await expect.poll(hasBegun, { interval: 1 }).toBe(true)
    await first.close()
    const { store, achievements } = await openHome(home)
    const scope = `hermes ${db.path}`
    const stored = unwrap(await store.achievementStore.contributions(scope, '', 1_000)).length
    const { scan_meta } = await settle(achievements)
    expect(stored).toBeGreaterThan(0)
    expect(scan_meta).toMatchObject({
      sessions_reused: stored,
      sessions_rescanned: 300 - stored,
      sessions_total: 300,
    })
  })

  it('leaves no unlocks behind if a reset interrupts it', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    for (let n = 0; n < 200; n += 1) db.add(`s${n}`, ['error'], { model: 'ollama/a' })
    const { achievements, store } = await openHome(home)
    achievements.rescan(HERMES, { full: false })
    achievements.rescan({ source: 'all' }, { full: false })
    unwrap(await achievements.reset(HERMES))
    expect(unwrap(await store.achievementStore.unlocks('hermes'))).toEqual([])
    expect((await settle(achievements)).scan_meta).toMatchObject({ sessions_total: 200, mode: 'full' })
  })

  it('runs in full after an active incremental scan', async () => {
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

  it('reports what it unlocked, except for the first scan', async () => {
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

import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { success } from '@panoptes/schema/result'
import { describe, expect, it } from 'vitest'
import {
  ALL,
  HERMES,
  hermesDb,
  hermesOf,
  itemOf,
  openHome,
  readFile,
  settle,
  tempHome,
  unwrap,
} from './achievements.test-kit.ts'
import { openAchievements } from './open.ts'

const spoil = (path: string) => writeFileSync(path, 'no database at all, but long enough '.repeat(100))

/** A Claude Code session with one message. */
function claude(folder: string, text = 'error') {
  const place = join(folder, '.claude', 'projects', '-atlas')
  mkdirSync(place, { recursive: true })
  const message = { role: 'user', content: text }
  const line = { type: 'user', uuid: 'u', sessionId: 'c', timestamp: '2026-05-05T10:00:00Z', message }
  writeFileSync(join(place, 'c.jsonl'), `${JSON.stringify(line)}\n`)
}

describe('while a scan runs', () => {
  it('an earlier failure does not hide the existing snapshot', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.db.close()
    spoil(db.path)
    const { achievements } = await openHome(home)
    expect(await achievements.get(HERMES, { wait: true })).toMatchObject({ ok: false, code: 'corrupt' })
    rmSync(db.path)
    hermesDb(db.path).add('a', ['error'])
    // A request right afterwards still returns the failure and starts no scan; otherwise a watching
    // page would never see it.
    expect(await achievements.get(HERMES, { wait: false })).toMatchObject({ ok: false, code: 'corrupt' })
    expect(achievements.status(HERMES)).toMatchObject({ state: 'failed', run_count: 1 })
    achievements.rescan(HERMES, { full: false })
    const reply = unwrap(await achievements.get(HERMES, { wait: false }))
    expect(reply).toMatchObject({
      is_stale: true,
      error: expect.stringContaining(db.path),
      scan_meta: { mode: 'pending', status: { state: 'running' } },
    })
    expect(unwrap(await achievements.get(HERMES, { wait: true }))).toMatchObject({
      error: null,
      scan_meta: { sessions_total: 1 },
    })
  })

  it('a caller gets an unfinished scan at its time limit, and a reset does not end the waiting', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    for (let n = 0; n < 300; n += 1) db.add(`s${n}`, ['error '.repeat(500)])
    const short = await openHome(home, { waitMs: 0 })
    expect(unwrap(await short.achievements.get(HERMES, { wait: true })).scan_meta).toMatchObject({
      mode: 'in_progress',
      status: { state: 'running' },
    })
    await short.close()
    const { achievements } = await openHome(home)
    const waiting = achievements.get({ ...HERMES, zone: 'Asia/Tokyo' }, { wait: true })
    unwrap(await achievements.reset(HERMES))
    expect(unwrap(await waiting)).toMatchObject({ error: null, scan_meta: { sessions_total: 300 } })
  })

  it('metrics are returned as far as counted, and without waiting if requested', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const first = await openHome(home)
    const cold = unwrap(await first.achievements.get(HERMES, { wait: false, aggregate: true }))
    expect(cold.scan_meta.mode).toBe('pending')
    expect(cold).not.toHaveProperty('aggregate')
    await settle(first.achievements)
    expect(unwrap(await first.achievements.get(HERMES, { wait: false }))).not.toHaveProperty('aggregate')
    await first.close()
    const { achievements } = await openHome(home)
    const fresh = unwrap(await achievements.get(HERMES, { wait: true, aggregate: true }))
    expect(fresh).toMatchObject({ is_stale: false, aggregate: { total_errors: 1, session_count: 1 } })
    expect(achievements.status(HERMES).run_count).toBe(0)
  })
})

describe('unreadable session data', () => {
  it('of one agent marks the snapshot as stale, is reported, and does not stop the others', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('a', ['error'])
    claude(home.folder)
    const { achievements } = await openHome(home)
    expect(await settle(achievements, ALL)).toMatchObject({ is_stale: false, scan_meta: { error: null } })
    db.db.close()
    spoil(db.path)
    const reply = await settle(achievements, ALL)
    expect(reply).toMatchObject({ is_stale: true, error: null, scan_meta: { sessions_total: 2 } })
    expect(reply.scan_meta.error).toContain(db.path)
    expect(achievements.status(ALL)).toMatchObject({ state: 'idle', last_error: reply.scan_meta.error })
    rmSync(db.path)
    hermesDb(db.path).add('a', ['error'])
    expect(await settle(achievements, ALL)).toMatchObject({ is_stale: false, scan_meta: { error: null } })
    expect(achievements.status(ALL).last_error).toBeNull()
  })

  it('that is not a file is rejected without blocking others', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const endless = '/dev/zero'
    const { achievements } = await openHome(home)
    for (const hermesDb of [endless, home.folder])
      expect(await achievements.get({ source: 'hermes', hermesDb }, { wait: true })).toMatchObject({
        ok: false,
        code: 'invalid',
        message: expect.stringContaining(hermesDb),
      })
    expect(unwrap(await achievements.get(HERMES, { wait: true })).scan_meta.sessions_total).toBe(1)
    const other = tempHome()
    mkdirSync(other.env.HERMES_HOME ?? '')
    symlinkSync(endless, join(other.env.HERMES_HOME ?? '', 'state.db'))
    const second = await openHome(other)
    expect(await second.achievements.get(HERMES, { wait: true })).toMatchObject({
      ok: false,
      code: 'invalid',
    })
  })

  it('in a checkpoint does not stop counting', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('a', ['error'])
    mkdirSync(home.files)
    const sessions = { a: { fingerprint: { hash: 'x' }, contribution: { metrics: null } } }
    const written = { schema_version: 1, database: db.path, sessions }
    writeFileSync(join(home.files, 'scan_checkpoint.json'), JSON.stringify(written))
    const { achievements } = await openHome(home)
    expect(await settle(achievements)).toMatchObject({ error: null, scan_meta: { sessions_total: 1 } })
  })
})

describe('data that could not be stored', () => {
  it('is read again by the next scan', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    const { store } = await openHome(home)
    let full = true
    const achievementStore: typeof store.achievementStore = {
      ...store.achievementStore,
      contribute: async (rows) =>
        full
          ? { ok: false, code: 'io', message: 'The disk is full.' }
          : store.achievementStore.contribute(rows),
    }
    const forgotten = unwrap(await store.forgetting.forgotten())
    const achievements = openAchievements({
      achievementStore,
      // All of its sessions are Hermes'.
      sessions: { refresh: async () => success(null), onRead: () => () => undefined },
      forgotten,
      folder: home.files,
      env: home.env,
      zone: 'UTC',
    })
    expect(await achievements.get(HERMES, { wait: true })).toMatchObject({ ok: false, code: 'io' })
    full = false
    const reply = await settle(achievements)
    expect(reply).toMatchObject({ error: null, scan_meta: { sessions_rescanned: 1, sessions_total: 1 } })
    expect(Object.keys(readFile(join(home.files, 'state.json')))).toContain('unlocks')
    const scope = `hermes ${join(home.env.HERMES_HOME ?? '', 'state.db')}`
    expect(unwrap(await store.achievementStore.contributions(scope, '', 10))).toHaveLength(1)
    await achievements.close()
  })
})

describe('view of Hermes', () => {
  it('is counted together with all agents, and written to its files', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('a', ['error'])
    const { achievements, close } = await openHome(home)
    const told: string[] = []
    achievements.onUnlocked((items, { source }) => told.push(...items.map(({ id }) => `${source} ${id}`)))
    await settle(achievements, ALL)
    // What the first count finds is not news, so it must end before there is any.
    unwrap(await achievements.get(HERMES, { wait: true }))
    db.add('b', ['error'], { model: 'ollama/a' })
    await settle(achievements, ALL)
    // The view of Hermes is counted after the one of all agents.
    await expect
      .poll(() => told.toSorted())
      .toEqual(['all open_weights_pilgrim', 'hermes open_weights_pilgrim'])
    await achievements.settled(HERMES)
    await close()
    expect(readFile(join(home.files, 'state.json')).unlocks).toHaveProperty('open_weights_pilgrim')
    const { achievements: items } = readFile(join(home.files, 'scan_snapshot.json'))
    expect(itemOf(items, 'open_weights_pilgrim')).toMatchObject({ unlocked: true })
  })

  it('is not created if Hermes is not installed', async () => {
    const home = tempHome()
    claude(home.folder)
    const { achievements, close } = await openHome(home)
    await settle(achievements, ALL)
    await close()
    expect(existsSync(join(home.files, 'state.json'))).toBe(false)
  })
})

describe('evidence of an achievement', () => {
  it('names the source of the session, except in the view of Hermes, which has its own format', async () => {
    const home = tempHome()
    hermesOf(home).add(
      'long',
      Array.from({ length: 301 }, () => 'hello'),
    )
    const { achievements } = await openHome(home)
    const of = async (view: typeof ALL | typeof HERMES) =>
      itemOf((await settle(achievements, view)).achievements, 'supposed_to_be_quick')
    const evidence = { session_id: 'long', title: 'About long', value: 301 }
    expect(await of(ALL)).toMatchObject({ evidence: { ...evidence, source: 'hermes' } })
    const own = await of(HERMES)
    expect(own.evidence).toEqual(evidence)
    expect(own.best_session).toEqual({ ...evidence, source: 'hermes' })
  })
})

describe('explicitly requested database', () => {
  it('returns its earlier unlocks before it is counted again', async () => {
    const home = tempHome()
    const other = hermesDb(join(home.folder, 'other.db'))
    other.add('a', ['error'], { model: 'ollama/a' })
    const view = { source: 'hermes', hermesDb: other.path } as const
    const first = await openHome(home)
    await settle(first.achievements, view)
    await first.close()
    const { achievements } = await openHome(home)
    const recent = unwrap(await achievements.recent(view))
    expect(recent.map(({ id }) => id)).toEqual(['open_weights_pilgrim'])
    expect(achievements.status(view).run_count).toBe(0)
  })
})

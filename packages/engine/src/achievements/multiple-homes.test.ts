import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  ALL,
  count,
  HERMES,
  type Home,
  hermesDb,
  hermesOf,
  itemOf,
  openHome,
  readFile,
  settle,
  tempHome,
  unwrap,
} from './achievements.test-kit.ts'

/** Another home of Hermes with the same home of Panoptes. */
const beside = (home: Home, hermes: string): Home => ({ ...home, env: { ...home.env, HERMES_HOME: hermes } })

async function counted(home: Home) {
  const { achievements, close } = await openHome(home)
  const replies = [await settle(achievements), await settle(achievements, ALL)]
  const sums = [await count(achievements), await count(achievements, ALL)]
  await close()
  return {
    sessions: sums.map(({ session_count }) => session_count),
    unlocked: replies.map(({ unlocked_count }) => unlocked_count),
  }
}

describe('two homes of Hermes', () => {
  it('do not mix in one event store, whichever is counted first and however often', async () => {
    const one = tempHome()
    const two = beside(one, join(one.folder, 'second'))
    const [first, second] = [hermesOf(one), hermesOf(two)]
    for (const id of ['a', 'b', 'c']) first.add(id, ['error'])
    second.add('a', ['error'], { model: 'ollama/a' })
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await counted(one)).toEqual({ sessions: [3, 3], unlocked: [0, 0] })
      expect(await counted(two)).toEqual({ sessions: [1, 1], unlocked: [1, 1] })
    }
    expect(readFile(join(one.files, 'scan_checkpoint.json')).database).toBe(first.path)
    expect(readFile(join(one.files, 'state.json')).unlocks).toEqual({})
    expect(readFile(join(one.files, 'scan_snapshot.json')).unlocked_count).toBe(0)
  })

  it('count their sessions once if one is a profile of the other', async () => {
    const one = tempHome()
    const profile = beside(one, join(one.env.HERMES_HOME ?? '', 'profiles', 'work'))
    hermesOf(one).add('a', ['error'])
    hermesOf(profile).add('b', ['error'])
    expect((await counted(profile)).sessions).toEqual([1, 1])
    expect((await counted(one)).sessions).toEqual([1, 2])
    expect((await counted(profile)).sessions).toEqual([1, 1])
  })

  it('take no files of each other with a new event store', async () => {
    const one = tempHome()
    const two = beside(one, join(one.folder, 'second'))
    hermesOf(one).add('a', ['error'], { model: 'ollama/a' })
    hermesOf(two).add('b', ['error'])
    expect((await counted(one)).unlocked).toEqual([1, 1])
    for (const end of ['', '-wal', '-shm']) rmSync(`${one.storeFile}${end}`, { force: true })
    const { achievements } = await openHome(two)
    expect(achievements.status(HERMES)).toMatchObject({ snapshot_generated_at: null })
    expect(await settle(achievements)).toMatchObject({ unlocked_count: 0, scan_meta: { sessions_total: 1 } })
  })
})

describe('time zone', () => {
  it('stays that of the first count until another is configured', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['x'], { started_at: Date.UTC(2026, 5, 1, 23, 30) / 1_000 })
    const asOf = async (tz: string, zone?: string) => {
      const before = process.env.TZ
      process.env.TZ = tz
      const { achievements, close } = await openHome(home, { zone: zone ?? null })
      const reply = await settle(achievements)
      const { night_sessions } = await count(achievements)
      await close()
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
      return [reply.time_zone, night_sessions]
    }
    expect(await asOf('UTC')).toEqual(['UTC', 1])
    expect(await asOf('America/New_York')).toEqual(['UTC', 1])
    expect(await asOf('UTC', 'asia/tokyo')).toEqual(['Asia/Tokyo', 0])
    expect(await asOf('America/New_York')).toEqual(['UTC', 1])
  })

  it('has one view under all its names', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['x'], { model: 'ollama/a' })
    const { achievements, store } = await openHome(home)
    for (const zone of ['utc', 'Etc/UTC', 'UTC', 'asia/tokyo', 'Asia/Tokyo'])
      await settle(achievements, { source: 'hermes', zone })
    expect(achievements.status(HERMES).run_count).toBe(3)
    expect(achievements.status({ source: 'hermes', zone: 'Asia/Tokyo' }).run_count).toBe(2)
    expect(unwrap(await store.achievementStore.unlocks('hermes\nAsia/Tokyo'))).toHaveLength(1)
  })
})

describe('reset', () => {
  it('of one view leaves the others unchanged', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('gone', ['error'], { model: 'ollama/a' })
    db.add('here', ['error'])
    const other = hermesDb(join(home.folder, 'other.db'))
    other.add('x', ['error'])
    const { achievements } = await openHome(home)
    await settle(achievements, ALL)
    await settle(achievements)
    db.run("DELETE FROM sessions WHERE id = 'gone'; DELETE FROM messages WHERE session_id = 'gone'")
    const sums = async () =>
      Promise.all(
        [ALL, HERMES].map(async (view) => (await settle(achievements, view)).scan_meta.sessions_total),
      )
    for (const view of [
      { ...ALL, hermesDb: other.path },
      { ...ALL, zone: 'Asia/Tokyo' },
      { ...HERMES, zone: 'Asia/Tokyo' },
    ]) {
      await settle(achievements, view)
      unwrap(await achievements.reset(view))
      expect(await sums()).toEqual([2, 2])
    }
    expect(unwrap(await achievements.reset({ ...HERMES, zone: 'UTC' }))).toBe(1)
    expect(await sums()).toEqual([2, 1])
    expect(itemOf((await settle(achievements, ALL)).achievements, 'open_weights_pilgrim').unlocked).toBe(true)
    unwrap(await achievements.reset(ALL))
    expect(await sums()).toEqual([1, 1])
  })

  it('of one view survives a restart, and earlier unlocks of Hermes stay removed', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add('gone', ['error'])
    const folder = join(home.env.HERMES_HOME ?? '', 'plugins', 'hermes-achievements')
    mkdirSync(folder, { recursive: true })
    const unlocks = { let_him_cook: { unlocked_at: 1_700_000_000, first_tier: 'Copper' } }
    writeFileSync(join(folder, 'state.json'), JSON.stringify({ unlocks }))
    const first = await openHome(home)
    expect(await settle(first.achievements)).toMatchObject({ unlocked_count: 1 })
    unwrap(await first.achievements.reset(HERMES))
    await first.close()
    db.run('DELETE FROM sessions; DELETE FROM messages')
    rmSync(home.files, { recursive: true, force: true })
    const { achievements } = await openHome(home)
    expect(await settle(achievements)).toMatchObject({ unlocked_count: 0, scan_meta: { sessions_total: 0 } })
  })
})

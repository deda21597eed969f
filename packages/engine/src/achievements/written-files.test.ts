import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  count,
  HERMES,
  hermesOf,
  itemOf,
  NOON,
  openHome,
  readFile,
  settle,
  tempHome,
  unwrap,
} from './achievements.test-kit.ts'

describe('achievement files', () => {
  it('have the format of Hermes, and a new event store continues from them', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    const { achievements, close } = await openHome(home)
    db.add('a', ['error', 'error'], { model: 'ollama/a' })
    db.add('away', ['error'], { archived: 1 })
    await settle(achievements)
    const file = join(home.files, 'scan_checkpoint.json')
    await expect.poll(() => existsSync(file)).toBe(true)
    const checkpoint = readFile(file)
    expect(checkpoint).toMatchObject({ schema_version: 1, generated_at: expect.any(Number) })
    expect(checkpoint.sessions.a).toMatchObject({
      fingerprint: { updated_at: NOON + 2, message_count: 2, hash: expect.any(String) },
      contribution: { metrics: { error_count: 2, message_count: 2 } },
    })
    await close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${home.storeFile}${end}`, { force: true })
    const again = await openHome(home)
    db.run("UPDATE sessions SET archived = 0 WHERE id = 'away'")
    const { scan_meta } = await settle(again.achievements)
    expect(scan_meta).toMatchObject({ sessions_reused: 1, sessions_rescanned: 0, sessions_total: 1 })
    expect(await count(again.achievements)).toMatchObject({ total_errors: 2 })
    expect(readdirSync(home.files).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it("of Hermes' plugin provide their dates once, wherever they are", async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'], { model: 'ollama/a' })
    const write = (place: string, unlocks: object, mark = '') => {
      const folder = join(home.env.HERMES_HOME ?? '', place, 'hermes-achievements')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'state.json'), `${mark}${JSON.stringify({ unlocks })}`)
    }
    const evidence = { session_id: 'old', title: 'Old', value: 900 }
    write('plugins', {
      let_him_cook: { unlocked_at: 1_700_000_000, first_tier: 'Silver', evidence },
      bad: null,
    })
    write(
      'plugin-data',
      { marathon_operator: { unlocked_at: 1_700_000_001, first_tier: 'Copper' } },
      '\ufeff',
    )
    const { achievements, store, close } = await openHome(home)
    const { achievements: items } = await settle(achievements)
    expect(itemOf(items, 'let_him_cook')).toMatchObject({
      state: 'unlocked',
      tier: 'Silver',
      unlocked_at: 1_700_000_000,
      evidence,
    })
    expect(itemOf(items, 'marathon_operator')).toMatchObject({ tier: 'Copper', unlocked_at: 1_700_000_001 })
    expect(unwrap(await store.achievementStore.unlocks('hermes')).map(({ id }) => id)).toContain(
      'let_him_cook',
    )
    unwrap(await achievements.forget([{ source: 'hermes', id: 'old' }]))
    expect(readFileSync(join(home.files, 'state.json'), 'utf8')).not.toContain('old')
    unwrap(await achievements.reset(HERMES))
    await close()
    const again = await openHome(home)
    const anew = await settle(again.achievements)
    expect(itemOf(anew.achievements, 'let_him_cook').unlocked).toBe(false)
    expect(itemOf(anew.achievements, 'open_weights_pilgrim').unlocked).toBe(true)
  })

  it('lose the name of a forgotten session and keep its numbers', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    db.add(
      'secret one',
      Array.from({ length: 301 }, () => 'error'),
    )
    const { achievements, close } = await openHome(home)
    await settle(achievements)
    await achievements.get({ source: 'all' }, { wait: true })
    expect(unwrap(await achievements.forget([{ source: 'hermes', id: 'secret one' }]))).toBe(2)
    await settle(achievements)
    expect(await count(achievements)).toMatchObject({ session_count: 1, max_messages_in_session: 301 })
    await close()
    for (const name of readdirSync(home.files))
      expect(readFileSync(join(home.files, name), 'utf8')).not.toContain('secret one')
  })

  it('that cannot be written are reported without stopping anything else', async () => {
    const home = tempHome()
    hermesOf(home).add('a', ['error'])
    writeFileSync(home.files, 'no folder')
    const { achievements } = await openHome(home)
    const reply = await settle(achievements)
    expect(reply).toMatchObject({ error: expect.stringContaining('could not be written'), total_count: 60 })
    expect(achievements.status(HERMES).state).toBe('idle')
    expect(existsSync(home.files)).toBe(true)
  })
})

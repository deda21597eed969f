import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  count,
  HERMES,
  hermesDb,
  hermesOf,
  itemOf,
  NOON,
  openHome,
  readFile,
  settle,
  tempFolder,
  tempHome,
  unwrap,
} from './achievements.test-kit.ts'

const DAY = 86_400

describe('session metrics', () => {
  it('are read again only after a change and never fall', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    const { achievements } = await openHome(home)
    db.add('a', ['error', 'error'], { model: 'openai/gpt-5' })
    db.add('b', ['failed'])
    db.add('put away', ['error'], { archived: 1 })
    db.add('hidden', ['error'], { hidden: 1 })
    const first = await settle(achievements)
    expect(first.scan_meta).toMatchObject({ mode: 'full', sessions_rescanned: 2, messages_scanned: 3 })
    expect(await count(achievements)).toMatchObject({ session_count: 2, total_errors: 3 })

    db.run("DELETE FROM messages WHERE session_id = 'a' AND id = 1")
    db.run("UPDATE sessions SET archived = 1 WHERE id = 'b'")
    db.run("UPDATE sessions SET model = 'anthropic/claude' WHERE id = 'a'")
    const second = await settle(achievements)
    expect(second.scan_meta).toMatchObject({
      mode: 'incremental',
      sessions_rescanned: 2,
      messages_scanned: 2,
    })
    expect(await count(achievements)).toMatchObject({
      session_count: 2,
      total_errors: 3,
      max_messages_in_session: 2,
      distinct_model_count: 2,
    })

    db.run("DELETE FROM sessions WHERE id = 'a'; DELETE FROM messages WHERE session_id = 'a'")
    db.run('UPDATE sessions SET archived = 0, hidden = 0')
    const third = await settle(achievements)
    expect(third.scan_meta).toMatchObject({ sessions_rescanned: 1, sessions_reused: 0, sessions_total: 2 })
    expect((await settle(achievements)).scan_meta).toMatchObject({
      sessions_rescanned: 0,
      sessions_reused: 1,
    })
    expect(await count(achievements)).toMatchObject({ session_count: 2, total_errors: 3 })
    expect((await settle(achievements, HERMES, true)).scan_meta).toMatchObject({ sessions_rescanned: 1 })
    expect(await count(achievements)).toMatchObject({ session_count: 2, total_errors: 3 })
  })

  it('are dated by the sessions, tier by tier, and unlocks stay until a reset', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    const { achievements, close } = await openHome(home)
    for (const [n, model] of ['ollama/a', 'ollama/b', 'local/c'].entries())
      db.add(`s${n}`, ['hello'], { model, started_at: NOON + n * DAY })
    const pilgrim = itemOf((await settle(achievements)).achievements, 'open_weights_pilgrim')
    const dates = { Copper: NOON + 1, Silver: NOON + 2 * DAY + 1 }
    expect(pilgrim).toMatchObject({ tier: 'Silver', unlocked_at: NOON + 1, tier_dates: dates })

    await close()
    db.run('DELETE FROM sessions; DELETE FROM messages')
    const again = await openHome(home)
    const kept = await settle(again.achievements)
    expect(itemOf(kept.achievements, 'open_weights_pilgrim')).toEqual(pilgrim)
    expect(readFile(join(home.files, 'state.json')).unlocks.open_weights_pilgrim).toEqual({
      unlocked_at: NOON + 1,
      first_tier: 'Copper',
      evidence: null,
      tiers: dates,
    })

    expect(unwrap(await again.achievements.reset(HERMES))).toBeGreaterThan(0)
    const anew = await settle(again.achievements)
    expect(anew).toMatchObject({ unlocked_count: 0, scan_meta: { sessions_total: 0 } })
  })

  it('are not overwritten by an unreadable database, which is reported', async () => {
    const home = tempHome()
    const db = hermesOf(home)
    const { achievements } = await openHome(home)
    db.add('a', ['error'], { model: 'ollama/a' })
    const good = await settle(achievements)
    db.db.close()
    writeFileSync(db.path, 'no database at all, but long enough to be taken for one '.repeat(100))
    const bad = await settle(achievements)
    expect(bad).toMatchObject({ is_stale: true, error: expect.stringContaining('damaged') })
    expect(bad.achievements).toEqual(good.achievements)
    expect(bad.generated_at).toBe(good.generated_at)
    expect(achievements.status(HERMES)).toMatchObject({ state: 'failed', last_error: bad.error })
    expect(readFile(join(home.files, 'scan_snapshot.json')).unlocked_count).toBe(good.unlocked_count)

    const other = join(home.folder, 'other.db')
    writeFileSync(other, 'no database at all '.repeat(100))
    const none = await achievements.get({ source: 'hermes', hermesDb: other }, { wait: true })
    expect(none).toMatchObject({ ok: false, code: 'corrupt', message: expect.stringContaining(other) })
  })

  it('do not mix between two databases or two homes', async () => {
    const [one, two] = [tempHome(), tempHome()]
    hermesOf(one).add('a', ['error'])
    hermesOf(two).add('a', ['error', 'error'])
    const third = hermesDb(join(tempFolder(), 'third.db'))
    third.add('a', ['x', 'error', 'failed', 'blocked'])
    const first = (await openHome(one)).achievements
    const second = (await openHome(two)).achievements
    const view = { source: 'hermes', hermesDb: third.path } as const
    const errors = await Promise.all([count(first), count(second), count(first, view)])
    expect(errors.map(({ total_errors }) => total_errors)).toEqual([1, 2, 3])
    await expect
      .poll(() => readdirSync(one.files).sort())
      .toEqual(['scan_checkpoint.json', 'scan_snapshot.json', 'state.json'])
  })
})

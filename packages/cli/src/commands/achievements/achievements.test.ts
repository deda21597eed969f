import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AchievementItem, ScanMeta } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Panoptes } from '../../daemon/start.ts'
import { forget } from '../sessions/forget.ts'
import { homeWith, saidIn } from '../sessions/sessions.test-kit.ts'
import { type CountResult, withAchievements } from './access.ts'
import { fixture, makeDatabase, runDaemon } from './achievements.test-kit.ts'
import { list } from './list.ts'
import { rescan } from './rescan.ts'
import { reset } from './reset.ts'
import { show } from './show.ts'

interface Told {
  readonly counts: Readonly<Record<string, number>>
  readonly achievements: readonly AchievementItem[]
  readonly aggregate: Readonly<Record<string, number>>
  readonly time_zone: string
  readonly scan_meta: ScanMeta
}

interface Golden {
  readonly counts: object
  readonly achievements: readonly object[]
  readonly aggregate: object
}

const golden = JSON.parse(readFileSync(fixture('achievements-seed1.json'), 'utf8')) as Golden
const SMALL = { sessions: 12, messages: 10, seed: 7 }

/** Creates a home without sessions, and a database next to it. */
function home(made = SMALL) {
  const said = homeWith({})
  const { HOME = '' } = said.context.env
  const file = makeDatabase(join(HOME, 'some.db'), made)
  return { ...said, HOME, file, view: viewOf(file) }
}

const viewOf = (file: string) => ({ source: 'hermes', hermesDb: file, tz: 'UTC' })

describe('achievements without a daemon', () => {
  it('match the counts of Hermes in every state, tier, progress and sum', async () => {
    const { context, document, text, view } = home({ sessions: 200, messages: 40, seed: 1 })
    await list(context, view)
    const told = document() as Told
    expect(told.counts).toEqual(golden.counts)
    expect(told.aggregate).toEqual(golden.aggregate)
    expect(told.achievements).toMatchObject(golden.achievements)
    expect(text()).toMatch(/^31 of 60 unlocked, 29 discovered, 0 secret\n221 sessions of Hermes/)
    expect(text()).toMatch(
      /\nAgent Autonomy\n {2}discovered {2}– +171 \/ 200 to Copper +Let Him Cook +let_him_cook\n/,
    )
  })

  it('keep their numbers after the sessions are deleted', async () => {
    const { context, document, file, view } = home()
    await list(context, view)
    const before = document() as Told
    const db = new DatabaseSync(file)
    db.exec('DELETE FROM messages; DELETE FROM sessions')
    db.close()
    await list(context, view)
    expect((document() as Told).aggregate).toEqual(before.aggregate)
  })

  it('lose the names but not the numbers of forgotten sessions', async () => {
    const { context, document, HOME } = home()
    makeDatabase(join(HOME, '.hermes', 'state.db'), SMALL)
    await list(context, { source: 'hermes' })
    const before = document() as Told
    const folder = context.paths.achievements
    const texts = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(texts().some((text) => text.includes('edge_01'))).toBe(true)
    await forget(context, 'edge_*', { yes: true })
    expect(document()).toMatchObject({
      removed: expect.arrayContaining([
        { from: 'achievements', what: 'evidence', count: expect.any(Number) },
      ]),
    })
    expect(texts().some((text) => text.includes('edge_'))).toBe(false)
    await list(context, { source: 'hermes' })
    expect((document() as Told).aggregate).toEqual(before.aggregate)
    expect((document() as Told).counts).toEqual(before.counts)
  })

  it('are counted completely after an interrupted count', async () => {
    const { context, document, view, file } = home()
    const wanted = { source: 'hermes', hermesDb: file, tz: 'UTC' } as const
    const counting = { full: false, onProgress: () => undefined, signal: AbortSignal.abort() }
    const stopped = withAchievements(context, ({ count }): Promise<CountResult> => count(wanted, counting))
    await expect(stopped).rejects.toMatchObject({ code: 'stopped', exit: 130 })
    await list(context, view)
    expect(document()).toMatchObject({ ok: true, error: null })
  })

  it('reveal the id of a secret achievement neither in the list nor in suggestions', async () => {
    const { context, document, text } = homeWith({})
    await list(context, {})
    const secrets = (document() as Told).achievements.filter(({ state }) => state === 'secret')
    expect(secrets.length).toBeGreaterThan(0)
    expect(secrets.filter(({ id }) => text().includes(id))).toEqual([])
    const [{ id } = { id: '' }] = secrets
    const near = await show(context, `${id}x`, {}).catch((error: { readonly next: string }) => error.next)
    expect(near).not.toContain(id)
    await show(context, id, {})
    expect(text()).not.toContain(id)
  })

  it('reject an unknown source, an invalid time zone and a missing database', async () => {
    const { context } = homeWith({})
    await expect(list(context, { source: 'codex' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
    await expect(list(context, { tz: 'Atlantis' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
    await expect(list(context, { hermesDb: '' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
    const missing = join(context.paths.home, 'missing.db')
    await expect(list(context, viewOf(missing))).rejects.toThrow(`${missing} does not exist`)
  })
})

describe('achievements of a running daemon', () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-command-'))
  const { context, document, text } = saidIn(folder)
  const database = (name: string, made = SMALL) => viewOf(makeDatabase(join(folder, `${name}.db`), made))
  const told = () => document() as Told
  let here: Told
  let daemon: Panoptes

  beforeAll(async () => {
    await list(context, database('same'))
    here = told()
    daemon = await runDaemon(context)
  })
  afterAll(async () => {
    await daemon.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('match those without a daemon, and read no session twice', async () => {
    const view = viewOf(join(folder, 'same.db'))
    await list(context, view)
    expect(told().achievements).toEqual(here.achievements)
    expect(told().aggregate).toEqual(here.aggregate)
    expect(told().scan_meta).toMatchObject({ mode: 'incremental', sessions_rescanned: 0 })
    await list(context, { ...view, tz: 'Pacific/Auckland' })
    expect(told().time_zone).toBe('Pacific/Auckland')
    expect(told().aggregate.night_sessions).not.toBe(here.aggregate.night_sessions)
    expect({ ...told().aggregate, night_sessions: 0, weekend_sessions: 0 }).toEqual({
      ...here.aggregate,
      night_sessions: 0,
      weekend_sessions: 0,
    })
  })

  it('are found by id or name, with suggestions for a misspelled one', async () => {
    const view = viewOf(join(folder, 'same.db'))
    await show(context, 'Marathon Operator', view)
    expect(document()).toMatchObject({ achievement: { id: 'marathon_operator' }, view: 'hermes' })
    expect(text()).toMatch(/^Marathon Operator\n[\s\S]+what counts {2}Sessions/)
    await expect(show(context, 'let_him_coook', view)).rejects.toMatchObject({
      code: 'not_found',
      next: 'Did you mean let_him_cook?',
    })
    await expect(show(context, 'goblin', view)).rejects.toMatchObject({
      next: expect.stringMatching(/pixel_goblin, plugin_goblin/),
    })
  })

  it('are counted again from changed sessions, or from all with --full', async () => {
    const view = database('anew')
    await rescan(context, view)
    const all = told().scan_meta.sessions_rescanned
    await rescan(context, view)
    expect(told().scan_meta.sessions_rescanned).toBe(0)
    expect(text()).toMatch(/^Read 0 sessions in .+; \d+ unchanged\n/)
    await rescan(context, { ...view, full: true })
    expect(told().scan_meta.sessions_rescanned).toBe(all)
  })

  it('fail with the path of a database that is missing or damaged', async () => {
    const damaged = join(folder, 'damaged.db')
    writeFileSync(damaged, 'no database')
    const missing = join(folder, 'missing.db')
    await expect(list(context, viewOf(missing))).rejects.toThrow(`${missing} does not exist`)
    await expect(list(context, viewOf(damaged))).rejects.toThrow(/damaged\.db is damaged/)
  })

  it('are reset only with --yes, and report the number of deleted unlocks', async () => {
    const view = database('reset')
    await list(context, view)
    const { unlocked_count: unlocked } = told().counts
    expect(unlocked).toBeGreaterThan(0)
    await expect(reset(context, view)).rejects.toMatchObject({
      code: 'needs_yes',
      message: expect.stringMatching(/deletes every unlock of Hermes with .+ the counts behind it/),
    })
    await reset(context, { ...view, yes: true })
    expect(document()).toEqual({ ok: true, unlocks_removed: unlocked })
    expect(text()).toMatch(/^Deleted \d+ unlocks/)
    await list(context, view)
    expect(document()).toMatchObject({ scan_meta: { mode: 'full' } })
  })
})

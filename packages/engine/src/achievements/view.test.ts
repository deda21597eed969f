import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { historySpecs, isInside, type Naming, namedView, type View, viewFiles } from './view.ts'

const NAMING: Naming = { zone: 'UTC', otherHome: undefined, isStored: false }
const named = (view: View, naming: Partial<Naming> = {}) => namedView(view, { ...NAMING, ...naming })
const never = () => undefined

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-view-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'profiles', 'work'), { recursive: true })
  for (const place of ['', 'profiles/work']) writeFileSync(join(folder, place, 'state.db'), '')
  return folder
}

describe('sessions that count for achievements', () => {
  it('are those of every agent and Hermes profile, or those of Hermes alone', async () => {
    const folder = home()
    const scopes = async (view: View, isStored = false) =>
      (await historySpecs(named(view, { isStored }), { HERMES_HOME: folder }, never)).map(
        ({ scope }) => scope,
      )
    const own = `hermes ${join(folder, 'state.db')}`
    const others = ['claude-code', 'codex', 'opencode', 'panoptes']
    expect(await scopes({ source: 'all' })).toEqual([
      own,
      `hermes ${join(folder, 'profiles', 'work', 'state.db')}`,
      ...others,
    ])
    expect(await scopes({ source: 'hermes' })).toEqual([own])
    expect(await scopes({ source: 'hermes', hermesDb: '/x.db' })).toEqual(['hermes /x.db'])
    expect(await scopes({ source: 'all', hermesDb: '/x.db' })).toEqual(['hermes /x.db', ...others])
    expect(await scopes({ source: 'all' }, true)).toEqual(['hermes', ...others])
    expect(await scopes({ source: 'hermes' }, true)).toEqual(['hermes'])
  })

  it('are counted separately for a view that was reset', async () => {
    const view = named({ source: 'hermes', hermesDb: '/x.db' })
    const since = (sessions: string) => (sessions === view.sessions ? '123' : undefined)
    expect(await historySpecs(view, {}, since)).toMatchObject([
      { scope: `hermes /x.db\n${view.sessions}\n123` },
    ])
  })

  it('have separate unlocks per time zone or database, and files only for the default ones', () => {
    expect(named({ source: 'all' })).toMatchObject({ key: 'all', sessions: 'all', zone: undefined })
    expect(named({ source: 'all', zone: 'UTC' }).key).toBe('all')
    expect(named({ source: 'all', zone: 'Europe/Berlin' })).toMatchObject({
      key: 'all\nEurope/Berlin',
      sessions: 'all',
    })
    expect(named({ source: 'hermes' }, { otherHome: '/h' }).key).toBe('hermes of /h')
    expect(named({ source: 'hermes', hermesDb: '/x.db' }, { otherHome: '/h' }).key).toBe('hermes /x.db')
    expect(viewFiles({ source: 'all' }, '/f')).toEqual({
      snapshot: '/f/scan_snapshot_all.json',
      state: undefined,
    })
    expect(viewFiles({ source: 'hermes' }, '/f')).toEqual({
      snapshot: '/f/scan_snapshot.json',
      state: '/f/state.json',
    })
    for (const other of [{ hermesDb: '/x.db' }, { zone: 'Europe/Berlin' }])
      expect(viewFiles({ source: 'hermes', ...other }, '/f')).toBeUndefined()
    expect([isInside('/a/b', '/a'), isInside('/a', '/a'), isInside('/ab', '/a')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

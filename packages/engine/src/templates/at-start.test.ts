import type { InjectionRow } from '@panoptes/engine/ledger'
import { describe, expect, it } from 'vitest'
import { draws } from './assign.ts'
import { afterChoice, beforeChoice, projectOf } from './at-start.ts'
import { known } from './choose.test-kit.ts'

const start = (began: string, session_id = 's') => ({
  source: 'claude-code',
  session_id,
  began,
  cwd: '/w/atlas',
})
const one = known('tidy')
const row = (about: Partial<InjectionRow> = {}): InjectionRow => ({
  key: 'claude-code/s',
  ts: 1,
  template: 'tidy',
  place: 'panoptes',
  made_at: 1,
  task_type: 'terminal',
  target: 'claude-hook',
  arm: 'with',
  drawn: false,
  source: 'claude-code',
  session_id: 's',
  project: 'atlas',
  ...about,
})

describe('a session that begins', () => {
  it.each(['startup', 'clear', 'fork'])('is chosen for where it is new: %s', (began) => {
    expect(beforeChoice(start(began), [], [one])).toBeUndefined()
  })

  it.each(['resume', '', 'something else'])('has nothing more where it goes on: %j', (began) => {
    expect(beforeChoice(start(began), [row()], [one])).toMatchObject({ does: 'nothing' })
  })

  it('is told the same again after it was compacted, and whenever it is asked about twice', () => {
    expect(beforeChoice(start('compact'), [row()], [known('x'), one])).toMatchObject({
      does: 'repeat',
      known: one,
    })
    expect(beforeChoice(start('startup'), [row()], [one])).toMatchObject({ does: 'repeat', known: one })
    expect(beforeChoice(start('compact'), [], [one])).toMatchObject({ does: 'nothing' })
  })

  it('is told nothing of another template that has the name of the one it had', () => {
    for (const other of [row({ made_at: 2 }), row({ place: 'hermes' }), row({ template: 'gone' })]) {
      expect(beforeChoice(start('compact'), [other], [one])).toMatchObject({ does: 'nothing' })
    }
  })

  it('stays without where chance once left it without', () => {
    const without = [row({ arm: 'without', drawn: true })]
    expect(beforeChoice(start('startup'), without, [one])).toMatchObject({ does: 'nothing' })
    expect(beforeChoice(start('compact'), without, [one])).toMatchObject({ does: 'nothing' })
  })

  it('gets what was chosen, and no lots are drawn without an experiment', () => {
    const choice = { chosen: one, type: 'terminal' as const, reasons: ['why'] }
    for (const experiment of [null, 1]) {
      expect(afterChoice(start('startup'), choice, experiment)).toEqual({
        does: 'give',
        known: one,
        drawn: false,
        reasons: ['why'],
      })
    }
    expect(afterChoice(start('startup'), { ...choice, chosen: undefined }, 0.5)).toEqual({
      does: 'nothing',
      reasons: ['why'],
    })
  })

  it('gets it or not by lots in an experiment, and both are said', () => {
    const choice = { chosen: one, type: 'terminal' as const, reasons: [] }
    const all = Array.from({ length: 50 }, (_, at) => afterChoice(start('startup', `s${at}`), choice, 0.5))
    expect(new Set(all.map(({ does }) => does))).toEqual(new Set(['give', 'hold_back']))
    for (const each of all) expect(each).toMatchObject({ known: one, drawn: true })
    expect(afterChoice(start('startup'), choice, 0)).toMatchObject({ does: 'hold_back', drawn: true })
  })
})

describe('lots', () => {
  const sessions = Array.from({ length: 4_000 }, (_, at) => ({ source: 'claude-code', id: `session-${at}` }))

  it.each([0, 0.1, 0.5, 0.9, 1])('fall to a share of %d of all sessions', (share) => {
    const drawn = sessions.filter((session) => draws(share, session)).length / sessions.length
    expect(Math.abs(drawn - share)).toBeLessThan(0.04)
  })

  it('fall the same each time, and more of them to those who had them with a smaller share', () => {
    for (const session of sessions.slice(0, 200)) {
      expect(draws(0.5, session)).toBe(draws(0.5, { ...session }))
      if (draws(0.3, session)) expect(draws(0.6, session)).toBe(true)
    }
  })
})

it('names the project of a folder as past sessions do', () => {
  expect([null, '', '/', '/w/atlas', '/w/atlas/'].map(projectOf)).toEqual([
    undefined,
    undefined,
    '/',
    'atlas',
    'atlas',
  ])
})

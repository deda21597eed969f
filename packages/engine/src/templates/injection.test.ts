import type { InjectionRow } from '@panoptes/engine/store'
import { describe, expect, it } from 'vitest'
import { known } from './choose.test-kit.ts'
import { afterChoice, beforeChoice, isDrawn, projectName } from './injection.ts'

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

describe('template at session start', () => {
  it.each(['startup', 'clear', 'fork'])('is chosen for a new session: %s', (began) => {
    expect(beforeChoice(start(began), [], [one])).toBeUndefined()
  })

  it.each(['resume', '', 'something else'])('is not given to a session that continues: %j', (began) => {
    expect(beforeChoice(start(began), [row()], [one])).toMatchObject({ does: 'nothing' })
  })

  it('is repeated after a compaction and if the hook asks twice', () => {
    expect(beforeChoice(start('compact'), [row()], [known('x'), one])).toMatchObject({
      does: 'repeat',
      known: one,
    })
    expect(beforeChoice(start('startup'), [row()], [one])).toMatchObject({ does: 'repeat', known: one })
    expect(beforeChoice(start('compact'), [], [one])).toMatchObject({ does: 'nothing' })
  })

  it('is not replaced by another template of the same name', () => {
    for (const other of [row({ made_at: 2 }), row({ place: 'hermes' }), row({ template: 'gone' })]) {
      expect(beforeChoice(start('compact'), [other], [one])).toMatchObject({ does: 'nothing' })
    }
  })

  it('is never given to a session that was assigned none at its start', () => {
    const without = [row({ arm: 'without', drawn: true })]
    expect(beforeChoice(start('startup'), without, [one])).toMatchObject({ does: 'nothing' })
    expect(beforeChoice(start('compact'), without, [one])).toMatchObject({ does: 'nothing' })
  })

  it('is always given without an experiment', () => {
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

  it('is given or not at random in an experiment, and both are recorded', () => {
    const choice = { chosen: one, type: 'terminal' as const, reasons: [] }
    const all = Array.from({ length: 50 }, (_, at) => afterChoice(start('startup', `s${at}`), choice, 0.5))
    expect(new Set(all.map(({ does }) => does))).toEqual(new Set(['give', 'hold_back']))
    for (const each of all) expect(each).toMatchObject({ known: one, drawn: true })
    expect(afterChoice(start('startup'), choice, 0)).toMatchObject({ does: 'hold_back', drawn: true })
  })
})

describe('random assignment', () => {
  const sessions = Array.from({ length: 4_000 }, (_, at) => ({ source: 'claude-code', id: `session-${at}` }))

  it.each([0, 0.1, 0.5, 0.9, 1])('selects a share of %d of all sessions', (share) => {
    const drawn = sessions.filter((session) => isDrawn(share, session)).length / sessions.length
    expect(Math.abs(drawn - share)).toBeLessThan(0.04)
  })

  it('is stable per session and grows with the share', () => {
    for (const session of sessions.slice(0, 200)) {
      expect(isDrawn(0.5, session)).toBe(isDrawn(0.5, { ...session }))
      if (isDrawn(0.3, session)) expect(isDrawn(0.6, session)).toBe(true)
    }
  })
})

it('derives the project from a folder as past sessions do', () => {
  expect([null, '', '/', '/w/atlas', '/w/atlas/'].map(projectName)).toEqual([
    undefined,
    undefined,
    '/',
    'atlas',
    'atlas',
  ])
})

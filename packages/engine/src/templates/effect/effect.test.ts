import type { InjectionRow } from '@panoptes/engine/store'
import { type Outcome, templateEffect } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { SessionWork } from '../session-history.ts'
import { given, MADE, NOW, template, work, works } from './effect.test-kit.ts'
import { computeEffects, type EffectsInput } from './index.ts'

interface Made {
  readonly had: readonly SessionWork[]
  readonly others?: readonly SessionWork[]
  readonly rows?: readonly InjectionRow[]
  readonly more?: Partial<EffectsInput>
}

const effect = ({ had, others = [], rows = had.map((one) => given(one)), more = {} }: Made) =>
  templateEffect.parse(
    computeEffects({
      known: [template()],
      injections: rows,
      works: [...had, ...others],
      outcomes: new Map(),
      now: NOW,
      ...more,
    })[0],
  )
const errors = (every: number, count: number) => (n: number) => ({ errors: n % every === 0 ? count : 0 })
const measure = (of: ReturnType<typeof effect>, name: string) =>
  of.measures.find((each) => each.name === name)

describe('effect of a template', () => {
  it('is none while it was not used', () => {
    const told = effect({ had: [], others: works(20, 'o') })
    expect(told).toMatchObject({ verdict: 'not_used', says: 'Not used yet.', caveats: [], with_sessions: 0 })
    expect(told.measures.map(({ name, reading }) => [name, reading])).toEqual([
      ['tool_errors', 'too_few'],
      ['turns', 'too_few'],
      ['tokens', 'too_few'],
      ['outcome', 'too_few'],
    ])
    const drawn = given(work('o1'), { arm: 'without', drawn: true })
    expect(effect({ had: [], rows: [drawn] })).toMatchObject({ verdict: 'not_used' })
  })

  it('is unknown with fewer than ten sessions on each side, and the numbers are stated', () => {
    const told = effect({ had: works(7, 'w'), others: works(20, 'o') })
    expect(told).toMatchObject({ verdict: 'no_evidence', with_sessions: 7, without_sessions: 20 })
    expect(told.says).toBe('No evidence yet: 7 sessions. It takes 10 on each side.')
    expect(measure(told, 'tool_errors')).toMatchObject({ with: null, difference: null, low: null })
    expect(effect({ had: works(1, 'w') }).says).toContain('No evidence yet: 1 session.')
    expect(effect({ had: works(12, 'w'), others: works(4, 'o') }).says).toBe(
      'No evidence yet: 12 sessions with it, 4 without. It takes 10 on each side.',
    )
    const elsewhere = [given({ source: 'x', id: 'y', project: null }, { source: null, session_id: null })]
    expect(effect({ had: [], rows: elsewhere })).toMatchObject({
      verdict: 'no_evidence',
      says: 'No evidence yet: 0 sessions. It takes 10 on each side.',
    })
  })

  it('helps if fewer calls failed, and states by how much', () => {
    const told = effect({
      had: works(20, 'w', errors(4, 2)),
      others: works(20, 'o', errors(2, 4)),
    })
    expect(told.verdict).toBe('helps')
    expect(told.says).toBe(
      'Sessions that began with it had fewer failed tool calls: 5 % against 20 %. For turns and tokens the difference is unclear.',
    )
    const found = measure(told, 'tool_errors')
    expect(found).toMatchObject({ reading: 'fewer', with_sessions: 20, without_sessions: 20 })
    expect(found?.difference).toBeCloseTo(-0.15, 9)
    expect([(found?.low ?? 0) < -0.15, (found?.high ?? 0) < 0]).toEqual([true, true])
  })

  it('harms if more calls failed, and is unclear if chance may explain it', () => {
    const [few, many] = [works(20, 'a', errors(4, 2)), works(20, 'b', errors(2, 4))]
    expect(effect({ had: many, others: few })).toMatchObject({ verdict: 'harms' })
    const unclear = effect({ had: works(20, 'w', errors(4, 2)), others: works(20, 'o', errors(3, 2)) })
    expect(unclear).toMatchObject({
      verdict: 'unclear',
      says: 'For failed tool calls, turns and tokens the difference is unclear.',
    })
  })

  it('reports differences in turns, tokens and outcomes, too', () => {
    const had = works(12, 'w', (n) => ({ turns: 20 + (n % 3), tokens: 1_900_000 + n * 1_000 }))
    const others = works(12, 'o', (n) => ({ turns: 30 + (n % 3), tokens: 900_000 + n * 1_000 }))
    const outcomes = new Map<string, Outcome | null>([
      ...had.map(({ id }): [string, Outcome] => [`claude-code/${id}`, 'functional']),
      ...others.map(({ id }, n): [string, Outcome] => [
        `claude-code/${id}`,
        n < 3 ? 'functional' : 'partial',
      ]),
    ])
    const told = effect({ had, others, more: { outcomes } })
    expect(told.says).toBe(
      [
        'Sessions that began with it took fewer turns: 21 against 31.',
        'They took more tokens: 1.9M against 905k.',
        'More of them ended functional: 100 % against 25 %.',
        'For failed tool calls the difference is unclear.',
      ].join(' '),
    )
    const tokens = measure(told, 'tokens')
    expect(tokens?.difference).toBeCloseTo(1_905_500 / 905_500 - 1, 3)
    expect(measure(told, 'outcome')).toMatchObject({ with: 1, without: 0.25, reading: 'more' })
  })

  it('reports the outcome alone if nothing else differs', () => {
    const outcomes = new Map<string, Outcome | null>(
      Array.from({ length: 24 }, (_, n) => [
        `claude-code/${n < 12 ? 'w' : 'o'}${n % 12}`,
        n < 12 ? 'fail' : 'functional',
      ]),
    )
    const told = effect({ had: works(12, 'w'), others: works(12, 'o'), more: { outcomes } })
    expect(told.says).toContain(
      'Fewer of the sessions that began with it ended functional: 0 % against 100 %.',
    )
    expect(told.verdict).toBe('unclear')
  })

  it('excludes unknown values and states how many', () => {
    const had = works(12, 'w', (n) => ({ tokens: n < 5 ? null : 100 }))
    const outcomes = new Map<string, Outcome | null>([
      ['claude-code/w0', 'functional'],
      ['claude-code/w1', null],
      ['claude-code/w2', 'stopped'],
      ['claude-code/w3', 'lost'],
    ])
    const told = effect({ had, others: works(12, 'o'), more: { outcomes } })
    expect(measure(told, 'tokens')).toMatchObject({ with_sessions: 7, reading: 'too_few', difference: null })
    expect(told.caveats).toContain(
      'Tokens are known of 7 of 12 sessions with it and 12 of 12 without, too few to compare.',
    )
    expect(told.caveats).toContain(
      'The outcome is known of 1 of 12 sessions with it and 0 of 12 without, too few to compare.',
    )
  })
})

describe('compared sessions', () => {
  it('have the same kind, agent and project, no template, and began after it was made', () => {
    const others = [
      ...works(3, 'same'),
      work('origin'),
      work('older', { started_at: null, last_at: MADE * 1_000 - 1 }),
      work('under way', { started_at: MADE * 1_000 - 1, last_at: MADE * 1_000 + 9 }),
      work('elsewhere', { project: 'other' }),
      work('nowhere', { project: null }),
      work('another agent', { source: 'codex' }),
      work('another kind', { tools: [{ tool: 'Read', calls: 10, errors: 0 }] }),
      work('another template'),
    ]
    const had = works(2, 'w')
    const rows = [...had.map((one) => given(one)), given(work('another template'), { template: 'other' })]
    expect(effect({ had, others, rows })).toMatchObject({ with_sessions: 2, without_sessions: 3 })
    const nowhere = works(2, 'w', () => ({ project: null }))
    expect(effect({ had: nowhere, others }).without_sessions).toBe(6)
  })

  it('belong to one project if requested', () => {
    const had = [...works(2, 'a'), ...works(3, 'b', () => ({ project: 'other' }))]
    const others = [...works(4, 'c'), ...works(5, 'd', () => ({ project: 'other' }))]
    const told = effect({ had, others, more: { project: 'other' } })
    expect(told).toMatchObject({ project: 'other', with_sessions: 3, without_sessions: 5 })
    expect(effect({ had, others })).toMatchObject({ project: null, with_sessions: 5, without_sessions: 9 })
  })

  it('belong to this template and not to another of the same name', () => {
    const had = works(4, 'w')
    const rows = [
      given(work('w0')),
      given(work('w1'), { made_at: MADE + 1 }),
      given(work('w2'), { place: 'hermes' }),
      given(work('w3'), { template: 'tidier' }),
    ]
    expect(effect({ had, rows })).toMatchObject({ with_sessions: 1, without_sessions: 0 })
  })

  it('are finished and called tools; the others are counted', () => {
    const had = [
      ...works(2, 'w'),
      work('at work', { last_at: NOW - 60_000 }),
      work('ended', { last_at: NOW - 60_000, ended_at: NOW - 60_000 }),
      work('idle', { tool_calls: 0, tools: [] }),
      work('silent', { turns: 0 }),
    ]
    const rows = [...had.map((one) => given(one)), given(work('dropped')), given(work('x'), { source: null })]
    const told = effect({ had, others: [...works(2, 'o'), work('busy', { last_at: NOW - 1 })], rows })
    expect(told).toMatchObject({ with_sessions: 3, without_sessions: 2 })
    expect(told.caveats).toEqual(
      expect.arrayContaining([
        '1 session is still running and not counted.',
        '2 sessions without tool calls or replies are not compared.',
        '2 uses were in sessions that are unknown or no longer exist, so their results are not counted.',
      ]),
    )
  })

  it('are the randomly assigned ones if there are enough', () => {
    const drawn = (of: readonly SessionWork[], arm: 'with' | 'without') =>
      of.map((one) => given(one, { arm, drawn: true }))
    const compared = (count: number) => {
      const [lucky, unlucky] = [works(count, 'l'), works(count, 'u')]
      const [asked, others] = [works(15, 'a'), works(30, 'o')]
      const rows = [...drawn(lucky, 'with'), ...drawn(unlucky, 'without'), ...asked.map((one) => given(one))]
      return effect({ had: [...lucky, ...asked], others: [...unlucky, ...others], rows })
    }
    const enough = compared(10)
    expect(enough).toMatchObject({ randomised: true, with_sessions: 10, without_sessions: 10 })
    expect(enough.caveats).not.toContainEqual(expect.stringContaining('may differ'))
    const few = compared(9)
    expect(few).toMatchObject({ randomised: false, with_sessions: 24, without_sessions: 39 })
    expect(few.caveats).toContain(
      'Only 18 sessions were assigned at random, too few to compare. Sessions that began with it may differ from the others in more than that.',
    )
  })

  it('have the same kinds on both sides, so equal mixtures are unclear', () => {
    const mixture = (n: number) =>
      n % 2 === 0 ? { errors: 5, tools: [{ tool: 'Edit', calls: 10, errors: 5 }] } : {}
    const told = effect({ had: works(40, 'w', mixture), others: works(80, 'o', mixture) })
    expect(told).toMatchObject({ verdict: 'unclear', with_sessions: 20, without_sessions: 40 })
    expect(told.caveats).toContain(
      '20 sessions that began with it became another kind of work and are not compared.',
    )
  })

  it('began after the first use if the creation time is unknown', () => {
    const had = works(2, 'w')
    const rows = had.map((one) => given(one, { made_at: 0, ts: MADE * 1_000 }))
    const others = [...works(3, 'o'), work('before', { started_at: 5, last_at: NOW / 2 })]
    expect(effect({ had, others, rows, more: { known: [template({ created_at: 0 })] } })).toMatchObject({
      with_sessions: 2,
      without_sessions: 3,
    })
  })

  it('exclude those that Hermes may have started with a prefill file', () => {
    const had = works(2, 'w', () => ({ source: 'hermes' }))
    const others = works(6, 'o', (n) => ({ source: 'hermes', started_at: MADE * 1_000 + n }))
    const prefill = (session_id: string | null) =>
      given(work('x'), { target: 'hermes-prefill', ts: MADE * 1_000 + 4, source: null, session_id })
    const rows = had.map((one) => given(one))
    expect(effect({ had, others, rows }).without_sessions).toBe(6)
    expect(effect({ had, others, rows: [...rows, prefill(null)] }).without_sessions).toBe(4)
    expect(effect({ had, others, rows: [...rows, prefill('known')] }).without_sessions).toBe(6)
    const claude = [...works(2, 'c'), ...works(3, 'p', () => ({ started_at: MADE * 1_000 + 9 }))]
    expect(effect({ had: claude.slice(0, 2), others: claude.slice(2) }).without_sessions).toBe(3)
  })

  it('are reported with several projects or further templates, where they apply', () => {
    const had = works(4, 'w', (n) => ({ project: n === 0 ? 'other' : 'notes' }))
    const rows = [...had.map((one) => given(one)), given(work('w1'), { key: 'again', template: 'tidier' })]
    const twice = given(work('w2'), { key: 'twice' })
    const { caveats } = effect({ had, others: works(3, 'o'), rows: [...rows, twice] })
    expect(caveats).toContain('2 projects are compared together, so a difference may come from the projects.')
    expect(caveats).toContain('1 session also had another template, so the effect cannot be attributed.')
    const plain = effect({ had: works(2, 'w'), others: works(3, 'o') }).caveats.join()
    expect(plain).not.toMatch(/projects|another/)
  })

  it('are reported with caveats', () => {
    const told = effect({ had: works(12, 'w'), others: works(12, 'o') })
    expect(told.caveats.slice(0, 2)).toEqual([
      'Sessions that were stopped early count too.',
      'Sessions were not assigned at random: sessions that began with it may differ from the others in more than that.',
    ])
  })
})

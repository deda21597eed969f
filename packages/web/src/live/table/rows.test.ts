import { describe, expect, it } from 'vitest'
import { agent, main, NOW, scene, session } from '../agents.test-kit.ts'
import { type RowOptions, tableRows } from './rows.ts'

const options = (change: Partial<RowOptions> = {}): RowOptions => ({
  filter: {},
  now: NOW,
  folded: new Set(),
  needsTitle: 'Needs you',
  ...change,
})

const said = (rows: ReturnType<typeof tableRows>) =>
  rows.map((row) =>
    row.kind === 'head'
      ? `# ${row.title}`
      : `${'-'.repeat(row.level)} ${row.agent.id}${row.above ? ' (above)' : ''}`,
  )

const busy = scene(
  [
    main(),
    agent({ id: 'a', started_at: NOW - 50_000 }),
    agent({ id: 'b', parent_id: 'a', state: 'waiting' }),
    agent({ id: 'c', started_at: NOW - 40_000, state: 'failed', ended_at: NOW - 120_000 }),
  ],
  { sessions: [session()] },
)

describe('the rows of the table', () => {
  it('list agents that need someone first, then each session as a tree', () => {
    expect(said(tableRows(busy, options()))).toEqual([
      '# Needs you',
      '- b',
      '# atlas-api',
      '- main',
      '-- a',
      '--- b (above)',
      '-- c',
    ])
  })

  it('draw a line to the next sibling and none after the last one', () => {
    const lines = tableRows(busy, options()).flatMap((row) => (row.kind === 'agent' ? [row.lines] : []))
    expect(lines).toEqual([[], [], [true], [true, false], [false]])
  })

  it('keep an ended agent of a running session for ten minutes', () => {
    const ended = (ago: number) =>
      scene([main(), agent({ id: 'e', state: 'done', ended_at: NOW - ago })], { sessions: [session()] })
    expect(said(tableRows(ended(599_000), options()))).toEqual(['# atlas-api', '- main', '-- e'])
    expect(said(tableRows(ended(601_000), options()))).toEqual(['# atlas-api', '- main'])
  })

  it('include the session in the filter even after its agents disappeared', () => {
    const over = scene([main({ state: 'done', ended_at: NOW - 300_000 })], { sessions: [session()] })
    const asked = options({ filter: { session: 'claude-code~s1' } })
    expect(said(tableRows(over, asked))).toEqual(['# atlas-api', '- main'])
  })

  it('name the computer if there are several', () => {
    const agents = [main(), main({ session_id: 's2', state: 'waiting' })]
    const of = (session_id: string, host: string) => session({ session_id, host })
    const hosts = (...sessions: readonly ReturnType<typeof session>[]) =>
      tableRows(scene(agents, { sessions }), options()).map(({ host }) => host)
    const there = [null, 'laptop', 'desk', 'desk', 'laptop', 'laptop']
    expect(hosts(of('s1', 'desk'), of('s2', 'laptop'))).toEqual(there)
    expect(hosts(of('s1', 'desk'), of('s2', 'desk'))).toEqual(there.map(() => null))
  })

  it('leave out folded sessions', () => {
    const [, , head] = tableRows(busy, options())
    const folded = tableRows(busy, options({ folded: new Set([head?.key ?? '']) }))
    expect(said(folded)).toEqual(['# Needs you', '- b', '# atlas-api'])
  })

  it('include failed or done agents when the filter asks for them', () => {
    const over = scene([main({ state: 'done', ended_at: NOW - 300_000 })], { sessions: [session()] })
    expect(said(tableRows(over, options()))).toEqual([])
    expect(said(tableRows(over, options({ filter: { state: 'done' } })))).toEqual(['# atlas-api', '- main'])
    expect(said(tableRows(busy, options({ filter: { state: 'failed' } })))).toEqual([
      '# atlas-api',
      '- main',
      '-- c',
    ])
  })

  it('include the ancestors of agents that match the filter', () => {
    expect(said(tableRows(busy, options({ filter: { state: 'waiting' } })))).toEqual([
      '# Needs you',
      '- b',
      '# atlas-api',
      '- main',
      '-- a',
      '--- b (above)',
    ])
    expect(tableRows(busy, options({ filter: { source: 'hermes' } }))).toEqual([])
  })
})

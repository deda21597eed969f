import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createPaint, escapeControl } from '../../terminal/paint.ts'
import { sessionTrees, treeLines } from './tree.ts'
import { cutLine, LiveAgents, openScreen, plainLine } from './watch.ts'

const agent = (id: string, more: Partial<Agent> = {}): Agent => ({
  id,
  parent_id: id === 'main' ? null : 'main',
  session_id: 's1',
  source: 'claude-code',
  subagent_type: id === 'main' ? null : 'Explore',
  model: null,
  state: 'working',
  outcome: null,
  tool_counts: {},
  errors: 0,
  started_at: 1_000,
  last_at: 2_000,
  ended_at: null,
  prompt_preview: null,
  wait_reason: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
  ...more,
})
const plain = createPaint({ env: {}, terminal: false, refused: false })
const colored = createPaint({ env: {}, terminal: true, refused: false })
const lines = (agents: readonly Agent[], paint = plain) => treeLines(sessionTrees(agents), paint, 61_000)

describe('the agent tree in a terminal', () => {
  it('shows each agent below its parent, with a glyph and a word for its state', () => {
    const shown = lines([
      agent('b', { started_at: 3_000, parent_id: 'a', state: 'failed', errors: 2, ended_at: 5_000 }),
      agent('c', { started_at: 4_000, state: 'waiting', wait_reason: 'allow Bash?', wait_since: 31_000 }),
      agent('main', { tool_counts: { Bash: 3, Read: 1 }, model: 'opus' }),
      agent('a', { started_at: 2_000, state: 'done', outcome: 'partial', ended_at: 12_000 }),
    ])
    expect(shown).toEqual([
      'claude-code · session s1',
      '  main             ● Working        opus  Bash ×3, Read            1m 00s',
      '  ├─ Explore a     ✓ Done           –     –                        10 s    partial',
      '  │  └─ Explore b  ✕ Failed         –     –              2 errors  2 s',
      '  └─ Explore c     ◆ Waits for you  –     –                        57 s    allow Bash? (30 s)',
    ])
  })

  it('shows stopped and lost agents with their own glyph and word', () => {
    const shown = lines([
      agent('main', { state: 'done', outcome: 'stopped', ended_at: 5_000 }),
      agent('a', { state: 'done', outcome: 'lost', ended_at: 2_000 }),
    ]).join('\n')
    expect(shown).toContain('■ Stopped')
    expect(shown).toContain('? Lost')
    expect(shown).not.toContain('✓')
  })

  it('shows running sessions first, and agents whose parent is unknown or in a cycle', () => {
    const trees = sessionTrees([
      agent('main', { session_id: 'old', state: 'done', last_at: 9_000 }),
      agent('x', { session_id: 'new', parent_id: 'nobody' }),
      agent('y', { session_id: 'new', parent_id: 'z' }),
      agent('z', { session_id: 'new', parent_id: 'y' }),
    ])
    expect(trees.map(({ session }) => session)).toEqual(['new', 'old'])
    expect(trees[0]?.rows.map(({ agent }) => agent.id).sort()).toEqual(['x', 'y', 'z'])
  })

  it('keeps control characters in tool, model, source and session names out of a line', () => {
    const odd = 'x\x1b[2J\n  fake'
    const hostile = agent('main', {
      source: odd,
      session_id: odd,
      model: odd,
      tool_counts: { [odd]: 2 },
      doing: { tool: odd, preview: null, since: 1 },
    })
    const shown = [...lines([hostile]), plainLine(hostile)]
    expect(shown.filter((line) => /\p{Cc}/u.test(line))).toEqual([])
  })

  it('escapes control sequences of agents on the screen', () => {
    const written: string[] = []
    const out = { rows: 9, columns: 80, write: (text: string) => written.push(text) }
    const screen = openScreen(out as unknown as NodeJS.WriteStream)
    screen.draw([`${colored.red('mine')} a\x1b[31mb\u202ec\x9b2J`])
    expect(written[1]).toContain('\x1b[31mmine\x1b[39m a‹U+001B›[31mb‹U+202E›c‹U+009B›2J')
  })

  it('removes control characters from the preview of an agent', () => {
    const shown = lines([agent('main', { doing: { tool: 'Bash', preview: 'a\x1b[2Jb\nc', since: 1 } })]).join(
      '|',
    )
    expect(shown).toContain('Bash: a [2Jb c')
    expect(shown).not.toContain('\x1b')
  })

  it('shows the same text with and without color', () => {
    const agents = [agent('main', { state: 'stuck' }), agent('a', { state: 'failed' })]
    // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes are control sequences
    const bare = lines(agents, colored).map((line) => escapeControl(line).replace(/\x1b\[\d+m/g, ''))
    expect(bare).toEqual(lines(agents))
    expect(lines(agents, colored)).not.toEqual(bare)
  })

  it('fits the screen to the terminal and restores the terminal afterwards', () => {
    const written: string[] = []
    const out = { rows: 3, columns: 20, write: (text: string) => written.push(text) }
    const screen = openScreen(out as unknown as NodeJS.WriteStream)
    screen.draw(['a', 'b', 'c', 'd'])
    screen.leave()
    expect(written[0]).toContain('\x1b[?1049h')
    expect(written[1]?.split('\r\n')).toHaveLength(3)
    expect(written[1]).toContain('… 2 more lines')
    expect(written[2]).toContain('\x1b[?1049l')
  })

  it('cuts a line at the edge and resets its colors', () => {
    expect(cutLine('\x1b[31mabcdef\x1b[39m', 3)).toBe('\x1b[31mabc\x1b[0m')
    expect(cutLine('abc', 3)).toBe('abc')
  })
})

describe('the agents that watch follows', () => {
  it('are the running ones, and for a minute those that ended', () => {
    const live = new LiveAgents()
    expect(live.take({ type: 'snapshot', seq: 1, alive: [agent('main'), agent('a')] })).toHaveLength(2)
    expect(live.take({ type: 'agents', seq: 2, data: [agent('main')] })).toEqual([])
    const ended = agent('a', { state: 'done', ended_at: 10_000 })
    expect(live.take({ type: 'agents', seq: 3, data: [ended] })).toEqual([ended])
    expect(live.listLines(60_000)).toHaveLength(2)
    expect(live.listLines(80_000).map(({ id }) => id)).toEqual(['main'])
    const lost = agent('b', { state: 'done', outcome: 'lost', ended_at: 10_000, lost_at: 1_810_000 })
    live.take({ type: 'agents', seq: 4, data: [agent('b')] })
    live.take({ type: 'agents', seq: 5, data: [lost] })
    expect(live.listLines(1_860_000).map(({ id }) => id)).toEqual(['main', 'b'])
  })

  it('are replaced by a new snapshot, which reports only what it changes', () => {
    const live = new LiveAgents()
    live.take({ type: 'snapshot', seq: 1, alive: [agent('main'), agent('a')] })
    expect(live.take({ type: 'snapshot', seq: 9, alive: [agent('main')] })).toEqual([])
    expect(live.listLines(0)).toHaveLength(1)
  })

  it('are formatted in one line each', () => {
    const line = plainLine(
      agent('abcdefghijklmnop', { tool_counts: { Bash: 2 }, errors: 1, last_at: 3_723_000 }),
    )
    expect(line).toBe('01:02:03Z  s1  Explore abcdefgh…  ● Working  Bash ×2  1 error')
  })
})

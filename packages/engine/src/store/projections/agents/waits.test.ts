import { beforeEach, describe, expect, it } from 'vitest'
import { type Story, tellStory } from './agents.test-kit.ts'

let story: Story
beforeEach(() => {
  story = tellStory()
  story.tell('prompt', { agent_id: 'main' })
})

const uses = (id: string, tool: string, more: object = {}) =>
  story.tell('tool_use', { id, tool, agent_id: 'main', ...more })
const ends = (id: string, tool: string, more: object = {}) =>
  story.tell('tool_done', { id, tool, agent_id: 'main', ok: true, ...more })
const asks = (tool: string, more: object = {}) =>
  story.tell('agent_wait', {
    agent_id: 'main',
    tool,
    reason: `allow ${tool}?`,
    wait: 'permission_request',
    ...more,
  })
const reminds = (reason = 'Claude needs your permission to use Bash') =>
  story.tell('agent_wait', { agent_id: 'main', reason, wait: 'permission_prompt' })
const state = (id = 'main') => story.agent(id)?.state

describe('agent that asks for a permission', () => {
  it('waits until the call it asked for ends, whatever else begins, ends or is counted', () => {
    uses('A', 'WebFetch')
    uses('B', 'Read')
    asks('WebFetch')
    ends('B', 'Read')
    story.tell('usage', { agent_id: 'main', input: 1 })
    uses('C', 'Read')
    ends('C', 'Read')
    story.tell('skill_use', { agent_id: 'main', skill: 'x' })
    expect(story.agent('main')).toMatchObject({ state: 'waiting', wait_reason: 'allow WebFetch?' })
    ends('A', 'WebFetch')
    expect(story.agent('main')).toMatchObject({ state: 'working', wait_reason: null })
  })

  it('distinguishes calls of the same tool by their subject', () => {
    uses('A', 'Bash', { input_preview: 'rm -r out' })
    uses('B', 'Bash', { input_preview: 'ls' })
    asks('Bash', { input_preview: 'rm -r out' })
    ends('B', 'Bash')
    expect(state()).toBe('waiting')
    ends('A', 'Bash')
    expect(state()).toBe('working')
  })

  it('may be reported before its call', () => {
    uses('B', 'Bash', { input_preview: 'ls' })
    asks('Bash', { input_preview: 'rm -r out' })
    uses('A', 'Bash', { input_preview: 'rm -r out' })
    ends('B', 'Bash')
    expect(state()).toBe('waiting')
    ends('A', 'Bash')
    expect(state()).toBe('working')
  })

  it('keeps asking when earlier events arrive later', () => {
    story.tell('agent_done', { id: 'main', ts: 5_000 })
    asks('Bash', { input_preview: 'ls', ts: 9_000 })
    story.tell('prompt', { agent_id: 'main', ts: 7_000 })
    uses('A', 'Bash', { input_preview: 'ls', ts: 8_000 })
    expect(state()).toBe('waiting')
    ends('A', 'Bash', { ts: 10_000 })
    expect(state()).toBe('working')
  })

  it.each([
    ['an answer', () => story.tell('answer', { agent_id: 'main', tool: 'Bash', choice: 'allow' }), 'working'],
    ['a prompt', () => story.tell('prompt', { agent_id: 'main' }), 'working'],
    ['the end of the turn', () => story.tell('agent_done', { id: 'main' }), 'done'],
    ['the end of a call whose beginning was not reported', () => ends('?', 'Bash'), 'working'],
  ])('stops asking after %s', (_, happen, after) => {
    asks('Bash')
    expect(state()).toBe('waiting')
    happen()
    expect(state()).toBe(after)
  })

  it('waits for the other request when one of two is answered', () => {
    uses('A', 'Bash', { input_preview: 'one' })
    uses('B', 'Bash', { input_preview: 'two' })
    asks('Bash', { input_preview: 'one', reason: 'one?' })
    asks('Bash', { input_preview: 'two', reason: 'two?' })
    story.tell('answer', { agent_id: 'main', tool: 'Bash', input_preview: 'two' })
    expect(story.agent('main')).toMatchObject({ state: 'waiting', wait_reason: 'one?' })
    ends('A', 'Bash')
    expect(state()).toBe('working')
  })

  it('waits again for the second of two edits of one file', () => {
    for (const id of ['e1', 'e2']) {
      uses(id, 'Edit', { input_preview: '/a' })
      asks('Edit', { input_preview: '/a' })
      expect(state()).toBe('waiting')
      ends(id, 'Edit')
      expect(state()).toBe('working')
    }
  })

  it('keeps asking when it begins other work long after, with another call under way', () => {
    uses('A', 'Bash')
    uses('C', 'WebFetch')
    asks('Bash')
    uses('B', 'Read', { ts: 20_000 })
    expect(state()).toBe('waiting')
  })

  it('waits for what a server asks of a person, whatever it does meanwhile', () => {
    story.tell('agent_wait', { agent_id: 'main', reason: 'Which account?', wait: 'elicitation' })
    uses('A', 'Read')
    ends('A', 'Read')
    expect(story.agent('main')).toMatchObject({ state: 'waiting', wait_reason: 'Which account?' })
    story.tell('answer', { agent_id: 'main', wait: 'elicitation' })
    expect(state()).toBe('working')
  })

  it('was denied when it begins other work long after, with nothing else under way', () => {
    uses('A', 'Bash')
    asks('Bash')
    uses('B', 'Read', { ts: 20_000 })
    expect(story.agent('main')).toMatchObject({ state: 'working', doing: { tool: 'Read' } })
    ends('B', 'Read')
    expect(story.agent('main')).toMatchObject({ doing: null, tool_counts: { Bash: 1, Read: 1 } })
  })

  it('has nothing under way after a denial from the page', () => {
    uses('A', 'Bash', { input_preview: 'ls' })
    uses('B', 'Read')
    asks('Bash', { input_preview: 'ls' })
    story.tell('answer', { agent_id: 'main', tool: 'Bash', input_preview: 'ls', choice: 'deny' })
    expect(story.agent('main')).toMatchObject({ state: 'working', doing: { tool: 'Read' } })
    ends('B', 'Read')
    expect(story.agent('main')).toMatchObject({ doing: null, errors: 0, tool_counts: { Bash: 1, Read: 1 } })
    ends('A', 'Bash', { ok: undefined })
    expect(story.agent('main')).toMatchObject({ errors: 0, tool_counts: { Bash: 1, Read: 1 } })
  })

  it('continues the call after an approval from the page', () => {
    uses('A', 'Bash')
    asks('Bash')
    story.tell('answer', { agent_id: 'main', tool: 'Bash', choice: 'allow' })
    expect(story.agent('main')).toMatchObject({ state: 'working', doing: { tool: 'Bash' } })
  })

  it('has waited since it first asked, whatever it did or was reminded of meanwhile', () => {
    uses('A', 'Bash')
    uses('B', 'Read')
    expect(story.agent('main')?.wait_since).toBeNull()
    asks('Bash', { ts: 10_000 })
    reminds()
    ends('B', 'Read', { ts: 25_000 })
    asks('Bash', { ts: 30_000 })
    uses('C', 'WebFetch', { ts: 31_000 })
    asks('WebFetch', { ts: 32_000 })
    expect(story.agent('main')).toMatchObject({ last_at: 32_000, wait_since: 10_000 })
    ends('A', 'Bash')
    expect(story.agent('main')?.wait_since).toBe(32_000)
    ends('C', 'WebFetch')
    expect(story.agent('main')).toMatchObject({ state: 'working', wait_since: null })
    asks('Bash', { ts: 60_000 })
    story.tell('session_end')
    expect(story.agent('main')).toMatchObject({ state: 'done', wait_since: null })
  })

  it('asks once when a question is reported twice', () => {
    uses('Q', 'AskUserQuestion')
    story.tell('agent_wait', { agent_id: 'main', call: 'Q', reason: 'asks a question' })
    asks('AskUserQuestion', { reason: 'Which one?' })
    expect(story.agent('main')).toMatchObject({ state: 'waiting', wait_reason: 'Which one?' })
    ends('Q', 'AskUserQuestion')
    expect(state()).toBe('working')
  })
})

describe('reminder that names no agent', () => {
  const child = (fields: object) => ({ agent_id: 'a', ...fields })
  beforeEach(() => {
    uses('T', 'Agent')
    story.tell('agent_spawn', { id: 'a' })
    story.tell('tool_use', child({ id: 'q', tool: 'Bash' }))
  })

  it('adds nothing while an agent of the session is asking', () => {
    asks('Bash', child({}))
    reminds()
    expect(story.states()).toEqual({ main: 'working', a: 'waiting' })
    ends('q', 'Bash', child({}))
    expect(story.states()).toEqual({ main: 'working', a: 'working' })
  })

  it('belongs to the agent that is about to use the tool', () => {
    reminds()
    expect(story.states()).toEqual({ main: 'working', a: 'waiting' })
    ends('q', 'Bash', child({}))
    expect(story.states()).toEqual({ main: 'working', a: 'working' })
  })

  it("belongs to the session's own agent when nothing identifies another agent", () => {
    reminds('Claude needs your permission')
    expect(story.states()).toEqual({ main: 'waiting', a: 'working' })
    ends('T', 'Agent')
    expect(story.states().main).toBe('working')
  })
})

describe('agent that waits for its next prompt', () => {
  const idle = () => story.tell('agent_wait', { agent_id: 'main', reason: 'your turn', wait: 'idle_prompt' })

  it('keeps the outcome of its turn', () => {
    story.tell('agent_done', { id: 'main', outcome: 'functional' })
    idle()
    expect(story.agent('main')).toMatchObject({ state: 'waiting', outcome: 'functional', ended_at: null })
    story.tell('session_end')
    expect(story.agent('main')).toMatchObject({ state: 'done', outcome: 'functional' })
    expect(story.agent('main')?.ended_at).toBe(4_000)
  })

  it('works from that prompt on, with an unknown outcome', () => {
    story.tell('agent_done', { id: 'main', outcome: 'functional' })
    idle()
    story.tell('prompt', { agent_id: 'main' })
    expect(story.agent('main')).toMatchObject({ state: 'working', outcome: null })
  })

  it('may wait for a prompt in a session that was just opened or reopened', () => {
    story.tell('agent_done', { id: 'main', outcome: 'partial' })
    story.tell('session_end')
    story.tell('session_start', { reason: 'resume' })
    expect(state()).toBe('done')
    idle()
    expect(story.agent('main')).toMatchObject({ state: 'waiting', outcome: 'partial' })
    story.tell('prompt', { agent_id: 'main' })
    expect(story.agent('main')).toMatchObject({ state: 'working', outcome: null })
    story.tell('session_start', { session_id: 's2' })
    story.tell('agent_wait', { session_id: 's2', agent_id: 'main', wait: 'idle_prompt' })
    expect(story.rows.entries().filter(([, row]) => 'state' in row && row.state === 'waiting')).toHaveLength(
      1,
    )
  })

  it('has nothing under way, whatever a person interrupted', () => {
    uses('A', 'Bash')
    idle()
    expect(story.agent('main')).toMatchObject({ state: 'waiting', doing: null })
  })
})

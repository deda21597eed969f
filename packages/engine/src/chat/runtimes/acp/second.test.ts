import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fields } from '../fields.ts'
import type { RuntimeEvent } from '../port.ts'
import { ask, attachedIn, progressIn } from './asking.test-kit.ts'
import { introduced, subjectOf } from './protocol.ts'
import { type ScriptedAgent, SECOND, startScriptedAgent } from './scripted-agent.test-kit.ts'
import { Updates } from './updates.ts'

describe('an agent of the second version of ACP', () => {
  let agent: ScriptedAgent
  beforeEach(async () => {
    agent = await startScriptedAgent()
    agent.capable(SECOND)
  })
  afterEach(() => agent.close())

  it('is asked for the first one before, and is spoken to in its own', async () => {
    agent.play({ say: 'Hello.' })
    expect(await ask(agent.adapter)).toMatchObject({ text: 'Hello.', ended: { outcome: 'completed' } })
    expect(agent.introduced()).toMatchObject({ protocolVersion: 2, info: { name: 'panoptes' } })
  })

  it('may also say so instead of refusing the first', async () => {
    agent.capable({ ...SECOND, only: undefined })
    expect((await ask(agent.adapter)).text).toBe('ok')
    expect(agent.introduced()).toMatchObject({ protocolVersion: 1 })
  })

  it('goes on in its session by resuming it, and chooses a model by its options', async () => {
    const first = await ask(agent.adapter, { model: 'large' })
    expect(first.events).toContainEqual({ type: 'model', model: 'large' })
    await agent.adapter.close()
    const history = [
      { id: '1', role: 'user' as const, content: 'Which bird?', runtime: null, preamble: null },
    ]
    await ask(agent.adapter, { continuity: first.continuity, history, message: 'And then?' })
    expect(agent.restored()).toEqual([first.continuity?.session_id])
    expect(agent.asked()[1]).toBe('And then?')
    expect(agent.chosen()).toEqual(['large'])
  })

  it('is given what it says that it takes', async () => {
    const files = ['image/png', 'audio/wav'].map((media_type) => ({ name: 'a', media_type, data: 'aGk=' }))
    await ask(agent.adapter, { files })
    expect(agent.prompts()[0]?.prompt.map(({ type }) => type)).toEqual(['text', 'image'])
  })

  it('tells of a call where it asks for it, and is not asked again before it is at rest', async () => {
    agent.play({ say: 'Done.', unlessAllowed: 'Not done.' }, { say: 'Next.' })
    const stop = new AbortController()
    const { events, ended } = await ask(agent.adapter, {
      signal: stop.signal,
      answer: async ({ label }) => {
        expect(label).toBe('Do it')
        stop.abort()
        return null
      },
    })
    expect(ended).toEqual({ type: 'end', outcome: 'cancelled' })
    expect(progressIn(events, 'tool')).toMatchObject([{ status: 'started' }, { status: 'skipped' }])
    expect((await ask(agent.adapter)).text).toBe('Next.')
    expect(agent.started()).toBe(1)
  })

  it('says with which error it came to rest', async () => {
    agent.play({ say: 'Half', error: { code: -32_000, message: 'Authentication required' } })
    expect((await ask(agent.adapter)).ended).toMatchObject({ type: 'failed', code: 'unauthorized' })
  })

  it('that is at rest already says nothing new with it', () => {
    const updates = new Updates()
    const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' }
    expect([...updates.take(idle)]).toEqual([])
    expect(updates.stopReason).toBeNull()
    expect([...updates.take({ sessionUpdate: 'state_update', state: 'running' })]).toEqual([])
    expect([...updates.take({ ...idle, stopReason: undefined })]).toEqual([])
    expect(updates.stopReason).toBe('end_turn')
  })
})

describe('what an agent tells by its name', () => {
  const played = (...told: readonly Fields[]): readonly RuntimeEvent[] => {
    const updates = new Updates({ clears: true, keepsCalls: true })
    return [...told.flatMap((one) => [...updates.take(one)]), ...updates.end('completed')]
  }
  const text = (events: readonly RuntimeEvent[]) =>
    events.map((event) => (event.type === 'chunk' ? event.delta : '')).join('')
  const block = (words: string) => ({ type: 'text', text: words })
  const piece = (words: string, messageId = 'm') => ({
    sessionUpdate: 'agent_message_chunk',
    messageId,
    content: block(words),
  })
  const whole = (words: string, messageId = 'm') => ({
    sessionUpdate: 'agent_message',
    messageId,
    content: [block(words)],
  })

  it('is said once, in pieces or as a whole', () => {
    expect(text(played(piece('One '), piece('two.'), whole('One two.')))).toBe('One two.')
    expect(text(played(whole('One'), whole('One two.'), piece(' Three.')))).toBe('One two. Three.')
    expect(text(played(piece('One.'), whole('Two.', 'n')))).toBe('One.\n\nTwo.')
    expect(text(played(piece('One.'), whole('Another.')))).toBe('One.\n\nAnother.')
    const { content: _content, ...unchanged } = whole('')
    expect(text(played(piece('One.'), unchanged, piece(' Two.')))).toBe('One. Two.')
  })

  it('is a thought once', () => {
    const thought = { sessionUpdate: 'agent_thought', messageId: 't', content: [block('Hm. So.')] }
    const events = played({ ...piece('Hm.', 't'), sessionUpdate: 'agent_thought_chunk' }, thought)
    const said = progressIn(events, 'reasoning').map(
      ({ detail }) => (detail as Fields | undefined)?.delta ?? '',
    )
    expect(said.join('')).toBe('Hm. So.')
  })

  it('is a call whose content is added to, taken away, or left', () => {
    const call = (more: Fields) => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...more })
    const chunk = (words: string) => ({
      ...call({ content: { type: 'content', content: block(words) } }),
      sessionUpdate: 'tool_call_content_chunk',
    })
    const output = (...told: readonly Fields[]) => {
      const begun = call({ title: 'Look', name: 'look', kind: 'read', status: 'in_progress' })
      return attachedIn(played(begun, ...told, call({ status: 'completed' })), 'tools')[0]
    }
    expect(output(chunk('a'), chunk('b'))).toEqual([{ name: 'look', output: 'a\nb', ok: true }])
    expect(output(chunk('a'), call({ content: null }))).toEqual([{ name: 'look', ok: true }])
    expect(output(chunk('a'), call({ status: '_strange' }))).toEqual([
      { name: 'look', output: 'a', ok: true },
    ])
  })

  it('is a plan', () => {
    const plan = { type: 'items', planId: 'p', entries: [{ content: 'Read', status: 'completed' }] }
    expect(progressIn(played({ sessionUpdate: 'plan_update', plan }), 'plan')).toMatchObject([
      { status: 'completed' },
    ])
  })

  it('is asked for as a call, or as a command', () => {
    const subject = { type: 'command', command: 'ls', cwd: '/w', toolCallId: 'c' }
    expect(subjectOf({ title: 'List it', subject })).toMatchObject({
      title: 'List it',
      kind: 'execute',
      toolCallId: 'c',
      rawInput: { command: 'ls', cwd: '/w' },
    })
    expect(introduced(2, {}).capabilities).toMatchObject({ promptCapabilities: { image: false } })
  })
})

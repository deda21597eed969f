import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fields } from '../fields.ts'
import type { RuntimeEvent } from '../port.ts'
import { permissionSubject, readIntroduction } from './protocol.ts'
import { ask, attachedIn, progressIn } from './run-adapter.test-kit.ts'
import { type ScriptedAgent, SECOND, startScriptedAgent } from './scripted-agent.test-kit.ts'
import { Updates } from './updates.ts'

describe('agent that speaks ACP version 2', () => {
  let agent: ScriptedAgent
  beforeEach(async () => {
    agent = await startScriptedAgent()
    agent.capable(SECOND)
  })
  afterEach(() => agent.close())

  it('is offered version 1 first and then addressed in its own version', async () => {
    agent.play({ say: 'Hello.' })
    expect(await ask(agent.adapter)).toMatchObject({ text: 'Hello.', ended: { outcome: 'completed' } })
    expect(agent.introduced()).toMatchObject({ protocolVersion: 2, info: { name: 'panoptes' } })
  })

  it('may answer with its version instead of refusing version 1', async () => {
    agent.capable({ ...SECOND, only: undefined })
    expect((await ask(agent.adapter)).text).toBe('ok')
    expect(agent.introduced()).toMatchObject({ protocolVersion: 1 })
  })

  it('resumes its session and chooses a model through its options', async () => {
    const first = await ask(agent.adapter, { model: 'large' })
    expect(first.events).toContainEqual({ type: 'model', model: 'large' })
    await agent.adapter.close()
    const history = [
      { id: '1', role: 'user' as const, content: 'Which bird?', runtime: null, preamble: null },
    ]
    await ask(agent.adapter, { continuity: first.continuity, history, message: 'And then?' })
    expect(agent.restored()).toEqual([first.continuity?.session_id])
    expect(agent.requestTexts()[1]).toBe('And then?')
    expect(agent.chosen()).toEqual(['large'])
  })

  it('gets the content types it accepts', async () => {
    const files = ['image/png', 'audio/wav'].map((media_type) => ({ name: 'a', media_type, data: 'aGk=' }))
    await ask(agent.adapter, { files })
    expect(agent.prompts()[0]?.prompt.map(({ type }) => type)).toEqual(['text', 'image'])
  })

  it('announces a call in its permission request, and is not prompted again before it is idle', async () => {
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

  it('reports the error it stopped with', async () => {
    agent.play({ say: 'Half', error: { code: -32_000, message: 'Authentication required' } })
    expect((await ask(agent.adapter)).ended).toMatchObject({ type: 'failed', code: 'unauthorized' })
  })

  it('adds nothing when it is already idle', () => {
    const updates = new Updates()
    const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' }
    expect([...updates.take(idle)]).toEqual([])
    expect(updates.stopReason).toBeNull()
    expect([...updates.take({ sessionUpdate: 'state_update', state: 'running' })]).toEqual([])
    expect([...updates.take({ ...idle, stopReason: undefined })]).toEqual([])
    expect(updates.stopReason).toBe('end_turn')
  })
})

describe('updates addressed by id', () => {
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

  it('show a message once, whether it arrives in pieces or whole', () => {
    expect(text(played(piece('One '), piece('two.'), whole('One two.')))).toBe('One two.')
    expect(text(played(whole('One'), whole('One two.'), piece(' Three.')))).toBe('One two. Three.')
    expect(text(played(piece('One.'), whole('Two.', 'n')))).toBe('One.\n\nTwo.')
    expect(text(played(piece('One.'), whole('Another.')))).toBe('One.\n\nAnother.')
    const { content: _content, ...unchanged } = whole('')
    expect(text(played(piece('One.'), unchanged, piece(' Two.')))).toBe('One. Two.')
  })

  it('show a thought once', () => {
    const thought = { sessionUpdate: 'agent_thought', messageId: 't', content: [block('Hm. So.')] }
    const events = played({ ...piece('Hm.', 't'), sessionUpdate: 'agent_thought_chunk' }, thought)
    const said = progressIn(events, 'reasoning').map(
      ({ detail }) => (detail as Fields | undefined)?.delta ?? '',
    )
    expect(said.join('')).toBe('Hm. So.')
  })

  it('add, remove or keep the content of a call', () => {
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

  it('show a plan', () => {
    const plan = { type: 'items', planId: 'p', entries: [{ content: 'Read', status: 'completed' }] }
    expect(progressIn(played({ sessionUpdate: 'plan_update', plan }), 'plan')).toMatchObject([
      { status: 'completed' },
    ])
  })

  it('ask for approval of a call or a command', () => {
    const subject = { type: 'command', command: 'ls', cwd: '/w', toolCallId: 'c' }
    expect(permissionSubject({ title: 'List it', subject })).toMatchObject({
      title: 'List it',
      kind: 'execute',
      toolCallId: 'c',
      rawInput: { command: 'ls', cwd: '/w' },
    })
    expect(readIntroduction(2, {}).capabilities).toMatchObject({ promptCapabilities: { image: false } })
  })
})

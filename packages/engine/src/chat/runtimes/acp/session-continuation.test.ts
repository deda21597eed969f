import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fenceText } from '../../context/section.ts'
import type { PriorMessage } from '../port.ts'
import { ask, attachedIn } from './run-adapter.test-kit.ts'
import { type AcpAct, type ScriptedAgent, startScriptedAgent } from './scripted-agent.test-kit.ts'

describe('session of an ACP agent', () => {
  let agent: ScriptedAgent
  beforeEach(async () => {
    agent = await startScriptedAgent()
  })
  afterEach(() => agent.close())

  const said = (id: string, role: 'user' | 'assistant', content: string): PriorMessage => ({
    id,
    role,
    content,
    runtime: role === 'assistant' ? 'jarvis' : null,
    preamble: null,
  })
  const history = [said('1', 'user', 'Which bird?'), said('2', 'assistant', 'A heron.')]
  /** Ends the agent's process, as if it had been idle for too long. */
  const restarted = async () => {
    await agent.adapter.close()
    await vi.waitFor(() => expect(agent.processes()).toBe(0), 30_000)
  }

  it('gets everything in its first message in a fixed order, with quoted text in fences', async () => {
    await ask(agent.adapter, { baseline: 'The rules.', preamble: 'The memory.', history })
    expect(agent.requestTexts()[0]).toMatch(
      /^The rules\.\n\n.+\n<conversation>\n\[person\]\nWhich bird\?\n\[jarvis\]\nA heron\.\n<\/conversation>\n\nThe memory\.\n\nThe person's message:\n\nWhat now\?$/,
    )
  })

  it('omits what the agent remembers itself', async () => {
    agent.capable({ agentInfo: { name: 'hermes-agent', version: '1' } })
    const baseline = `Known:\n${fenceText('about-the-person', '- Hermes, of the person: Likes tea\n- Rides a bike')}`
    await ask(agent.adapter, { baseline })
    expect(agent.requestTexts()[0]).toContain('Rides a bike')
    expect(agent.requestTexts()[0]).not.toContain('Likes tea')
  })

  it('gets only what is new afterwards, in the same process and session', async () => {
    const { continuity } = await ask(agent.adapter, { baseline: 'The rules.' })
    await ask(agent.adapter, { baseline: 'The rules.', history, continuity, message: 'And then?' })
    expect(agent.requestTexts()[1]).toBe('And then?')
    expect(agent.started()).toBe(1)
    expect(new Set(agent.prompts().map(({ session }) => session)).size).toBe(1)
  })

  it('gets the rules again after they changed', async () => {
    const { continuity } = await ask(agent.adapter, { baseline: 'The rules.' })
    await ask(agent.adapter, { baseline: 'Other rules.', history, continuity, message: 'And then?' })
    expect(agent.requestTexts()[1]).toBe("Other rules.\n\nThe person's message:\n\nAnd then?")
  })

  it('gets the messages that it missed', async () => {
    const { continuity } = await ask(agent.adapter)
    const handover = [said('3', 'user', 'And a fish?'), said('4', 'assistant', 'A pike.')]
    await ask(agent.adapter, { continuity, history: [...history, ...handover], handover })
    expect(agent.requestTexts()[1]).toContain('[jarvis]\nA pike.')
    expect(agent.requestTexts()[1]).not.toContain('A heron.')
  })

  it('is loaded in another process, and the replayed history is not taken for an answer', async () => {
    agent.play({ say: 'One.' }, { say: 'Two.' })
    const { continuity } = await ask(agent.adapter, { message: 'First?' })
    await restarted()
    const { text } = await ask(agent.adapter, { continuity, history, message: 'Second?' })
    expect(text).toBe('Two.')
    expect(agent.restored()).toEqual([continuity?.session_id])
    expect(agent.requestTexts()[1]).toBe('Second?')
  })

  it('starts over with the full history if it is lost or cannot be kept', async () => {
    const { continuity } = await ask(agent.adapter, { message: 'First?' })
    await restarted()
    const lost = { ...continuity, rev: 1, session_id: 'of-another-time' }
    await ask(agent.adapter, { continuity: lost, history, message: 'Second?' })
    expect(agent.requestTexts()[1]).toContain('A heron.')
    await restarted()
    agent.capable({ agentCapabilities: {} })
    await ask(agent.adapter, { continuity, history, message: 'Third?' })
    expect(agent.requestTexts()[2]).toContain('A heron.')
    expect(agent.restored()).toEqual(['of-another-time'])
  })

  it('starts over if the agent refuses it without output', async () => {
    agent.play({ say: 'One.' }, { reply: { stopReason: 'refusal' } }, { say: 'Three.' })
    const { continuity } = await ask(agent.adapter)
    const { text } = await ask(agent.adapter, { continuity, history })
    expect(text).toBe('Three.')
    expect(agent.requestTexts()[2]).toContain('A heron.')
  })

  it('reports a refusal to answer', async () => {
    agent.play({ reply: { stopReason: 'refusal' } })
    expect((await ask(agent.adapter)).ended).toMatchObject({ type: 'failed', code: 'refused' })
  })

  it('reports which session an answer belongs to', async () => {
    const { events, continuity } = await ask(agent.adapter)
    expect(attachedIn(events, 'session')).toEqual([{ session_id: continuity?.session_id }])
    await restarted()
    agent.capable({ agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '1' } })
    const next = await ask(agent.adapter, { continuity, history })
    expect(attachedIn(next.events, 'session')).toEqual([
      { source: 'claude-code', session_id: continuity?.session_id },
    ])
  })

  it('answers with the chosen model and lists the available ones', async () => {
    const { events } = await ask(agent.adapter, { model: 'large' })
    expect(events).toContainEqual({ type: 'model', model: 'large' })
    expect(agent.chosen()).toEqual(['large'])
    expect((await agent.adapter.health()).models).toEqual(['large', 'small'])
    expect((await ask(agent.adapter, { model: 'none' })).ended).toMatchObject({
      type: 'failed',
      code: 'not_configured',
      message: 'Unknown model: none. Available: small, large.',
    })
  })

  it('answers if a resumed session does not list its models', async () => {
    const { continuity } = await ask(agent.adapter, { model: 'large' })
    await restarted()
    await agent.withoutModels()
    const going = { continuity, history, message: 'And then?' }
    expect((await ask(agent.adapter, { ...going, model: 'large' })).ended).toMatchObject({ type: 'end' })
    expect(agent.chosen()).toEqual(['large', 'large'])
    await restarted()
    expect((await ask(agent.adapter, { ...going, model: 'of-another' })).text).toBe('ok')
  })

  /** Makes the agent see a message that it does not answer completely. */
  const cut = async (act: AcpAct) => {
    agent.play({ say: 'One.' }, act, { say: 'Three.' })
    const { continuity } = await ask(agent.adapter, { message: 'First?' })
    const stop = new AbortController()
    const { ended } = await ask(agent.adapter, {
      continuity,
      history,
      message: 'Second?',
      signal: stop.signal,
      onEvent: ({ type }) => type === 'chunk' && act.after === 'hangs' && stop.abort(),
    })
    return { continuity, ended }
  }
  it.each([
    ['stopped', { say: 'Half', after: 'hangs' }, { type: 'end', outcome: 'cancelled' }],
    ['cut off', { say: 'Half', after: 'dies' }, { type: 'failed', code: 'died' }],
    ['refused', { refuse: 500 }, { type: 'failed', code: 'provider_error' }],
  ] as const)('starts over after it was %s, without repetition or leftovers', async (_how, act, how) => {
    agent.capable({ agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } } })
    const { continuity, ended } = await cut(act)
    expect(ended).toMatchObject(how)
    const { text, continuity: next } = await ask(agent.adapter, { continuity, history, message: 'Third?' })
    expect(text).toBe('Three.')
    expect(next?.session_id).not.toBe(continuity?.session_id)
    expect(agent.requestTexts()[2]).toContain('A heron.')
    expect(agent.requestTexts()[2]).not.toContain('Second?')
    expect(agent.restored()).toEqual([])
  })

  it.each([
    [
      'of its own that it did not end',
      [said('3', 'user', 'Well?'), { ...said('4', 'assistant', 'Ha'), runtime: 'acp:scripted' as const }],
    ],
    ['that nobody answered', [said('3', 'user', 'Well?')]],
  ])('starts over if it may have seen something %s, even in another process', async (_what, handover) => {
    const { continuity } = await ask(agent.adapter, { message: 'First?' })
    await restarted()
    await ask(agent.adapter, { continuity, history: [...history, ...handover], handover })
    expect(agent.restored()).toEqual([])
    expect(agent.requestTexts()[1]).toContain('A heron.')
  })

  it('starts over if everything it saw was replaced', async () => {
    const { continuity } = await ask(agent.adapter, { message: 'First?' })
    const { continuity: next } = await ask(agent.adapter, { continuity, message: 'Another first?' })
    expect(next?.session_id).not.toBe(continuity?.session_id)
    expect(agent.requestTexts()[1]).toBe('Another first?')
  })

  it('gets the files it accepts and a note about the others', async () => {
    const files = [
      { name: 'a.png', media_type: 'image/png', data: 'aGk=' },
      { name: 'b.wav', media_type: 'audio/wav', data: 'aGk=' },
    ]
    agent.capable({ agentCapabilities: { promptCapabilities: { image: true } } })
    await ask(agent.adapter, { files })
    expect(agent.prompts()[0]?.prompt).toEqual([
      {
        type: 'text',
        text: "(Attached, but not available to you: b.wav (audio/wav).)\n\nThe person's message:\n\nWhat now?",
      },
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    ])
  })
})

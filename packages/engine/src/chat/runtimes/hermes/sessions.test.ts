import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../acp/run-adapter.test-kit.ts'
import type { PriorMessage } from '../port.ts'
import { type ScriptedHermes, startScriptedHermes } from './scripted-hermes.test-kit.ts'

const started: ScriptedHermes[] = []
afterEach(async () => {
  for (const one of started.splice(0)) await one.close()
})
const startSession = async (): Promise<ScriptedHermes> => {
  const hermes = await startScriptedHermes('session')
  started.push(hermes)
  return hermes
}

const before = (id: string, role: 'user' | 'assistant', content: string): PriorMessage => ({
  id,
  role,
  content,
  runtime: role === 'user' ? null : 'jarvis',
  preamble: role === 'user' ? 'What was remembered.' : null,
})
const NEW = [before('c', 'user', 'New.'), before('d', 'assistant', 'So it is.')]
const HISTORY = [before('a', 'user', 'Give me a word.'), before('b', 'assistant', 'Heron.')]

describe('session of Hermes', () => {
  const going = (session: string, more = HISTORY) => ({
    message: 'And now?',
    history: [...more, ...NEW],
    handover: NEW,
    continuity: { rev: 1, session_id: session, synced_message_id: 'b' },
  })

  it('gets only what is new if it remembers the rest', async () => {
    const hermes = await startSession()
    hermes.sessions.set('kept', [])
    await ask(hermes.adapter, going('kept'))
    expect(hermes.requestTexts()[0]).toContain('New.')
    expect(hermes.requestTexts()[0]).not.toContain('Heron.')
    expect([...hermes.sessions.keys()]).toEqual(['kept'])
  })

  it('is replaced by a new one with the full history if it is gone', async () => {
    const hermes = await startSession()
    const { ended } = await ask(hermes.adapter, going('lost'))
    expect(hermes.requestTexts()[0]).toContain('Heron.')
    expect(ended).toMatchObject({ type: 'end', continuity: { session_id: 'session-1' } })
  })

  it('is not continued after it saw a message that was replaced', async () => {
    const hermes = await startSession()
    hermes.sessions.set('kept', [])
    const { ended } = await ask(hermes.adapter, { ...going('kept'), handover: going('kept').history })
    expect(ended).toMatchObject({ continuity: { session_id: expect.stringMatching(/^session-/) } })
    expect(hermes.sessions.get('kept')).toEqual([])
  })

  const stoppedIn = async (hermes: ScriptedHermes) => {
    hermes.sessions.set('kept', [])
    hermes.play({ say: 'Half', after: 'hangs' })
    const stop = new AbortController()
    const { ended } = await ask(hermes.adapter, {
      ...going('kept'),
      signal: stop.signal,
      onEvent: ({ type }) => type === 'chunk' && stop.abort(),
    })
    expect(ended).toEqual({ type: 'end', outcome: 'cancelled' })
    hermes.play({ say: 'Whole.' })
  }
  const beginsAnew = async (hermes: ScriptedHermes, request = going('kept')) => {
    const { ended } = await ask(hermes.adapter, request)
    expect(ended).toMatchObject({ continuity: { session_id: expect.stringMatching(/^session-/) } })
    expect(hermes.requestTexts().at(-1)).toContain('Heron.')
  }

  it.each([true, false])('is not continued after a turn was stopped in it (deaf: %s)', async (isDeaf) => {
    const hermes = await startSession()
    hermes.deaf(isDeaf)
    await stoppedIn(hermes)
    await beginsAnew(hermes)
    expect(hermes.sessions.get('kept')).toHaveLength(1)
  })

  it('is not continued after a turn failed in it', async () => {
    const hermes = await startSession()
    hermes.sessions.set('kept', [])
    hermes.play({ say: 'Half', failed: 'The model is gone' }, { say: 'Whole.' })
    expect((await ask(hermes.adapter, going('kept'))).ended).toMatchObject({ type: 'failed' })
    await beginsAnew(hermes)
  })

  it('is continued after it refused a message', async () => {
    const hermes = await startSession()
    hermes.sessions.set('kept', [])
    hermes.play({ refuse: 500 }, { say: 'Whole.' })
    await ask(hermes.adapter, going('kept'))
    expect((await ask(hermes.adapter, going('kept'))).ended).toMatchObject({
      continuity: { session_id: 'kept' },
    })
  })

  it.each([
    [
      'of its own that it did not end',
      [before('c', 'user', 'New.'), { ...before('d', 'assistant', 'Ha'), runtime: 'hermes' as const }],
    ],
    ['that nobody answered', [before('c', 'user', 'New.')]],
  ])(
    'is not continued if it may have seen something %s, even from another process',
    async (_what, handover) => {
      const hermes = await startSession()
      hermes.sessions.set('kept', [])
      await beginsAnew(hermes, { ...going('kept'), history: [...HISTORY, ...handover], handover })
    },
  )

  it('is not continued if everything it saw was replaced', async () => {
    const hermes = await startSession()
    hermes.sessions.set('kept', [])
    const { ended } = await ask(hermes.adapter, { ...going('kept'), history: [], handover: [] })
    expect(ended).toMatchObject({ continuity: { session_id: expect.stringMatching(/^session-/) } })
  })

  it('follows a rename by Hermes', async () => {
    const hermes = await startSession()
    hermes.play({ events: [['run.completed', { session_id: 'its-continuation', output: 'Yes.' }]] })
    const { ended } = await ask(hermes.adapter, { message: 'Well?' })
    expect(ended).toMatchObject({ continuity: { session_id: 'its-continuation' } })
  })

  it('is asked again once it has finished its current work', async () => {
    const hermes = await startSession()
    const busy = JSON.stringify({ error: { message: 'A run is active', code: 'run_already_active' } })
    hermes.play({ status: 409, headers: { 'retry-after': '0.1' }, body: busy }, { say: 'Now.' })
    expect((await ask(hermes.adapter, { message: 'Well?' })).text).toBe('Now.')
  })
})

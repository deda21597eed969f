import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fenceText } from '../../context/section.ts'
import { ask } from '../acp/run-adapter.test-kit.ts'
import type { PriorMessage } from '../port.ts'
import type { Transport } from './capabilities.ts'
import { createHermes } from './hermes.ts'
import { type ScriptedHermes, startScriptedHermes } from './scripted-hermes.test-kit.ts'
import type { HermesLimits } from './server.ts'

const WAYS: readonly Transport[] = ['session', 'runs', 'completions']
const started: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of started.splice(0)) await one.close()
})
async function hermesBy(way: Transport, limits: Partial<HermesLimits> = {}): Promise<ScriptedHermes> {
  const hermes = await startScriptedHermes(way, limits)
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
const HISTORY = [before('a', 'user', 'Give me a word.'), before('b', 'assistant', 'Heron.')]

describe.each(WAYS)('Hermes through %s', (way) => {
  it('is asked again after the stated delay, if that is short', async () => {
    const hermes = await hermesBy(way)
    hermes.play({ status: 429, headers: { 'retry-after': '0.3' } }, { say: 'Now.' })
    const began = performance.now()
    const { text, events } = await ask(hermes.adapter, { message: 'Well?' })
    expect(text).toBe('Now.')
    expect(performance.now() - began).toBeGreaterThan(290)
    expect(JSON.stringify(events)).toContain('Hermes is busy')
  })

  it('is not waited for if the stated delay is long', async () => {
    const hermes = await hermesBy(way)
    hermes.play({ status: 429, headers: { 'retry-after': '3600' } })
    const { ended } = await ask(hermes.adapter, { message: 'Well?' })
    expect(ended).toMatchObject({ type: 'failed', code: 'rate_limited', retryable: true })
    expect(ended).toHaveProperty('message', expect.stringContaining('3600 s'))
    expect(hermes.requestTexts()).toHaveLength(1)
  })

  it('stops waiting when the run is stopped', async () => {
    // The delay exceeds the time limit of a test, so the test fails if the adapter waits for it.
    const hermes = await hermesBy(way, { busyMs: 120_000 })
    hermes.play({ status: 429, headers: { 'retry-after': '60' } })
    const stop = new AbortController()
    const run = ask(hermes.adapter, { message: 'Well?', signal: stop.signal })
    await vi.waitFor(() => expect(hermes.requestTexts()).toHaveLength(1), 30_000)
    stop.abort()
    expect((await run).ended).toEqual({ type: 'end', outcome: 'cancelled' })
    expect(hermes.requestTexts()).toHaveLength(1)
  })

  it.each([
    [403, 'unauthorized', false],
    [404, 'provider_error', false],
    [413, 'too_long', false],
    [503, 'unreachable', true],
    [302, 'not_configured', false],
  ])('reports status %i as %s', async (status, code, retryable) => {
    const elsewhere = await listening()
    const hermes = await hermesBy(way)
    hermes.play({ status, headers: { location: `${elsewhere.url}/v1/runs` } })
    const { ended } = await ask(hermes.adapter, { message: 'Well?' })
    expect(ended).toMatchObject({ type: 'failed', code, retryable })
    expect(elsewhere.asked()).toBe(0)
  })

  it('is given up and stopped if it sends nothing but keep-alives', async () => {
    const hermes = await hermesBy(way, { silentMs: 150 })
    hermes.play({ beats: 5_000, say: 'Late.' })
    const { ended } = await ask(hermes.adapter, { message: 'Well?' })
    expect(ended).toMatchObject({ type: 'failed', code: 'timed_out' })
    await vi.waitFor(() => expect(hermes.activeAnswers()).toBe(0), 30_000)
  })

  it('is waited for if it is slow but sends keep-alives', async () => {
    const hermes = await hermesBy(way, { quietMs: 2_000 })
    hermes.play({ beats: 2_500, say: 'At last.' })
    expect((await ask(hermes.adapter, { message: 'Well?' })).text).toBe('At last.')
  })

  it("fails with its model's error, without the key", async () => {
    const hermes = await hermesBy(way)
    hermes.play({ say: 'Half', failed: `HTTP 429: too many requests with ${hermes.key}` })
    const { ended, text } = await ask(hermes.adapter, { message: 'Well?' })
    expect(text).toBe('Half')
    expect(ended).toMatchObject({ type: 'failed', code: 'rate_limited' })
    expect(JSON.stringify(ended)).not.toContain(hermes.key)
  })

  it('fails with its partial answer if it restarts, and can be asked again', async () => {
    const hermes = await hermesBy(way)
    hermes.play({ say: 'Half of', pieces: 1, after: 'hangs' })
    const run = ask(hermes.adapter, {
      message: 'Well?',
      onEvent: ({ type }) => {
        if (type === 'chunk') setTimeout(() => void hermes.restart(), 30)
      },
    })
    const { ended, text } = await run
    expect(text).toBe('Half of')
    expect(ended).toMatchObject({ type: 'failed', code: 'died', retryable: true })
    hermes.play({ say: 'Whole.' })
    await vi.waitFor(
      async () => expect((await ask(hermes.adapter, { message: 'Again?' })).text).toBe('Whole.'),
      30_000,
    )
  })

  it('gets the earlier conversation and the context of the message', async () => {
    const hermes = await hermesBy(way)
    const { ended, events } = await ask(hermes.adapter, {
      message: 'And another?',
      history: HISTORY,
      handover: HISTORY,
      baseline: 'Be brief.',
      preamble: 'It is late.',
      model: 'fast',
    })
    expect(ended).toMatchObject({ type: 'end', continuity: { session_id: expect.any(String) } })
    const session = ended?.type === 'end' && ended.continuity?.session_id
    expect(events).toContainEqual({
      type: 'attachment',
      attachment: {
        kind: 'session',
        title: 'Session of Hermes',
        data: { source: 'hermes', session_id: session },
      },
    })
    const [sent = ''] = hermes.requestTexts()
    for (const words of ['Give me a word.', 'Heron.', 'Be brief.', 'It is late.', 'And another?', 'fast'])
      expect(sent).toContain(words)
  })

  it('does not get what it remembers itself', async () => {
    const hermes = await hermesBy(way)
    const baseline = `Known:\n${fenceText('about-the-person', '- Hermes, of its work: A slow kettle\n- Rides a bike')}`
    await ask(hermes.adapter, { baseline })
    expect(hermes.requestTexts()[0]).toContain('Rides a bike')
    expect(hermes.requestTexts()[0]).not.toContain('A slow kettle')
  })

  it('is not asked for a model by its own name', async () => {
    const hermes = await hermesBy(way)
    await ask(hermes.adapter, { message: 'Well?', model: 'hermes-agent' })
    expect(hermes.requests().at(way === 'runs' ? -2 : -1)?.body.model).toBe(
      way === 'completions' ? 'hermes-agent' : undefined,
    )
    expect(hermes.requestTexts()).toHaveLength(1)
  })

  it('sends its key to no other server, and queries capabilities once', async () => {
    const hermes = await hermesBy(way)
    await ask(hermes.adapter, { message: 'One?' })
    await ask(hermes.adapter, { message: 'Two?' })
    const paths = hermes.requests().map(({ path }) => path)
    expect(paths.filter((path) => path === '/v1/capabilities')).toHaveLength(1)
    expect(new Set(hermes.requests().map(({ key }) => key))).toEqual(new Set([`Bearer ${hermes.key}`]))
  })
})

describe('run of Hermes', () => {
  it('is polled after its stream breaks off, without repeating text', async () => {
    const hermes = await hermesBy('runs')
    hermes.play({
      say: 'One, two',
      breaksFor: 60,
      output: 'One, two, three.',
      usage: { input_tokens: 5, output_tokens: 3 },
    })
    const { text, ended } = await ask(hermes.adapter, { message: 'Count.' })
    expect(text).toBe('One, two, three.')
    expect(ended).toMatchObject({ type: 'end', outcome: 'completed', usage: { input: 5, output: 3 } })
  })

  it('is polled until it is done if it has no event stream', async () => {
    const hermes = await hermesBy('runs')
    hermes.offer({ run_submission: true, run_status: true, run_stop: true })
    hermes.play({ say: 'Done.', unlessAllowed: 'Not done.' })
    const asked: string[] = []
    const { text } = await ask(hermes.adapter, {
      message: 'Do it.',
      answer: async ({ choices }) => {
        asked.push(...choices)
        return 'once'
      },
    })
    expect(text).toBe('Done.')
    expect(asked).toEqual(['once', 'deny'])
    expect(hermes.approvedActions()).toBe(1)
  })

  it('is stopped as soon as it has an id if it was begun while being stopped', async () => {
    const hermes = await hermesBy('runs')
    await hermes.adapter.health()
    hermes.play({ say: 'Half', after: 'hangs' })
    const stop = new AbortController()
    const run = ask(hermes.adapter, { message: 'Well?', signal: stop.signal })
    await wait(1)
    stop.abort()
    expect((await run).ended).toEqual({ type: 'end', outcome: 'cancelled' })
    await vi.waitFor(() => expect(hermes.stopped()).toHaveLength(hermes.requestTexts().length), 30_000)
  })

  it('answers two concurrent approval requests in order', async () => {
    const hermes = await hermesBy('runs')
    const request = (command: string): readonly [string, object] => [
      'approval.request',
      { command, choices: ['once', 'deny'] },
    ]
    hermes.play({
      events: [request('first'), request('second')] as never,
      beats: 30_000,
      until: () => hermes.choices().length === 2,
      say: 'Done.',
    })
    const answers = ['deny', 'once']
    await ask(hermes.adapter, {
      message: 'Do it.',
      answer: async ({ label }) => {
        await wait(label === 'first' ? 60 : 1)
        return answers[label === 'first' ? 0 : 1] ?? null
      },
    })
    expect(hermes.choices().map(({ choice }) => choice)).toEqual(['deny', 'once'])
  })
})

describe('server at the configured address', () => {
  const at = (url: string) =>
    createHermes({ config: { url, api_key_env: 'KEY', env: {} }, env: { KEY: 'a-key-for-tests' } })

  it('is reported if it is not Hermes', async () => {
    const other = await listening()
    expect(await at(other.url).health()).toMatchObject({ state: 'not_configured' })
    const { ended } = await ask(at(other.url), { message: 'Well?' })
    expect(ended).toMatchObject({ type: 'failed', code: 'malformed', retryable: false })
  })

  it('is not waited for if it never answers', async () => {
    const deaf = await listening(true)
    const hermes = createHermes({ config: { url: deaf.url, env: {} }, env: {}, limits: { probeMs: 100 } })
    expect(await hermes.health()).toMatchObject({ state: 'unreachable' })
  })

  it('explains what to do if it rejects the key', async () => {
    const hermes = await hermesBy('runs')
    const health = await at(hermes.url).health()
    expect(health).toMatchObject({ state: 'unauthorized', transport: 'api' })
    expect(health.detail).toContain('API_SERVER_KEY')
    const keyless = createHermes({ config: { url: hermes.url, api_key_env: 'NONE', env: {} }, env: {} })
    expect((await keyless.health()).detail).toContain('runtimes.hermes.api_key_env')
  })
})

async function listening(isDeaf = false) {
  let asked = 0
  const server = createServer((_incoming, outgoing) => {
    asked += 1
    if (!isDeaf) outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
  })
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  started.push({
    close: async () => {
      server.closeAllConnections()
      await new Promise((gone) => server.close(gone))
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

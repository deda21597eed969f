import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readMessages } from './message-stream.ts'
import { ask } from './run-adapter.test-kit.ts'
import { type ScriptedAgent, startScriptedAgent } from './scripted-agent.test-kit.ts'

describe('ACP agent', () => {
  let agent: ScriptedAgent
  beforeEach(async () => {
    agent = await startScriptedAgent()
  })
  afterEach(() => agent.close())

  it('may write log lines between messages', async () => {
    agent.play({
      lines: [
        'Starting …',
        '',
        '{ level: 30, msg: "ready" }',
        '{"level":30}',
        '[1,2]',
        '\u001b[31mred\u001b[0m',
      ],
      say: 'Everything is fine.',
    })
    expect((await ask(agent.adapter)).text).toBe('Everything is fine.')
  })

  it('fails cleanly on an unreadable message and can be prompted again', async () => {
    agent.play({ say: 'Half', lines: ['{"jsonrpc":"2.0","method":"session/upd'], after: 'hangs' })
    const { ended } = await ask(agent.adapter)
    expect(ended).toMatchObject({ type: 'failed', code: 'malformed' })
    agent.play({ say: 'Well again.' })
    expect((await ask(agent.adapter)).text).toBe('Well again.')
  })

  it('may write a very long line, but not an endless one', async () => {
    const say = 'long '.repeat(400_000)
    agent.play({ say, pieces: 1 })
    expect((await ask(agent.adapter)).text).toBe(say)
    const endless = async function* () {
      for (;;) yield Buffer.alloc(1_000_000, 'a')
    }
    const all = async () => {
      for await (const _ of readMessages(endless()));
    }
    await expect(all()).rejects.toThrow('a message is too large')
  })

  it('has a crash explained by its last lines on standard error', async () => {
    agent.play({ complains: `${'noise '.repeat(10_000)}\nthe disk is full`, say: 'Half', after: 'dies' })
    const { ended, text } = await ask(agent.adapter)
    expect(text).toBe('Half')
    expect(ended).toMatchObject({ type: 'failed', code: 'died' })
    const message = ended?.type === 'failed' ? ended.message : ''
    expect(message).toMatch(/^Scripted stopped: it exited with code 3\. .*the disk is full$/s)
    expect(message.length).toBeLessThan(500)
  })

  it('is not mistaken for a missing agent if something was not found during its work', async () => {
    agent.play({ complains: 'sh: rg: command not found', say: 'Half', after: 'dies' })
    expect((await ask(agent.adapter)).ended).toMatchObject({ type: 'failed', code: 'died' })
  })

  it('counts as ready only after it started and spoke ACP', async () => {
    const adapter = agent.adapterWith({ command: ['/bin/false'] })
    expect(await adapter.health()).toMatchObject({ state: 'untried', detail: '' })
    expect((await ask(adapter)).ended).toMatchObject({ type: 'failed' })
    expect(await adapter.health()).toMatchObject({ state: 'failed', detail: expect.stringMatching(/./) })
    await adapter.close()
    expect(await agent.adapter.health()).toMatchObject({ state: 'untried' })
    await ask(agent.adapter)
    expect(await agent.adapter.health()).toMatchObject({ state: 'ready' })
  })

  it('fails with advice where to sign in if it requires that', async () => {
    agent.refuseSessions({ code: -32_000, message: 'Authentication required' })
    const adapter = agent.adapterWith({ advice: { signIn: 'scripted login' } })
    expect((await ask(adapter)).ended).toMatchObject({
      type: 'failed',
      code: 'unauthorized',
      retryable: false,
      message:
        'Scripted requires you to sign in first (Authentication required). In a terminal, run `scripted login`, then try again.',
    })
    expect(await adapter.health()).toMatchObject({ state: 'unauthorized' })
    agent.refuseSessions(null)
    await ask(adapter)
    expect(await adapter.health()).toMatchObject({ state: 'ready' })
    await adapter.close()
  })

  it('is rejected if it speaks an unknown protocol version', async () => {
    agent.capable({ protocolVersion: 7 })
    expect((await ask(agent.adapter)).ended).toMatchObject({
      type: 'failed',
      code: 'not_configured',
      message:
        'Scripted uses version 7 of ACP, but Panoptes supports versions 1 and 2. Install another version of one of them.',
    })
    await vi.waitFor(() => expect(agent.processes()).toBe(0), 30_000)
  })

  it('reports an answer that was cut short', async () => {
    agent.play({ say: 'Much', reply: { stopReason: 'max_tokens' } })
    expect((await ask(agent.adapter)).ended).toMatchObject({ type: 'end', outcome: 'length' })
  })

  it('reports usage, per prompt or as a session total', async () => {
    const reply = (inputTokens: number) => ({
      stopReason: 'end_turn',
      usage: { inputTokens, outputTokens: 5, cachedReadTokens: 40, totalTokens: inputTokens + 5 },
    })
    agent.play({ reply: reply(100) })
    expect((await ask(agent.adapter)).ended).toMatchObject({
      usage: { input: 60, output: 5, cache_read: 40 },
    })
    const summing = agent.adapterWith({ quirks: { sumsUsage: true } })
    agent.play({ reply: reply(100) }, { reply: reply(130) })
    const { continuity } = await ask(summing)
    const history = [{ id: '1', role: 'user' as const, content: 'One?', runtime: null, preamble: null }]
    expect((await ask(summing, { continuity, history })).ended).toMatchObject({
      usage: { input: 30, output: 0 },
    })
    await summing.close()
  })

  it('is not offered file access or a terminal', async () => {
    agent.play({ say: 'ok' })
    await ask(agent.adapter)
    expect(agent.introduced()).toMatchObject({
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
  })
})

describe('ACP message stream', () => {
  it('parses lines the same however they are split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }), log: fc.boolean() })),
        fc.array(fc.nat(50), { minLength: 1 }),
        async (parts, cuts) => {
          const lines = parts.map(({ text, log }) =>
            log ? `log ${text.replaceAll('\n', ' ')}` : JSON.stringify({ jsonrpc: '2.0', method: text }),
          )
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
          const pieces = async function* () {
            for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
              const size = 1 + (cuts[turn % cuts.length] ?? 0)
              yield bytes.subarray(at, at + size)
              at += size
            }
          }
          const read: unknown[] = []
          for await (const message of readMessages(pieces())) read.push(message)
          expect(read).toEqual(
            parts.flatMap(({ text, log }) => (log ? [] : [{ jsonrpc: '2.0', method: text }])),
          )
        },
      ),
      { numRuns: 50 },
    )
  })
})

import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moaPreset, type TraceRecord } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createPrices } from '../../models/prices.ts'
import { openProviders } from '../../models/providers/open.ts'
import { type ScriptedServer, startScripted } from '../../models/providers/scripted.test-kit.ts'
import { openMoa } from '../open.ts'
import type { TurnPart } from '../turn.ts'
import { createFileTraces } from './file-traces.ts'
import { toTraceRecord } from './record.ts'
import { openTraces } from './traces.ts'

const published = z.fromJSONSchema(
  JSON.parse(
    readFileSync(new URL('../../../../../docs/schema/moa-trace.schema.json', import.meta.url), 'utf8'),
  ),
)

let server: ScriptedServer
let folder: string
beforeAll(async () => {
  server = await startScripted()
  folder = await mkdtemp(join(tmpdir(), 'panoptes-traces-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

type Message = { readonly role: string; readonly [field: string]: unknown }

function opened() {
  const traces = openTraces({ kept: createFileTraces({ folder, maxBytes: 10_000_000 }) })
  const local = { kind: 'openai' as const, base_url: `${server.url}/v1`, timeout: null, retries: 0 }
  const slot = (model: string) => ({ provider: 'local', model })
  const moa = openMoa({
    presets: { p: moaPreset.parse({ reference_models: [slot('a'), slot('b')], aggregator: slot('act') }) },
    defaultPreset: null,
    privacy: '',
    providers: openProviders({ providers: { local }, env: {} }),
    prices: createPrices({ a: { input: 1, output: 2 } }),
    traced: () => true,
    onCall: (_turn, call, { session }, preset) =>
      traces.write(session, () => toTraceRecord(call, { session, preset, privacy: '' })),
  })
  const ask = async (
    session: string,
    messages: readonly Message[],
    isStoppedAt: (part: TurnPart) => boolean = () => false,
  ) => {
    const stop = new AbortController()
    const turn = moa.run({
      preset: 'p',
      session,
      ask: { messages, rest: { tools: [{ type: 'function', function: { name: 'run' } }] }, stream: true },
      signal: stop.signal,
      from: 'gateway',
    })
    if (!turn.ok) throw new Error(turn.message)
    for await (const part of turn.value) if (isStoppedAt(part)) stop.abort()
  }
  const linesOf = async (session: string): Promise<TraceRecord[]> => {
    await traces.drain()
    const text = await readFile(join(folder, `${session}.jsonl`), 'utf8')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TraceRecord)
  }
  return { ask, linesOf }
}

const question = [{ role: 'user', content: 'why?' }]
const valid = (record: unknown) => expect(published.safeParse(record)).toMatchObject({ success: true })

describe('published schema of a trace line', () => {
  it('accepts a fan-out and every further call of its turn', async () => {
    server.script('a', { text: 'advice' })
    server.script('b', { text: 'more' })
    server.script('act', { calls: [{ id: 'c', name: 'run', input: { x: 1 } }] })
    const { ask, linesOf } = opened()
    const messages: Message[] = [...question]
    for (let n = 0; n < 20; n += 1) {
      await ask('many', messages)
      messages.push(
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'run', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: `c${n}`, content: 'ok' },
      )
    }
    const lines = await linesOf('many')
    expect(lines.map(({ references }) => references.length)).toEqual([2, ...Array(19).fill(0)])
    expect(lines.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    expect(new Set(lines.map(({ turn_id }) => turn_id)).size).toBe(1)
    for (const line of lines) {
      valid(line)
      expect(line.aggregator.tool_calls).toHaveLength(1)
      expect(line.aggregator).toMatchObject({ guidance: 'message', parameters: { tools: [{}] } })
    }
    expect(lines[0]?.references[0]?.cost_usd).toEqual(expect.any(Number))
  })

  it('accepts a failed turn', async () => {
    server.script('a', { status: 500 })
    server.script('act', { status: 401 })
    const { ask, linesOf } = opened()
    await ask('failed', question)
    const [line] = await linesOf('failed')
    valid(line)
    expect(line).toMatchObject({ status: 'failed', aggregator: { error: 'auth', output: null } })
    expect(line?.references[0]).toMatchObject({ error: 'overloaded', usage: {}, cost_usd: null })
  })

  it('accepts a turn that was stopped before or while its acting model answered', async () => {
    server.script('a', { hangs: true })
    const { ask, linesOf } = opened()
    await ask('early', question, ({ type }) => type === 'progress')
    const [early] = await linesOf('early')
    valid(early)
    expect(early).toMatchObject({ status: 'aborted', aggregator: { input_messages: null } })
    server.script('a', { text: 'advice' })
    server.script('act', { text: 'a long answer that is cut', pieces: 20, pace: 50 })
    await ask('late', question, (part) => part.type === 'chunk' && JSON.stringify(part).includes('"a '))
    const [late] = await linesOf('late')
    valid(late)
    expect(late).toMatchObject({ status: 'aborted', aggregator: { error: 'aborted' } })
    expect(late?.aggregator.output).toMatch(/^a/)
  })

  it('rejects a line that lacks a key', () => {
    expect(published.safeParse({ ts: 1, session_id: 's', preset: 'p', references: [] }).success).toBe(false)
  })
})

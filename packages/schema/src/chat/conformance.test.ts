import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStream, StreamChecker, type StreamRule } from './conformance.ts'

type Data = Record<string, unknown>
interface Told {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

const told = (seq: number, event: string, data: Data): Told => ({
  id: `run-1:${seq}`,
  event,
  data: JSON.stringify({ ...envelope(seq), ...data }),
})
const envelope = (seq: number): Data => ({
  v: 1,
  seq,
  ts: 1_700_000_000_000 + seq,
  conversation_id: 'chat-1',
  run_id: 'run-1',
  runtime: 'jarvis',
})
const metadata = (seq = 1, more: Data = {}): Told =>
  told(seq, 'metadata', { message_id: 'm', user_message_id: 'u', model: null, state_revision: 0, ...more })
const progress = (seq: number, more: Data = {}): Told =>
  told(seq, 'progress', { node_id: 'n', kind: 'tool', status: 'started', label: 'L', ...more })
const chunk = (seq: number, index: number, more: Data = {}): Told =>
  told(seq, 'chunk', { index, delta: 'a', ...more })
const done = (seq: number, more: Data = {}): Told =>
  told(seq, 'done', {
    message_id: 'm',
    outcome: 'completed',
    duration_ms: 5,
    attachments: [],
    state_revision: 1,
    ...more,
  })
const failed = (seq: number, more: Data = {}): Told =>
  told(seq, 'error', { code: 'died', message: 'It died.', retryable: true, stage: 'answer', ...more })

const frame = ({ id, event, data }: Told): string =>
  `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
const stream = (...all: readonly Told[]): string => all.map(frame).join('')

const GOOD = stream(metadata(), progress(2), chunk(3, 0), chunk(4, 1, { delta: 'b\r\n\tc' }), done(5))
const rules = (text: string | Uint8Array, lastEventId?: string): readonly StreamRule[] =>
  checkStream(text, { lastEventId }).problems.map(({ rule }) => rule)

describe('chat stream checker', () => {
  it('accepts a stream that follows the contract', () => {
    expect(checkStream(GOOD)).toEqual({
      problems: [],
      left_out: 0,
      events: { metadata: 1, progress: 1, chunk: 2, error: 0, done: 1 },
      end: 'done',
    })
    expect(rules(stream(metadata(), failed(2)))).toEqual([])
    expect(rules(stream(failed(1)))).toEqual([])
  })

  it('requires only the envelope, delta, code and message', () => {
    const bare = stream(
      told(1, 'metadata', {}),
      told(2, 'progress', {}),
      told(3, 'chunk', { delta: '' }),
      told(4, 'error', { code: 'internal', message: '' }),
    )
    expect(rules(bare)).toEqual([])
    expect(rules(stream(metadata(), told(2, 'done', {})))).toEqual([])
  })

  it('accepts other servers with their own runtimes, codes, stages and time formats', () => {
    const own = { runtime: 'langgraph', ts: '2026-11-16T13:00:00.5+01:00' }
    const ended = { cost: { usd: 0.1, status: 'estimated' }, attachments: [{ kind: 'trace', url: 'x' }] }
    expect(
      rules(stream(metadata(0, own), chunk(1, 0, { ...own, ts: 1_700.25 }), done(2, { ...own, ...ended }))),
    ).toEqual([])
    const code = { code: 'upstream_5xx', stage: 'tools' }
    expect(rules(stream(metadata(7, own), failed(8, { ...own, ...code })))).toEqual([])
    expect(rules(stream(chunk(1, 0), done(2)), 'run-1:0')).toEqual([])
  })

  it('accepts heartbeats, unknown fields, CRLF, multi-line data and a BOM', () => {
    const lines = GOOD.replaceAll('\n\n', '\n: heartbeat\nretry: 5\n\n').replaceAll(
      '{"v":1,',
      '{"v":1,\ndata:',
    )
    expect(rules(`\uFEFF${lines.replaceAll('\n', '\r\n')}`)).toEqual([])
    expect(rules(lines.replaceAll('\n', '\r'))).toEqual([])
  })

  it('accepts a stream that resumes after the last seen event', () => {
    expect(rules(stream(chunk(4, 7), done(5)), 'run-1:3')).toEqual([])
    expect(rules('', 'run-1:5')).toEqual([])
    expect(rules(': heartbeat\n\n', 'run-1:5')).toEqual([])
  })

  const without = (of: Told, name: string): Told => {
    const { [name]: _gone, ...rest } = JSON.parse(of.data) as Data
    return { ...of, data: JSON.stringify(rest) }
  }
  const breaches: readonly (readonly [StreamRule, string, string])[] = [
    ['first', 'a chunk before metadata', stream(chunk(1, 0), done(2))],
    ['first', 'progress before metadata', stream(progress(1), done(2))],
    ['first', 'nothing but the end', stream(done(1))],
    ['metadata', 'metadata twice', stream(metadata(), metadata(2), done(3))],
    ['after_end', 'a chunk after done', stream(metadata(), done(2), chunk(3, 0))],
    ['after_end', 'done twice', stream(metadata(), done(2), done(3))],
    ['after_end', 'an error after done', stream(metadata(), done(2), failed(3))],
    ['after_end', 'done after an error', stream(metadata(), failed(2), done(3))],
    ['truncated', 'no end', stream(metadata(), chunk(2, 0))],
    ['truncated', 'an end that is not whole', stream(metadata(), done(2)).slice(0, -1)],
    ['truncated', 'nothing at all', ''],
    ['name', 'another name', stream(metadata(), { ...progress(2), event: 'thinking' }, done(2))],
    ['name', 'no name', stream(metadata(), done(2)).replace('event: done', 'retry: 1') + frame(done(2))],
    ['json', 'data that is no JSON', stream(metadata(), { ...progress(2), data: '{"v":' }, done(2))],
    ['json', 'data that is no object', stream(metadata(), { ...progress(2), data: '[1]' }, done(2))],
    ...['v', 'ts', 'conversation_id', 'runtime'].map(
      (name) => ['envelope', `no ${name}`, stream(metadata(), without(done(2), name))] as const,
    ),
    ['envelope', 'another version', stream(metadata(1, { v: 2 }), done(2))],
    ['envelope', 'a runtime without a name', stream(metadata(1, { runtime: '' }), done(2, { runtime: '' }))],
    ['envelope', 'a time that is none', stream(metadata(1, { ts: 'yesterday' }), done(2))],
    ['envelope', 'a number below 0', stream(metadata(-1), done(0))],
    ['envelope', 'another conversation', stream(metadata(), done(2, { conversation_id: 'chat-2' }))],
    ['envelope', 'another runtime', stream(metadata(), done(2, { runtime: 'hermes' }))],
    ['envelope', 'another run', stream(metadata(), { ...done(2, { run_id: 'run-2' }), id: 'run-2:2' })],
    ['field', 'a chunk without delta', stream(metadata(), without(chunk(2, 0), 'delta'), done(3))],
    ['field', 'a delta that is no text', stream(metadata(), chunk(2, 0, { delta: 1 }), done(3))],
    ['field', 'an error without a code', stream(without(failed(1), 'code'))],
    ['field', 'an error without a message', stream(without(failed(1), 'message'))],
    ['field', 'an empty code', stream(failed(1, { code: '' }))],
    ['field', 'a stage that is no text', stream(failed(1, { stage: 2 }))],
    ['field', 'a price that is no number', stream(metadata(), done(2, { cost: { usd: '1' } }))],
    ['field', 'a kind of its own', stream(metadata(), progress(2, { kind: 'magic' }), done(3))],
    ['field', 'an outcome of its own', stream(metadata(), done(2, { outcome: 'great' }))],
    ['id', 'no id', stream(metadata(), { ...done(2), id: null })],
    ['id', 'an id of something else', stream(metadata(), { ...done(2), id: 'run-1:3' })],
    ['seq', 'a gap', stream(metadata(), done(3))],
    ['seq', 'the same number twice', stream(metadata(), progress(2), progress(2), done(3))],
    ['seq', 'a number that goes back', stream(metadata(2), done(1))],
    ['index', 'a chunk that is missing', stream(metadata(), chunk(2, 0), chunk(3, 2), done(4))],
    ['index', 'a first chunk that is not 0', stream(metadata(), chunk(2, 1), done(3))],
    ['terminal_bytes', 'a color', stream(metadata(), chunk(2, 0, { delta: '\u001b[31mred' }), done(3))],
    ['terminal_bytes', 'a C1 control', stream(metadata(), chunk(2, 0, { delta: '\u009b1m' }), done(3))],
    ['terminal_bytes', 'a bell', stream(metadata(), chunk(2, 0, { delta: '\u0007' }), done(3))],
    [
      'terminal_bytes',
      'a line written over',
      stream(metadata(), chunk(2, 0, { delta: '10%\r20%' }), done(3)),
    ],
    [
      'only_progress',
      'thoughts beside a delta',
      stream(metadata(), chunk(2, 0, { reasoning: 'hm' }), done(3)),
    ],
    ['only_progress', 'tools beside a delta', stream(metadata(), chunk(2, 0, { tool_calls: [] }), done(3))],
    ['only_progress', 'thoughts in the end', stream(metadata(), done(2, { thinking: 'hm' }))],
    [
      'only_progress',
      'thoughts in the text, cut anywhere',
      stream(metadata(), chunk(2, 0, { delta: '\n<thi' }), chunk(3, 1, { delta: 'nk>hm' }), done(4)),
    ],
  ]
  it.each(breaches)('rejects only by the rule %s: %s', (rule, _what, text) => {
    expect([...new Set(rules(text))]).toEqual([rule])
  })

  it('rejects a stream that resumes with another run or with metadata', () => {
    expect(rules(stream(chunk(4, 0), done(5)), 'run-2:3')).toContain('envelope')
    expect(rules(stream(metadata(4), done(5)), 'run-1:3')).toEqual(['metadata'])
    expect(rules(stream(done(7)), 'run-1:3')).toEqual(['seq'])
  })

  it('accepts a mention of thoughts, as long as the answer does not begin with them', () => {
    const about = stream(metadata(), chunk(2, 0, { delta: 'The tag <think> is' }), done(3))
    expect(rules(about)).toEqual([])
  })

  it('rejects bytes that are not UTF-8', () => {
    const bytes = new TextEncoder().encode(GOOD)
    bytes[GOOD.indexOf('"delta":"a"') + '"delta":"'.length] = 0xff
    expect(rules(bytes)).toEqual(['encoding'])
  })

  it('stops reading if a line never ends', () => {
    const checker = new StreamChecker()
    const piece = 'x'.repeat(8_000_001)
    const taken = Array.from({ length: 8 }, () => checker.read(piece))
    expect(taken).toEqual([true, true, true, true, true, true, true, false])
    expect(checker.result().problems.map(({ rule }) => rule)).toEqual(['too_long', 'truncated'])
  })

  it('describes problems in words, up to a limit', () => {
    const { problems } = checkStream(stream(metadata(), chunk(2, 0), chunk(4, 1), done(5)))
    expect(problems).toEqual([{ rule: 'seq', at: 3, message: 'seq is 4, in place of 3' }])
    const many = Array.from({ length: 500 }, (_, at) => ({ ...progress(at + 2), id: null }))
    const check = checkStream(stream(metadata(), ...many, done(502)))
    expect(check.problems).toHaveLength(100)
    expect(check.left_out).toBe(400)
  })

  it('gives the same result however the bytes are split', () => {
    const text = stream(metadata(), chunk(2, 0, { delta: 'Grüße 👩‍👩‍👧 日本' }), chunk(3, 5), done(4))
    const bytes = new TextEncoder().encode(text.replaceAll('\n', '\r\n'))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (places) => {
        const checker = new StreamChecker()
        const cuts = [0, ...places.toSorted((a, b) => a - b), bytes.length]
        for (const [at, from] of cuts.entries()) checker.read(bytes.slice(from, cuts[at + 1] ?? bytes.length))
        const { problems, events } = checker.result()
        expect(problems.map(({ rule }) => rule)).toEqual(['index'])
        expect(events).toMatchObject({ metadata: 1, chunk: 2, done: 1 })
      }),
    )
  })
})

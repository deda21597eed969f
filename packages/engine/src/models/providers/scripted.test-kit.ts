import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A scripted answer of a model. */
export interface ScriptedAnswer {
  readonly text?: string
  readonly reasoning?: string
  /** Redacted thinking of Anthropic. */
  readonly redacted?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[]
  /** The usage in the provider's format; null omits it. */
  readonly usage?: object | null
  /** The milliseconds before the first byte and between chunks. */
  readonly delay?: number
  readonly pace?: number
  /** The number of chunks the text is cut into. */
  readonly pieces?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A raw body in place of the answer. */
  readonly body?: string
  /** Drops or ends the connection after this many chunks. */
  readonly diesAfter?: number
  readonly diesQuietly?: boolean
  /** Sends a chunk that is not JSON after the first one. */
  readonly garbled?: boolean
  /** Answers as a whole although a stream was requested. */
  readonly whole?: boolean
  /** Never answers. */
  readonly hangs?: boolean
  /** An error in the middle of the stream, in the provider's format. */
  readonly midError?: object
}

export interface ScriptedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The raw request body. */
  readonly text: string
  readonly body: Readonly<Record<string, unknown>> & {
    readonly model: string
    readonly messages: readonly Record<string, unknown>[]
  }
  readonly at: number
  /** Identifies the connection. */
  readonly port: number | undefined
}

export interface ScriptedServer {
  readonly url: string
  readonly requests: ScriptedRequest[]
  /** When clients closed a connection before the answer was complete, in milliseconds. */
  readonly left: number[]
  /** Sets the next answers of a model, in order; the last one repeats. */
  readonly script: (model: string, ...answers: readonly ScriptedAnswer[]) => void
  readonly close: () => Promise<void>
}

/** A provider on loopback that speaks the real protocols and follows a script. */
export async function startScripted(): Promise<ScriptedServer> {
  const scripts = new Map<string, ScriptedAnswer[]>()
  const requests: ScriptedRequest[] = []
  const left: number[] = []
  const answerOf = (model: string): ScriptedAnswer => {
    const answers = scripts.get(model) ?? [{ text: `${model} says so` }]
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? {}
  }
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing, { requests, left, answerOf, models: () => [...scripts.keys()] })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    left,
    script: (model, ...answers) => void scripts.set(model, [...answers]),
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

interface Handling {
  readonly requests: ScriptedRequest[]
  readonly left: number[]
  readonly answerOf: (model: string) => ScriptedAnswer
  readonly models: () => readonly string[]
}

async function handle(incoming: IncomingMessage, outgoing: ServerResponse, on: Handling): Promise<void> {
  const path = incoming.url ?? ''
  if (incoming.method === 'GET') {
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify({ object: 'list', data: on.models().map((id) => ({ id, type: 'model' })) }))
    return
  }
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  const body = JSON.parse(text) as ScriptedRequest['body']
  on.requests.push({
    path,
    headers: incoming.headers,
    text,
    body,
    at: performance.now(),
    port: incoming.socket.remotePort,
  })
  outgoing.on('close', () => {
    if (!outgoing.writableEnded) on.left.push(performance.now())
  })
  const isAnthropic = path.endsWith('/messages')
  const refusal = isAnthropic ? thoughtless(body) : undefined
  if (refusal !== undefined) {
    outgoing.writeHead(400, { 'content-type': 'application/json' })
    outgoing.end(
      JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: refusal } }),
    )
    return
  }
  const answer = on.answerOf(body.model)
  if (answer.hangs) return
  if (answer.delay) await wait(answer.delay)
  if (answer.status !== undefined && answer.status >= 400) {
    outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    outgoing.end(
      answer.body ?? JSON.stringify({ error: { message: `status ${answer.status}`, type: 'api_error' } }),
    )
    return
  }
  if (answer.body !== undefined) {
    outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    outgoing.end(answer.body)
    return
  }
  if (body.stream !== true || answer.whole) {
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.end(
      JSON.stringify(isAnthropic ? anthropicWhole(body.model, answer) : openaiWhole(body.model, answer)),
    )
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  outgoing.flushHeaders()
  const frames = isAnthropic
    ? anthropicFrames(body.model, answer)
    : openaiFrames(body.model, answer, hasUsage(body))
  let sent = 0
  for (const frame of frames) {
    if (outgoing.destroyed) return
    if (answer.diesAfter !== undefined && sent >= answer.diesAfter) {
      if (answer.diesQuietly) outgoing.end()
      else outgoing.socket?.destroy()
      return
    }
    if (sent === 1 && answer.garbled)
      outgoing.write(`${isAnthropic ? 'event: content_block_delta\n' : ''}data: {"choices": [{"delta"\n\n`)
    if (sent === 1 && answer.midError)
      outgoing.write(`${isAnthropic ? 'event: error\n' : ''}data: ${JSON.stringify(answer.midError)}\n\n`)
    outgoing.write(frame)
    sent += 1
    if (answer.pace) await wait(answer.pace)
  }
  outgoing.end()
}

const hasUsage = (body: Readonly<Record<string, unknown>>): boolean =>
  (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true

const OPENAI_USAGE = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 10 },
}
const ANTHROPIC_USAGE = {
  input_tokens: 20,
  output_tokens: 30,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 0,
}

const cut = ({ text = '', pieces = 3 }: ScriptedAnswer): string[] => {
  const letters = [...text]
  const size = Math.max(1, Math.ceil(letters.length / pieces))
  const cuts: string[] = []
  for (let at = 0; at < letters.length; at += size) cuts.push(letters.slice(at, at + size).join(''))
  return cuts
}

const openaiCalls = ({ calls = [] }: ScriptedAnswer) =>
  calls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))

function openaiWhole(model: string, answer: ScriptedAnswer): object {
  const calls = openaiCalls(answer).map(({ index: _index, ...call }) => call)
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? (calls.length > 0 ? null : ''),
          ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    ...(answer.usage === null ? {} : { usage: answer.usage ?? OPENAI_USAGE }),
  }
}

function* openaiFrames(model: string, answer: ScriptedAnswer, withUsage: boolean): Generator<string> {
  const frame = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  yield frame({ role: 'assistant', content: '' })
  if (answer.reasoning) yield frame({ reasoning_content: answer.reasoning })
  for (const content of cut(answer)) yield frame({ content })
  for (const { index, id, type, function: made } of openaiCalls(answer)) {
    yield frame({ tool_calls: [{ index, id, type, function: { name: made.name, arguments: '' } }] })
    const half = Math.ceil(made.arguments.length / 2)
    for (const piece of [made.arguments.slice(0, half), made.arguments.slice(half)])
      yield frame({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  yield frame({}, answer.calls ? 'tool_calls' : 'stop')
  if (withUsage && answer.usage !== null)
    yield `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: answer.usage ?? OPENAI_USAGE })}\n\n`
  yield 'data: [DONE]\n\n'
}

type ScriptedBlock = { readonly type?: string; readonly [field: string]: unknown }

const signed = (thought: string): string => `signed:${Buffer.from(thought).toString('base64')}`

/**
 * Like Anthropic, rejects a request whose thinking blocks were changed, or are missing before the
 * last calls.
 */
function thoughtless({ messages, thinking }: ScriptedRequest['body']): string | undefined {
  const turns = messages as readonly { role: string; content: readonly ScriptedBlock[] }[]
  for (const [at, { role, content }] of turns.entries())
    for (const [place, { type, ...block }] of (role === 'assistant' ? content : []).entries()) {
      if (type === 'thinking' && block.signature !== signed(String(block.thinking)))
        return `messages.${at}.content.${place}: Invalid \`signature\` in \`thinking\` block`
      if (type === 'redacted_thinking' && !String(block.data).startsWith('sealed:'))
        return `messages.${at}.content.${place}: Invalid \`data\` in \`redacted_thinking\` block`
    }
  if ((thinking as { type?: string } | undefined)?.type !== 'enabled') return undefined
  if (!turns.at(-1)?.content.some(({ type }) => type === 'tool_result')) return undefined
  const at = turns.findLastIndex(({ role }) => role === 'assistant')
  const first = turns[at]?.content[0]?.type
  return first === undefined || first === 'thinking' || first === 'redacted_thinking'
    ? undefined
    : `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
}

function anthropicWhole(model: string, answer: ScriptedAnswer): object {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(answer.reasoning
        ? [{ type: 'thinking', thinking: answer.reasoning, signature: signed(answer.reasoning) }]
        : []),
      ...(answer.redacted ? [{ type: 'redacted_thinking', data: `sealed:${answer.redacted}` }] : []),
      ...(answer.text ? [{ type: 'text', text: answer.text }] : []),
      ...(answer.calls ?? []).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: answer.calls ? 'tool_use' : 'end_turn',
    usage: answer.usage ?? ANTHROPIC_USAGE,
  }
}

function* anthropicFrames(model: string, answer: ScriptedAnswer): Generator<string> {
  const frame = (type: string, rest: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
  const usage = answer.usage === null ? {} : (answer.usage ?? ANTHROPIC_USAGE)
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  }
  yield frame('message_start', { message })
  let index = 0
  const block = function* (begin: object, deltas: readonly object[]) {
    yield frame('content_block_start', { index, content_block: begin })
    for (const delta of deltas) yield frame('content_block_delta', { index, delta })
    yield frame('content_block_stop', { index })
    index += 1
  }
  if (answer.reasoning)
    yield* block({ type: 'thinking', thinking: '', signature: '' }, [
      ...cut({ text: answer.reasoning }).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: signed(answer.reasoning) },
    ])
  if (answer.redacted) yield* block({ type: 'redacted_thinking', data: `sealed:${answer.redacted}` }, [])
  if (answer.text)
    yield* block(
      { type: 'text', text: '' },
      cut(answer).map((text) => ({ type: 'text_delta', text })),
    )
  for (const { id, name, input } of answer.calls ?? []) {
    const json = JSON.stringify(input)
    const half = Math.ceil(json.length / 2)
    yield* block({ type: 'tool_use', id, name, input: {} }, [
      { type: 'input_json_delta', partial_json: json.slice(0, half) },
      { type: 'input_json_delta', partial_json: json.slice(half) },
    ])
  }
  const { output_tokens } = usage as { output_tokens?: number }
  yield frame('message_delta', {
    delta: { stop_reason: answer.calls ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: output_tokens === undefined ? {} : { output_tokens },
  })
  yield frame('message_stop', {})
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A request as it came over the wire. */
export interface ModelRequest {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content?: unknown
    readonly [field: string]: unknown
  }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly tool_choice?: unknown
}

/** A scripted reply. */
export interface ModelReply {
  readonly text?: string
  readonly pieces?: number
  readonly think?: string
  /** Arguments are sent unchanged. */
  readonly calls?: readonly { readonly id?: string; readonly name?: string; readonly arguments?: string }[]
  readonly finish?: string
  /** The milliseconds before the reply. */
  readonly delay?: number
  readonly usage?: object | null
  readonly status?: number
  readonly message?: string
  readonly after?: 'ends' | 'hangs' | 'dies' | 'garbles' | undefined
}

export interface ScriptedModel {
  readonly url: string
  readonly requests: ModelRequest[]
  /** Sets the reply to all further requests. */
  readonly answer: (reply: (request: ModelRequest) => ModelReply) => void
  /** Number of replies in progress. */
  readonly working: () => number
  /** The maximum number of concurrent replies so far. */
  readonly atOnce: () => number
  readonly close: () => Promise<void>
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** A provider on loopback that speaks the OpenAI protocol and follows a script. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const open = new Set<ServerResponse>()
  let reply: (request: ModelRequest) => ModelReply = () => ({ text: 'ok' })
  let atOnce = 0
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method === 'GET') {
      outgoing.setHeader('content-type', 'application/json')
      outgoing.end(JSON.stringify({ object: 'list', data: [{ id: 'm' }] }))
      return
    }
    const request = await bodyOf(incoming)
    requests.push(request)
    open.add(outgoing)
    atOnce = Math.max(atOnce, open.size)
    outgoing.on('close', () => open.delete(outgoing))
    await replied(outgoing, reply(request))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: (next) => {
      reply = next
    },
    working: () => open.size,
    atOnce: () => atOnce,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<ModelRequest> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString())
}

async function replied(outgoing: ServerResponse, reply: ModelReply): Promise<void> {
  const { status = 200, message = `status ${status}`, after = 'ends', delay = 0 } = reply
  if (delay > 0) await wait(delay)
  if (status !== 200) {
    outgoing.writeHead(status, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ error: { message, type: 'api_error' } }))
    return
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  outgoing.flushHeaders()
  for (const frame of framesOf(reply)) outgoing.write(frame)
  // Text arrives before whatever happens next.
  if (after !== 'ends') await wait(30)
  if (after === 'dies') outgoing.socket?.destroy()
  if (after === 'garbles') outgoing.write('data: {"choices": [{"delta"\n\n')
  if (after === 'hangs') return
  for (const frame of lastFrames(reply)) outgoing.write(frame)
  outgoing.end()
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const frameOf = (data: object) => `data: ${JSON.stringify(data)}\n\n`

function* framesOf({ text = '', pieces = 3, think, calls = [] }: ModelReply): Generator<string> {
  yield frameOf(chunk({ role: 'assistant', content: '' }))
  if (think !== undefined) yield frameOf(chunk({ reasoning_content: think }))
  const size = Math.max(1, Math.ceil(text.length / pieces))
  for (let at = 0; at < text.length; at += size) yield frameOf(chunk({ content: text.slice(at, at + size) }))
  for (const [index, { id = `call-${index}`, name = '', arguments: input = '{}' }] of calls.entries())
    yield frameOf(
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }] }),
    )
}

function* lastFrames({ calls = [], finish, usage = USAGE }: ModelReply): Generator<string> {
  yield frameOf(chunk({}, finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')))
  if (usage !== null) yield frameOf({ ...chunk({}), choices: [], usage })
  yield 'data: [DONE]\n\n'
}

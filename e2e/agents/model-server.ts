import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { replyDocument, replyEvents } from './model-stream.ts'
import { type Fault, markIn, type Script, type Turn } from './script.ts'

/** A model that follows a script, over Anthropic's Messages API on loopback. */
export interface ModelServer {
  readonly address: string
  /** Which agent sent a request and for which of its turns, in order of arrival. Retries count again. */
  readonly asked: readonly { readonly agent: string; readonly turn: number }[]
  /** Tool results as the model got them. */
  readonly heard: readonly string[]
  /** Requests of agents as text. */
  readonly told: readonly string[]
  /** Requested paths that are not served. */
  readonly unknown: readonly string[]
  readonly close: () => Promise<void>
}

interface Asking {
  readonly model: string
  readonly stream: boolean
  readonly tools: readonly unknown[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export async function startModel(script: Script): Promise<ModelServer> {
  const asked: { agent: string; turn: number }[] = []
  const heard: string[] = []
  const told: string[] = []
  const unknown: string[] = []
  const attempts = new Map<string, number>()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request)
    const path = request.url?.split('?')[0] ?? ''
    if (request.method === 'HEAD') return void response.writeHead(200).end()
    if (path === '/v1/messages/count_tokens') return json(response, 200, { input_tokens: 100 })
    if (path !== '/v1/messages') {
      unknown.push(`${request.method} ${path}`)
      return json(response, 404, problem('not_found_error', 'No such path'))
    }
    const asking = JSON.parse(body) as Asking
    const agent = asking.tools?.length > 0 ? agentOf(asking) : undefined
    if (agent === undefined) return reply(response, asking, { text: 'ok' })
    const turn = asking.messages.filter(({ role }) => role === 'assistant').length
    asked.push({ agent, turn })
    heard.push(...resultsIn(asking))
    told.push(body)
    const plan = script[agent]?.[turn] ?? { text: 'ok' }
    const attempt = attempts.get(`${agent}:${turn}`) ?? 0
    attempts.set(`${agent}:${turn}`, attempt + 1)
    return reply(response, asking, plan, plan.faults?.[attempt])
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    heard,
    told,
    unknown,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An agent is recognized by the mark in its first message, which is the prompt of the person or of its parent. */
function agentOf({ messages }: Asking): string | undefined {
  const first = messages.find(({ role }) => role === 'user')
  return first === undefined ? undefined : markIn(wordsOf(first.content))
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: { text?: unknown }) => (typeof block.text === 'string' ? block.text : ''))
    .join('\n')
}

/** The tool results in the newest message. */
function resultsIn({ messages }: Asking): readonly string[] {
  const content = messages.at(-1)?.content
  if (!Array.isArray(content)) return []
  return content
    .filter((block: { type?: unknown }) => block.type === 'tool_result')
    .map((block: { content?: unknown }) => wordsOf(block.content))
}

async function reply(response: ServerResponse, asking: Asking, turn: Turn, fault?: Fault): Promise<void> {
  if (fault?.kind === 'status') {
    const kind = fault.status === 429 ? 'rate_limit_error' : 'api_error'
    response.setHeader('retry-after', '0')
    return json(response, fault.status, problem(kind, `scripted ${fault.status}`))
  }
  if (fault?.kind === 'slow') await wait(fault.ms)
  if (!asking.stream) return json(response, 200, replyDocument(turn, asking.model))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const events = replyEvents(turn, asking.model)
  const sent = fault?.kind === 'cut' ? events.slice(0, 3) : events
  for (const event of sent) response.write(event)
  if (fault?.kind !== 'cut') return void response.end()
  await wait(50)
  response.destroy()
}

const problem = (type: string, message: string) => ({ type: 'error', error: { type, message } })

function json(response: ServerResponse, status: number, document: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

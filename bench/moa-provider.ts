import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Serves models on loopback from a separate process, so that their work is not measured. A model is named
 * `<role>-<milliseconds>`: it waits that long and then streams its answer. The time of each call is stored
 * under the turn that the request names.
 */
export interface Times {
  /** Milliseconds of the slowest reference and of the acting model. */
  reference: number
  acting: number
}

const WORDS = 'What there is should be looked at first, then changed in small steps. '
const times = new Map<string, Times>()

const server = createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify([...times]))
    times.clear()
    return
  }
  void answer(incoming, outgoing)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.stdin.on('end', () => process.exit(0)).resume()

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const began = performance.now()
  let text = ''
  incoming.setEncoding('utf8')
  for await (const part of incoming) text += part
  const model = /"model":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
  const turn = /turn (\S+?)[:"\\]/.exec(text)?.[1] ?? ''
  const [role = '', delay] = model.split('-')
  outgoing.on('finish', () => note(turn, role, performance.now() - began))
  setTimeout(() => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const frame of framesOf(model)) outgoing.write(frame)
    outgoing.end()
  }, Number(delay))
}

function note(turn: string, role: string, ms: number): void {
  const before = times.get(turn) ?? { reference: 0, acting: 0 }
  if (role === 'reference') before.reference = Math.max(before.reference, ms)
  else before.acting = ms
  times.set(turn, before)
}

const known = new Map<string, readonly string[]>()
function framesOf(model: string): readonly string[] {
  const made = known.get(model)
  if (made) return made
  const about = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model }
  const frame = (more: object) => `data: ${JSON.stringify({ ...about, ...more })}\n\n`
  const piece = (delta: object, finish_reason: string | null = null) =>
    frame({ choices: [{ index: 0, delta, finish_reason }] })
  const frames = [
    piece({ role: 'assistant', content: '' }),
    ...Array.from({ length: 8 }, () => piece({ content: WORDS })),
    piece({}, 'stop'),
    frame({ choices: [], usage: { prompt_tokens: 900, completion_tokens: 120, total_tokens: 1_020 } }),
    'data: [DONE]\n\n',
  ]
  known.set(model, frames)
  return frames
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Serves models on loopback from a separate process, so that their work is not measured. The name of a model
 * defines its behavior: `soon-MS` waits and then answers, first with the number of calls and the arrival time
 * of this one; `stream-PIECES-MS` sends a piece at each interval, built from the turn that the question
 * names; `slow` never ends, `hang` never starts, and `tool-NAME` calls a tool.
 */
export interface State {
  /** The number of calls so far, and of those that are still open. */
  readonly calls: number
  readonly open: number
}

const WORDS = 'What there is should be looked at first, then changed in small steps. '
let calls = 0
let open = 0
let last = ''

const server = createServer((incoming, outgoing) => {
  if (incoming.method === 'POST') return void answer(incoming, outgoing)
  if (incoming.url === '/last') return void outgoing.end(last)
  const models = { object: 'list', data: [{ id: 'soon-0', object: 'model' }] }
  outgoing.setHeader('content-type', 'application/json')
  outgoing.end(JSON.stringify(incoming.url === '/state' ? ({ calls, open } satisfies State) : models))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.stdin.on('end', () => process.exit(0)).resume()

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  calls += 1
  open += 1
  outgoing.once('close', () => {
    open -= 1
  })
  let text = ''
  incoming.setEncoding('utf8')
  for await (const part of incoming) text += part
  const came = performance.timeOrigin + performance.now()
  const model = /"model":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
  const [kind = '', first = '0', second = '0'] = model.split(/-(.*?)(?:-|$)/)
  if (!/"stream":\s*true/.test(text)) {
    outgoing.setHeader('content-type', 'application/json')
    const message = { role: 'assistant', content: WORDS }
    outgoing.end(JSON.stringify({ ...about(model), choices: [{ index: 0, message, finish_reason: 'stop' }] }))
    return
  }
  const say = (delta: object, finish: string | null = null) =>
    outgoing.write(
      `data: ${JSON.stringify({ ...about(model), choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    )
  if (kind === 'hang') return
  if (kind === 'soon') {
    last = text
    await sleep(Number(first))
  }
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  if (kind === 'soon') {
    say({ role: 'assistant', content: `#${calls}@${came} ` })
    for (let n = 0; n < 8; n += 1) say({ content: WORDS })
  } else if (kind === 'stream') {
    const turn =
      text
        .match(/turn \w+:/g)
        ?.at(-1)
        ?.slice(5, -1) ?? ''
    for (let n = 0; n < Number(first) && !outgoing.destroyed; n += 1) {
      say({ content: `${turn}.${n} ` })
      await sleep(Number(second))
    }
  } else if (kind === 'slow') {
    for (let n = 0; !outgoing.destroyed; n += 1) {
      say({ content: `${n} ` })
      await sleep(20)
    }
  } else if (kind === 'tool') {
    const call = {
      index: 0,
      id: `call-${calls}`,
      type: 'function',
      function: { name: first, arguments: '{}' },
    }
    say({ role: 'assistant', content: null, tool_calls: [call] })
  }
  say({}, kind === 'tool' ? 'tool_calls' : 'stop')
  outgoing.write(
    `data: ${JSON.stringify({ ...about(model), choices: [], usage: { prompt_tokens: 900, completion_tokens: 120, total_tokens: 1_020 } })}\n\n`,
  )
  outgoing.end('data: [DONE]\n\n')
}

function about(model: string): object {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model }
}

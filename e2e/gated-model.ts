import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Consecutive words, so that a missing or duplicated one is noticed. */
export const COUNTED = Array.from({ length: 60 }, (_, n) => `word${n + 1}`)

export interface GatedModel {
  readonly url: string
  /** Releases so many words, and the end after the last one. */
  readonly allow: (words: number) => void
  readonly close: () => Promise<void>
}

/** A model that counts up, only as far as the test allows, however slow the machine is. */
export async function startGated(): Promise<GatedModel> {
  let allowed = 0
  let opened = Promise.withResolvers<void>()
  const say = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const frame = (delta: object, finish_reason: string | null = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
    for (const [at, word] of COUNTED.entries()) {
      while (at >= allowed && !response.destroyed)
        await Promise.race([opened.promise, once(response, 'close')])
      if (response.destroyed) return
      frame({ content: at === 0 ? word : ` ${word}` })
    }
    frame({}, 'stop')
    response.end('data: [DONE]\n\n')
  }
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'counts' }] }))
      return
    }
    request.resume().on('end', () => void say(response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow: (words) => {
      allowed = words
      opened.resolve()
      opened = Promise.withResolvers<void>()
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

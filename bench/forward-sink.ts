import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/**
 * A hub that stores nothing: it reads each batch and confirms it. It measures the delay of events that
 * contain the time at which they were stored.
 */
const waits: number[] = []
const now = (): number => performance.timeOrigin + performance.now()

const server = createServer(async (incoming, answer) => {
  if (incoming.url === '/waits') {
    answer.end(JSON.stringify(waits.splice(0)))
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  const here = now()
  const text = gunzipSync(Buffer.concat(chunks)).toString('utf8')
  for (const [, mark] of text.matchAll(/"mark":"([\d.]+)"/g)) waits.push(here - Number(mark))
  const accepted = text.split('\n').length - 1
  answer.end(JSON.stringify({ accepted, duplicates: 0, rejected: [] }))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { success } from '@panoptes/schema'
import { afterEach, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { refuse } from './forward.test-kit.ts'
import { openHub, transcriptReceiver } from './hub.ts'

const requests: string[] = []
let status = 200
const server = createServer(async (incoming, answer) => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = chunks.length === 0 ? '' : gunzipSync(Buffer.concat(chunks)).toString()
  requests.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization} ${body}`)
  if (status !== 200) return refuse(answer, status, 'refused')
  const reply =
    incoming.method === 'GET' ? { known: { one: 'f1' } } : { ended: 1, dropped: 0, missed: [], forgotten: [] }
  answer.end(JSON.stringify(reply))
}).listen(0, '127.0.0.1')
afterEach(() => {
  requests.length = 0
  status = 200
})

const receiver = async () => {
  if (!server.listening) await once(server, 'listening')
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/below/`
  return transcriptReceiver(openHub({ to, token: async () => success('pan_good') }), 'studio & co', 'a1')
}
const { signal } = new AbortController()

it('asks a hub which transcripts it has and sends the rest', async () => {
  const hub = await receiver()
  expect(unwrap(await hub.known('claude-code', signal))).toEqual(new Map([['one', 'f1']]))
  expect(unwrap(await hub.send('{"type":"drop"}\n', signal))).toMatchObject({ ended: 1 })
  expect(requests).toEqual([
    'GET /below/api/transcripts/known?source=claude-code&host=studio+%26+co&home=a1 Bearer pan_good ',
    'POST /below/api/transcripts?host=studio+%26+co&home=a1 Bearer pan_good {"type":"drop"}\n',
  ])
})

it('reports whether a failed upload should be retried', async () => {
  const hub = await receiver()
  for (const [code, means] of [
    [400, 'invalid'],
    [413, 'invalid'],
    [401, 'busy'],
    [404, 'busy'],
    [503, 'busy'],
  ] as const) {
    status = code
    expect(await hub.send('{}\n', signal)).toMatchObject({ ok: false, code: means })
  }
})

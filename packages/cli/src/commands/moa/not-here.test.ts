import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { notHere } from './not-here.ts'

it('tells of the providers of this computer which do not answer, and of no other', async () => {
  const server = createServer((_asked, answer) => answer.end('{"data":[]}')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const provider = (name: string, from: 'config' | 'local', base_url: string | null) => ({
    ...{ name, from, base_url, kind: 'openai' as const, key: null, has_key: false },
  })
  const there = [
    provider('runs', 'local', `http://127.0.0.1:${port}/v1`),
    provider('gone', 'local', 'http://127.0.0.1:9/v1'),
    provider('named', 'config', 'http://127.0.0.1:9/v1'),
  ]
  // However slow this machine is, what answers is there.
  using _ = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  expect(await notHere(there)).toEqual(new Set(['gone']))
})

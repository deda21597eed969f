import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { findUnreachableProviders } from './presets.ts'

it('lists detected local providers that do not answer, and no configured ones', async () => {
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
  // The running provider always answers, however slow this machine is.
  using _ = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
  expect(await findUnreachableProviders(there)).toEqual(new Set(['gone']))
})

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { StreamCheck } from '@panoptes/schema'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { makeContext } from '../../context.ts'
import { EXIT } from '../../failure.ts'
import { type CheckOptions, check } from './check.ts'

afterEach(() => {
  process.exitCode = undefined
})

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void

async function serve(answer: Answer): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`
}

const frame = (event: string, seq: number, fields: object = {}): string => {
  const data = {
    v: 1,
    seq,
    ts: 1_790_000_000_000,
    conversation_id: 'c',
    run_id: 'r',
    runtime: 'jarvis',
    ...fields,
  }
  return `id: r:${seq}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
const GOOD = [frame('metadata', 1), frame('chunk', 2, { index: 0, delta: 'Hi' }), frame('done', 3)]

const streaming =
  (...frames: readonly string[]): Answer =>
  (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.end(frames.join(''))
  }

async function checked(url: string, options: CheckOptions = {}) {
  const made = makeContext([], { HOME: '/h' })
  let said = ''
  let document = {} as StreamCheck & { readonly ok: boolean; readonly connection: string | null }
  const answer = (lines: readonly string[], told: object) => {
    said = lines.join('\n')
    document = told as typeof document
  }
  await check({ ...made, output: { ...made.output, answer } }, url, options)
  return { said, document, exit: process.exitCode ?? 0 }
}

describe('panoptes chat check', () => {
  it('accepts a valid stream, however its bytes are split', async () => {
    const url = await serve((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const bytes = Buffer.from(`: heartbeat\n\n${GOOD.join('').replaceAll('Hi', 'Grüße')}`)
      for (let at = 0; at < bytes.length; at += 7) outgoing.write(bytes.subarray(at, at + 7))
      outgoing.end()
    })
    const { said, document, exit } = await checked(url)
    expect(said).toBe('The stream follows the contract: 1 metadata, 1 chunk, 1 done')
    expect(document).toMatchObject({ ok: true, end: 'done', problems: [], connection: null })
    expect(exit).toBe(0)
  })

  it('names each problem with the number of its event and the expected content', async () => {
    const frames = [
      frame('chunk', 1, { index: 0, delta: 'a\u001b[31m' }),
      frame('token', 2),
      frame('chunk', 5, { index: 1 }),
      frame('error', 6, { code: 7, message: 'x' }),
      frame('done', 7),
    ]
    const { said, document, exit } = await checked(await serve(streaming(...frames)))
    expect(exit).toBe(EXIT.failed)
    expect(document.problems.map(({ at, rule }) => `${at} ${rule}`)).toEqual([
      '1 first',
      '1 terminal_bytes',
      '2 name',
      '3 field',
      '3 seq',
      '4 field',
      '5 after_end',
    ])
    expect(said).toContain('event 1  first: chunk comes first, in place of metadata or error')
    expect(said).toContain('event 3  seq: seq is 5, in place of 2')
    expect(said).toMatch(/7 problems in 2 chunk, 1 error, 1 done$/)
  })

  it('treats a broken connection as the end of the stream', async () => {
    const url = await serve((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.write(GOOD.slice(0, 2).join(''), () => setTimeout(() => outgoing.destroy(), 50))
    })
    const { document, exit } = await checked(url)
    expect(document).toMatchObject({ ok: false, end: null, problems: [{ rule: 'truncated', at: 0 }] })
    expect(document.connection).not.toBeNull()
    expect(exit).toBe(EXIT.failed)
  })

  it('sends the body, the headers and the last event id', async () => {
    const seen: unknown[] = []
    const url = await serve(async (incoming, outgoing) => {
      const { method, headers } = incoming
      seen.push([method, headers.authorization, headers['last-event-id'], await text(incoming)])
      streaming(...GOOD.slice(1))(incoming, outgoing)
    })
    const header = ['Authorization: Bearer t']
    const { document } = await checked(url, { post: '{"message":"Hi"}', header, lastEventId: 'r:1' })
    expect(seen).toEqual([['POST', 'Bearer t', 'r:1', '{"message":"Hi"}']])
    expect(document.problems).toEqual([])
  })

  it('says what to do if the address has no event stream', async () => {
    const refused = await serve((_incoming, outgoing) => {
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"who?"}')
    })
    await expect(checked(refused)).rejects.toMatchObject({
      message: expect.stringContaining('answered 401 with application/json instead of an event stream'),
      next: expect.stringContaining('who?'),
      exit: EXIT.failed,
    })
    await expect(checked('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'unreachable' })
    for (const [url, options] of [
      ['nowhere', {}],
      [refused, { post: 'no json' }],
      [refused, { header: ['no header'] }],
    ] as const)
      await expect(checked(url, options)).rejects.toMatchObject({ exit: EXIT.usage })
  })
})

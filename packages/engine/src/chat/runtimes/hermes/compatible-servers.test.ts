import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, attachedIn, progressIn } from '../acp/run-adapter.test-kit.ts'
import type { Fields } from '../fields.ts'
import { createHermes } from './hermes.ts'

/** Replies by method and path: JSON, or frames of a stream. */
type Routes = Readonly<Record<string, Fields | readonly string[]>>

const open: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** A server with the same API by another author: unknown paths return 404. */
async function foreign(routes: Routes) {
  const asked: string[] = []
  const server = createServer((incoming, outgoing) => {
    const path = `${incoming.method} ${incoming.url}`
    asked.push(path)
    incoming.resume().on('end', () => replied(outgoing, routes[path]))
  })
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const adapter = createHermes({
    config: { url, api_key_env: 'KEY', env: {} },
    env: { KEY: 'a-key-for-tests' },
    limits: { pollMs: 10, goneMs: 100 },
  })
  open.push({
    close: async () => {
      await adapter.close()
      server.closeAllConnections()
      await new Promise((gone) => server.close(gone))
    },
  })
  return { adapter, asked: () => asked.filter((path) => path.startsWith('POST')) }
}

function replied(outgoing: ServerResponse, reply: Routes[string] | undefined): void {
  if (reply === undefined) {
    outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('404: Not Found')
    return
  }
  const isStream = Array.isArray(reply)
  outgoing.writeHead(200, {
    'content-type': isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
  })
  outgoing.end(isStream ? reply.map((frame) => `${frame}\n\n`).join('') : JSON.stringify(reply))
}

const event = (name: string, data: Fields): string => `event: ${name}\ndata: ${JSON.stringify(data)}`
const chunk = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}`
const completed = { type: 'end', outcome: 'completed' }

describe('compatible server by another author', () => {
  it.each([
    ['in a place of its own', { session: { id: 's/1' } }],
    ['as it is', { id: 's/1', title: null }],
    ['by its whole name', { session_id: 's/1' }],
  ])('names its session %s', async (_how, made) => {
    const { adapter } = await foreign({
      'GET /v1/capabilities': { features: { session_chat_streaming: true } },
      'POST /api/sessions': made,
      'POST /api/sessions/s%2F1/chat/stream': [
        event('run.started', { run_id: 'r', seq: 1, user_message: 'Well?' }),
        event('message.started', { message: { id: 'm', role: 'assistant' } }),
        event('assistant.delta', { message_id: 'm', delta: 'Yes.' }),
        event('assistant.completed', { message_id: 'm', content: 'Yes.', completed: true }),
        event('run.completed', { messages: [], usage: { input_tokens: 3, output_tokens: 1 } }),
        event('done', {}),
      ],
    })
    const { text, ended } = await ask(adapter, { message: 'Well?' })
    expect(text).toBe('Yes.')
    expect(ended).toEqual({ ...completed, usage: { input: 3, output: 1 }, continuity: { session_id: 's/1' } })
  })

  const session = (...frames: readonly string[]) =>
    foreign({
      'GET /v1/capabilities': { session_chat_stream: true, runs: true },
      'POST /api/sessions': { id: 's' },
      'POST /api/sessions/s/chat/stream': frames,
    })

  it('ends a turn with `done` alone', async () => {
    const { adapter } = await session(
      event('assistant.delta', { delta: 'Ye' }),
      event('assistant.completed', { content: 'Yes.' }),
      event('done', {}),
    )
    expect(await ask(adapter)).toMatchObject({ text: 'Yes.', ended: completed })
  })

  it('sends its whole answer only at the end, and why a tool failed', async () => {
    const { adapter } = await session(
      event('tool.started', { tool_name: 'terminal', preview: 'ls', args: { command: 'ls' } }),
      event('tool.completed', { tool_name: 'terminal', error: 'No such folder' }),
      event('run.completed', {
        messages: [
          { role: 'user', content: 'What now?' },
          { role: 'assistant', content: 'There is nothing.' },
        ],
        usage: { input_tokens: 3, output_tokens: 4 },
      }),
    )
    const { text, ended, events } = await ask(adapter)
    expect(text).toBe('There is nothing.')
    expect(ended).toMatchObject({ ...completed, usage: { input: 3, output: 4 } })
    expect(progressIn(events, 'tool').map(({ status }) => status)).toEqual(['started', 'failed'])
    expect(attachedIn(events, 'tools')).toMatchObject([[{ name: 'terminal', ok: false }]])
  })

  it('disconnects without an end event, which is a failure', async () => {
    const { adapter } = await session(event('assistant.delta', { delta: 'Ye' }))
    expect(await ask(adapter)).toMatchObject({ text: 'Ye', ended: { type: 'failed', code: 'died' } })
  })

  it('lists its features and has only runs', async () => {
    const { adapter, asked } = await foreign({
      'GET /v1/capabilities': { features: ['runs', 'run_events_sse', 'chat_completions'] },
      'POST /v1/runs': { id: 'run-7', status: 'queued' },
      'GET /v1/runs/run-7/events': [
        `data: ${JSON.stringify({ event: 'message.delta', run_id: 'run-7', delta: 'Yes.' })}`,
        `data: ${JSON.stringify({ event: 'run.completed', run_id: 'run-7' })}`,
        ': stream closed',
      ],
    })
    expect(await ask(adapter)).toMatchObject({ text: 'Yes.', ended: completed })
    expect(asked()).toEqual(['POST /v1/runs'])
  })

  it('advertises a feature it lacks, so the next way is used', async () => {
    const { adapter, asked } = await foreign({
      'GET /v1/capabilities': { features: { session_chat_streaming: true, run_submission: true } },
      'POST /v1/chat/completions': [chunk('Yes.'), 'data: [DONE]'],
    })
    expect(await ask(adapter)).toMatchObject({ text: 'Yes.', ended: completed })
    expect(asked()).toEqual(['POST /api/sessions', 'POST /v1/runs', 'POST /v1/chat/completions'])
  })

  it('reports no features and ends without a reason', async () => {
    const { adapter } = await foreign({
      'POST /v1/chat/completions': [chunk('Ye'), chunk('s.'), 'data: [DONE]'],
    })
    expect(await adapter.health()).toMatchObject({ state: 'ready', models: [] })
    expect(await ask(adapter)).toMatchObject({ text: 'Yes.', ended: completed })
  })

  it('is not Hermes if it has none of its endpoints', async () => {
    const { adapter } = await foreign({})
    expect((await ask(adapter)).ended).toMatchObject({ type: 'failed', code: 'malformed', retryable: false })
  })
})

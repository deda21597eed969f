import {
  type ChatEvent,
  chatEventSchemas,
  conversation,
  conversationHead,
  conversationsReply,
  runtimesReply,
  templatesReply,
} from '@panoptes/schema'
import { SseReader } from '@panoptes/schema/sse'
import { describe, expect, it } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { readEvent } from './api/chat-stream.ts'
import { FakeChat } from './fake-chat.test-kit.ts'

const at = (path: string) => `http://127.0.0.1${path}`

async function post(server: FakeServer, path: string, body: object = {}): Promise<Response> {
  return server.fetch(at(path), { method: 'POST', body: JSON.stringify(body) })
}

describe('The fake chat server of component tests', () => {
  it('answers with bodies that match the schemas of the server', async () => {
    const server = new FakeServer()
    const chat = new FakeChat(server)
    const read = async (path: string) => (await server.fetch(at(path))).json()
    conversationHead.strict().parse(await (await post(server, '/api/conversations')).json())
    chat.addAnswered('Why?', { owner: 'ada', owner_name: 'ada@example.org', shared: true })
    chat.onRun = (run) => run.say('Half of it.').fail('died', 'It broke off.')
    await post(server, '/api/conversations/chat-2/chat', {
      message: 'And?',
      files: [{ name: 'a', media_type: 'text/plain', text: 'b' }],
    })
    conversation.strict().parse(await read('/api/conversations/chat-2'))
    conversationsReply.parse(await read('/api/conversations?limit=100'))
    const found = conversationsReply.parse(await read('/api/conversations?limit=100&text=why'))
    expect(found.conversations.map(({ id }) => id)).toEqual(['chat-2'])
    const forked = await post(server, '/api/conversations/chat-2/fork', { message_id: 'run-1-answer' })
    conversationHead.strict().parse(await forked.json())
    runtimesReply.parse(await read('/api/runtimes'))
    templatesReply.parse(await read('/api/templates'))
    expect((await server.fetch(at('/api/conversations/chat-9'))).status).toBe(404)
    expect(server.unhandled).toEqual([])
  })

  it('streams valid events in order and resumes after the last event id', async () => {
    const server = new FakeServer()
    const chat = new FakeChat(server)
    chat.onRun = (run) => {
      run.progress('t1', { kind: 'tool', status: 'started', label: 'Read' }).say('So.')
      run.decide(run.ask('Do it'), 'once').done()
    }
    const answer = await post(server, `/api/conversations/${chat.add().id}/chat`, { message: 'Why?' })
    const events = new SseReader().take(await answer.text()).map(readEvent)
    for (const event of events as readonly ChatEvent[]) chatEventSchemas[event.event].parse(event.data)
    expect(events.map((event) => event?.event)).toEqual([
      'metadata',
      'progress',
      'chunk',
      'progress',
      'progress',
      'done',
    ])
    expect(events.map((event) => event?.data.seq)).toEqual([1, 2, 3, 4, 5, 6])
    const again = await server.fetch(at('/api/conversations/chat-1/stream'), {
      headers: { 'last-event-id': 'run-1:4' },
    })
    expect(new SseReader().take(await again.text()).map(({ event }) => event)).toEqual(['progress', 'done'])
  })
})

import { saying } from '@panoptes/engine/testing/chat'
import { conversationsReply, factsReply, runtimesReply, sentContext } from '@panoptes/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { askRaw } from '../server.test-kit.ts'
import { type ChatServer, pausing, startChatServer } from './chat-server.test-kit.ts'

let served: ChatServer
beforeAll(async () => {
  served = await startChatServer()
})
beforeEach(() => served.script(saying('Hel', 'lo')))
afterAll(() => served.stop())

const json = async <T>(answer: Response) => (await answer.json()) as T
const found = async (query: string) =>
  conversationsReply.parse(await json(await served.request(`/api/conversations?${query}`)))
const idOf = (path: string) => path.split('/').at(-1) ?? ''

describe('a conversation over HTTP', () => {
  it('is created, continued, renamed, moved to another runtime, and deleted for good', async () => {
    const path = await served.begin('Plans')
    expect(await served.read(path)).toMatchObject({
      title: 'Plans',
      runtime: null,
      messages: [],
      run_id: null,
    })
    await served.say(path, 'Hi there')
    const head = await served.head(
      await served.send('PUT', path, { title: '  Better plans ', runtime: 'acp:other' }),
    )
    expect(head).toMatchObject({ title: 'Better plans', runtime: 'acp:other' })
    expect((await served.say(path, 'And you?')).said).toBe('other')
    const { messages, agent_state } = await served.read(path)
    expect(messages.map(({ role, content, status, runtime }) => [role, content, status, runtime])).toEqual([
      ['user', 'Hi there', 'complete', null],
      ['assistant', 'Hello', 'complete', 'jarvis'],
      ['user', 'And you?', 'complete', null],
      ['assistant', 'other', 'complete', 'acp:other'],
    ])
    expect(Object.keys(agent_state.runtimes).sort()).toEqual(['acp:other', 'jarvis'])
    const live = await served.stream()
    expect((await served.send('DELETE', path)).status).toBe(200)
    expect(await live.closed).toMatchObject({ code: 1012 })
    expect((await served.request(path)).status).toBe(404)
    expect((await found('')).conversations.map(({ id }) => id)).not.toContain(idOf(path))
  })

  it('is found by its title and its messages, with the matching text', async () => {
    const titled = await served.begin('The Quokka question')
    const spoken = await served.begin()
    served.script(saying('It lives on an island, the quokka does.'))
    await served.say(spoken, 'Where?')
    const { total, conversations } = await found('text=QUOKKA')
    expect(total).toBe(2)
    const [newest, older] = conversations
    expect([newest?.id, older?.id]).toEqual([idOf(spoken), idOf(titled)])
    expect(newest?.found?.snippet).toContain('the quokka')
    expect(older?.found).toBeNull()
    expect(await found('text=QUOKKA&limit=1')).toMatchObject({
      total: 2,
      conversations: [{ id: idOf(spoken) }],
    })
    expect(
      (await found(`text=quokka&before=${newest?.updated_at}`)).conversations.map(({ id }) => id),
    ).toEqual([idOf(titled)])
    expect(await found('text=%25')).toMatchObject({ total: 0 })
  })

  it('is forked from one of its messages, and every runtime starts over in the fork', async () => {
    const path = await served.begin()
    await served.say(path, 'one')
    await served.say(path, 'two')
    const [, answer] = (await served.read(path)).messages
    const fork = await served.head(await served.send('POST', `${path}/fork`, { message_id: answer?.id }))
    expect(fork.forked_from).toEqual({ id: idOf(path), message_id: answer?.id })
    const forked = await served.read(`/api/conversations/${fork.id}`)
    expect(forked.messages.map(({ content }) => content)).toEqual(['one', 'Hello'])
    expect(forked.agent_state.runtimes).toEqual({})
    await served.say(`/api/conversations/${fork.id}`, 'three')
    expect((await served.read(path)).messages).toHaveLength(4)
  })

  it('replaces everything from an edited message on', async () => {
    const path = await served.begin()
    await served.say(path, 'one')
    await served.say(path, 'two')
    const [, , second] = (await served.read(path)).messages
    const { check } = await served.say(path, 'two, rather', { replaces: second?.id })
    expect(check.problems).toEqual([])
    expect((await served.read(path)).messages.map(({ content }) => content)).toEqual([
      'one',
      'Hello',
      'two, rather',
      'Hello',
    ])
    expect((await served.send('POST', `${path}/chat`, { message: 'x', replaces: 'msg-none' })).status).toBe(
      404,
    )
  })

  it('stores the name, type and size of files', async () => {
    const path = await served.begin()
    const files = [
      { name: 'a.txt', text: 'grün' },
      { name: 'c.txt', content: 'grau' },
      { name: '../../b.png', media_type: 'image/png', data: Buffer.from('png').toString('base64') },
    ]
    expect((await served.say(path, 'look', { files })).check.problems).toEqual([])
    expect((await served.read(path)).messages[0]?.files).toEqual([
      { name: 'a.txt', media_type: 'text/plain', bytes: 5 },
      { name: 'c.txt', media_type: 'text/plain', bytes: 4 },
      { name: '../../b.png', media_type: 'image/png', bytes: 3 },
    ])
  })

  it('keeps the files of an edited message unless the edit removes them', async () => {
    const path = await served.begin()
    await served.say(path, 'look', { files: [{ name: 'a.txt', text: 'a' }] })
    const edited = async (more: object) => {
      await served.say(path, 'again', { replaces: (await served.read(path)).messages[0]?.id, ...more })
      return (await served.read(path)).messages[0]?.files.length
    }
    expect(await edited({})).toBe(1)
    expect(await edited({ files: [] })).toBe(0)
  })

  it('shows the context that was sent with a message', async () => {
    const path = await served.begin()
    await served.say(path, 'one')
    const [user, answer] = (await served.read(path)).messages
    const sent = await served.request(`${path}/messages/${user?.id}/context`)
    expect(sentContext.parse(await sent.json())).toMatchObject({ template: null, skills: { skills: [] } })
    expect((await served.request(`${path}/messages/${answer?.id}/context`)).status).toBe(404)
    const elsewhere = await served.begin()
    expect((await served.request(`${elsewhere}/messages/${user?.id}/context`)).status).toBe(404)
  })
})

describe('runtimes and memory', () => {
  it('reach an ACP agent by its name alone', async () => {
    const made = await served.head(await served.send('POST', '/api/conversations', { runtime: 'other' }))
    expect(made.runtime).toBe('acp:other')
    const path = await served.begin()
    expect((await served.say(path, 'Hi', { runtime: 'other' })).said).toBe('other')
    expect((await served.head(await served.send('PUT', path, { runtime: 'jarvis' }))).runtime).toBe('jarvis')
    expect((await served.head(await served.send('PUT', path, { runtime: 'other' }))).runtime).toBe(
      'acp:other',
    )
  })

  it('list the runtimes and the default one', async () => {
    const { runtimes } = runtimesReply.parse(await json(await served.request('/api/runtimes')))
    expect(runtimes.map(({ id, state, is_default }) => [id, state, is_default])).toEqual([
      ['jarvis', 'ready', true],
      ['acp:other', 'ready', false],
    ])
  })

  it('keep facts until they are deleted', async () => {
    const facts = async () => factsReply.parse(await json(await served.request('/api/memory/facts'))).facts
    const kept = await json<{ id: string }>(
      await served.send('POST', '/api/memory/facts', { text: ' tea, no milk ' }),
    )
    expect(await facts()).toMatchObject([{ id: kept.id, text: 'tea, no milk' }])
    expect((await served.send('DELETE', `/api/memory/facts/${kept.id}`)).status).toBe(200)
    expect((await served.send('DELETE', `/api/memory/facts/${kept.id}`)).status).toBe(404)
    expect(await facts()).toEqual([])
  })
})

describe('a refused conversation request', () => {
  const file = { name: 'a', text: 'b' }
  it.each<[string, string, string, unknown]>([
    ['POST', '', 'title', { title: '' }],
    ['POST', '', 'title', { title: 'x'.repeat(201) }],
    ['POST', '', '', { titel: 'x' }],
    ['POST', '', 'runtime', { runtime: 'no body' }],
    ['POST', '', '', []],
    ['PUT', '/ID', 'title', { title: ' ' }],
    ['PUT', '/ID', 'model', { model: 7 }],
    ['POST', '/ID/chat', 'message', {}],
    ['POST', '/ID/chat', 'message', { message: '' }],
    ['POST', '/ID/chat', 'message', { message: 'x'.repeat(1_000_001) }],
    ['POST', '/ID/chat', 'files', { message: 'x', files: Array(21).fill(file) }],
    ['POST', '/ID/chat', 'files.0', { message: 'x', files: [{ name: 'a' }] }],
    ['POST', '/ID/chat', 'files.0', { message: 'x', files: [{ ...file, data: 'YQ==' }] }],
    ['POST', '/ID/chat', 'files.0', { message: 'x', files: [{ ...file, content: 'b' }] }],
    ['POST', '/ID/chat', 'files.0.data', { message: 'x', files: [{ name: 'a', data: '!' }] }],
    ['POST', '/ID/chat', 'files.0.name', { message: 'x', files: [{ ...file, name: '' }] }],
    ['POST', '/ID/chat', '', { message: 'x', unknown: 1 }],
    ['POST', '/ID/fork', 'message_id', {}],
    ['POST', '/ID/approvals/none', 'choice', { choice: '' }],
  ])('is %s …%s with an invalid "%s"', async (method, place, where, body) => {
    const path = await served.begin()
    const answer = await served.send(
      method,
      `/api/conversations${place.replace('/ID', `/${idOf(path)}`)}`,
      body,
    )
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    const problem = await json<{ code: string; next: string; problems: { path: string }[] }>(answer)
    expect(problem).toMatchObject({
      code: 'invalid',
      next: expect.stringContaining('send the request again'),
    })
    expect(problem.problems[0]?.path).toBe(where)
    expect((await served.read(path)).messages).toEqual([])
  })

  it.each(['limit=0', 'limit=501', 'limit=x', 'before=x', `text=${'x'.repeat(1_001)}`])(
    'is a list with %.20s',
    async (query) => {
      expect((await served.request(`/api/conversations?${query}`)).status).toBe(400)
    },
  )

  it.each([
    ['no JSON', '{"message":'],
    ['nothing', ''],
  ])('is a message that is %s', async (_name, body) => {
    const path = await served.begin()
    expect((await served.request(`${path}/chat`, { method: 'POST', body })).status).toBe(400)
  })

  it('is a fact that is empty or too long', async () => {
    for (const text of ['', '  ', 'x'.repeat(501)])
      expect((await served.send('POST', '/api/memory/facts', { text })).status).toBe(400)
  })

  it('is one with an unknown runtime, and the answer lists the known ones', async () => {
    const path = await served.begin()
    const answer = await served.send('POST', `${path}/chat`, { message: 'x', runtime: 'acp:none' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('jarvis, acp:other') })
    expect((await served.read(path)).messages).toEqual([])
  })

  it('is a conversation that is created with or moved to an unknown runtime', async () => {
    const detail = expect.stringContaining('jarvis, acp:other')
    const path = await served.begin()
    for (const [method, place] of [
      ['POST', '/api/conversations'],
      ['PUT', path],
    ] as const) {
      const answer = await served.send(method, place, { runtime: 'nobody' })
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ detail })])
    }
    expect((await served.read(path)).runtime).toBeNull()
  })

  it('is a body over its limit, which is refused before it is read', async () => {
    const path = await served.begin()
    const bytes = (count: number) => ({ title: 'x'.repeat(count) })
    expect((await served.send('POST', '/api/conversations', bytes(70_000))).status).toBe(413)
    const headers = {
      authorization: `Bearer ${await served.token('full')}`,
      'content-length': String(33 * 1_048_576),
    }
    const over = await askRaw(served.server.port, { path: `${path}/chat`, method: 'POST', headers })
    expect([over.status, JSON.parse(over.text)]).toMatchObject([413, { code: 'too_large' }])
    const within = { message: 'x', files: [{ name: 'a', text: 'x'.repeat(2_000_000) }] }
    expect((await served.send('POST', `${path}/chat`, within)).status).toBe(200)
  })

  it.each([
    ['GET', '', undefined],
    ['PUT', '', { title: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/chat', { message: 'x' }],
    ['GET', '/stream', undefined],
    ['POST', '/cancel', undefined],
    ['POST', '/approvals/none', { choice: 'once' }],
    ['POST', '/fork', { message_id: 'x' }],
    ['GET', '/export', undefined],
    ['GET', '/messages/none/context', undefined],
  ])('is %s …%s of an unknown conversation', async (method, place, body) => {
    for (const id of ['chat-none', '..%2f..%2fetc', '%00', "'; DROP TABLE conversations; --"]) {
      const answer = await served.send(method, `/api/conversations/${encodeURI(id)}${place}`, body)
      expect([id, answer.status]).toEqual([id, 404])
      expect(await answer.json()).toMatchObject({ code: 'not_found', status: 404 })
    }
  })

  it('is one for an unknown part of a known conversation', async () => {
    const path = await served.begin()
    for (const [method, place, body] of [
      ['GET', '/stream', undefined],
      ['POST', '/cancel', undefined],
      ['POST', '/approvals/none', { choice: 'once' }],
      ['POST', '/fork', { message_id: 'none' }],
      ['GET', '/messages/none/context', undefined],
    ] as const)
      expect((await served.send(method, `${path}${place}`, body)).status).toBe(404)
    const wrong = await served.send('PATCH', path, {})
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE, HEAD'])
  })

  it('is a second message during an answer, also if both arrive at once', async () => {
    const path = await served.begin()
    const { script, go } = pausing('wait', ' over')
    served.script(script)
    const both = await Promise.all(
      [1, 2].map((n) => served.send('POST', `${path}/chat`, { message: `${n}` })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = both.find(({ status }) => status === 409)
    expect(await refused?.json()).toMatchObject({
      code: 'busy',
      detail: expect.stringContaining('already answering'),
      next: expect.stringContaining('cancel'),
    })
    const third = await served.send('POST', `${path}/chat`, { message: '3' })
    expect(third.status).toBe(409)
    go()
    await both.find(({ status }) => status === 200)?.text()
    served.script(saying('free'))
    expect((await served.say(path, '4')).said).toBe('free')
    expect((await served.read(path)).messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })
})
